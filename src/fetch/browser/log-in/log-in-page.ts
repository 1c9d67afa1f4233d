import { systemClock } from "../../../core/clock.ts";
import type { AsksPerson, StepReport } from "../../../crawl/log-in.ts";
import { DEFAULT_ACTIONS } from "../../../crawl/page/page-actions.ts";
import { within } from "../draw-page.ts";
import { PREPARING_MS, WRITING_MS } from "../drawing.ts";
import type { LaunchedBrowser } from "../launch-browser.ts";
import { SERIALIZE, type Written, waitForStillness } from "../page-scripts.ts";
import type { CookieToSet, Tab, TabCookie } from "../tab.ts";
import { takePicture } from "../take-picture.ts";
import type { AnswerLogIn, BrowserCookie, LogInDone, LogInDrawing, PageStep } from "./log-in-drawing.ts";
import { clickElement, DESCRIBE, fillField, hasElement, hasText } from "./log-in-scripts.ts";
import { LogInTraffic } from "./log-in-traffic.ts";

/** Does the steps of a log-in in a page of its own. The browser has no network: the caller answers each request. */

/** A step waits so long for what it needs, in milliseconds. */
const STEP_MS = 15_000;
const LOG_IN_POLL_MS = 100;
/** A click may lead on by a script that takes a moment. */
const AFTER_CLICK_MS = 200;
const LOG_IN_QUIET_MS = 150;
/** A page may change for so long while it asks for nothing. */
const MAX_MOVING_MS = 2_000;
const MAX_DETAIL = 300;

/** Never throws for what pages do. Throws if the browser fails. */
export async function logInOnPage(
  browser: LaunchedBrowser,
  preparing: Promise<Tab>,
  drawing: LogInDrawing,
  answer: AnswerLogIn,
): Promise<Omit<LogInDone, "billedMs">> {
  const tab = await within(PREPARING_MS, preparing);
  try {
    return await new LogInPage(tab, drawing, answer).run();
  } finally {
    void browser.closeTab(tab);
  }
}

class LogInPage {
  readonly #tab: Tab;
  readonly #drawing: LogInDrawing;
  readonly #traffic: LogInTraffic;
  readonly #endsAt: number;

  constructor(tab: Tab, drawing: LogInDrawing, answer: AnswerLogIn) {
    this.#tab = tab;
    this.#drawing = drawing;
    this.#traffic = new LogInTraffic(answer);
    this.#endsAt = systemClock.now() + drawing.timeoutMs;
    tab.listener = this.#traffic;
  }

  async run(): Promise<Omit<LogInDone, "billedMs">> {
    const { userAgent, steps, cookies } = this.#drawing;
    await within(this.#leftMs(), this.#tab.setUserAgent(userAgent));
    if (cookies.length > 0) await within(this.#leftMs(), this.#tab.setCookies(cookies.map(toSet)));
    const reports: StepReport[] = [];
    for (const step of steps) {
      const problem = await this.#do(step).catch((error: unknown) => String(error));
      reports.push({ step: step.name, ok: problem === null, detail: this.#hide(problem ?? "") });
      if (problem !== null) break;
    }
    await this.#settle();
    const described = (await this.#evaluate(DESCRIBE)) as Described | null;
    const picture = await within(WRITING_MS, takePicture(this.#tab, DEFAULT_ACTIONS.viewport)).then(
      (view) => view.picture,
      (error: unknown) => this.#hide(String(error)),
    );
    this.#traffic.end();
    const written = (await within(WRITING_MS, this.#tab.run(SERIALIZE)).catch(() => null)) as Written | null;
    const kept = await within(WRITING_MS, this.#tab.cookies());
    const { href = "", title = "", asks = null } = described ?? {};
    return {
      kind: "done",
      steps: reports,
      page: /^https?:/.test(href) ? { url: this.#hide(bare(href)), title: this.#hide(title) } : null,
      href,
      asks,
      html: written?.html ?? "",
      cookies: kept.map(fromBrowser),
      picture,
    };
  }

  /** Null if it was done; why not, for people. */
  async #do(step: PageStep): Promise<string | null> {
    switch (step.kind) {
      case "open": {
        this.#traffic.refused = null;
        const opened = await within(this.#stepMs(), this.#tab.navigate(step.url)).then(
          () => null,
          (error: unknown) => `it does not open: ${error instanceof Error ? error.message : String(error)}`,
        );
        await this.#settle();
        return this.#whyRefused() ?? opened ?? (this.#isError() ? `it answers ${this.#traffic.status}` : null);
      }
      case "fill": {
        const filled = await this.#until(
          fillField(step.selector, step.value),
          (found) => found !== "none" && found !== null,
        );
        if (filled === "filled") return null;
        return filled === "no-field" ? "the element takes no text" : this.#absent(step.selector);
      }
      case "click": {
        this.#traffic.refused = null;
        if ((await this.#until(clickElement(step.selector), (found) => found === true)) !== true)
          return this.#absent(step.selector);
        await systemClock.sleep(AFTER_CLICK_MS);
        await this.#settle();
        return this.#whyRefused();
      }
      case "wait":
        if ((await this.#until(hasElement(step.selector), (found) => found === true)) === true) return null;
        return this.#absent(step.selector);
      case "wait-text":
        if ((await this.#until(hasText(step.text), (found) => found === true)) === true) return null;
        return `the page does not say “${step.text}”`;
    }
  }

  #whyRefused(): string | null {
    const { refused } = this.#traffic;
    return refused === null ? null : `the request was not sent: ${refused}`;
  }

  #isError(): boolean {
    return (this.#traffic.status ?? 200) >= 400;
  }

  #absent(selector: string): string {
    return this.#whyRefused() ?? `the page has no ${selector} in sight`;
  }

  /** Runs a script until it says so, or the time of a step is up. Returns what it said last; null for no answer. */
  async #until(script: string, isDone: (found: unknown) => boolean): Promise<unknown> {
    const until = systemClock.now() + this.#stepMs();
    for (;;) {
      const found = await this.#evaluate(script);
      if (isDone(found) || systemClock.now() >= until || this.#traffic.refused !== null) return found;
      await systemClock.sleep(LOG_IN_POLL_MS);
    }
  }

  /** Null where the page leads elsewhere meanwhile. Throws for a selector that the browser refuses. */
  async #evaluate(script: string): Promise<unknown> {
    return within(this.#leftMs(), this.#tab.run(script)).catch((error: unknown) => {
      if (/not a valid selector/.test(String(error))) throw new Error("the browser knows no such selector");
      return null;
    });
  }

  /** Waits until the page asks for nothing and does not change. */
  async #settle(): Promise<void> {
    const until = systemClock.now() + this.#stepMs();
    let isQuiet = false;
    while (!isQuiet && systemClock.now() < until) {
      const restMs = Math.max(1, until - systemClock.now());
      await Promise.race([this.#traffic.silence(restMs), this.#tab.ended]);
      const { answers } = this.#traffic;
      const still = await this.#evaluate(waitForStillness(LOG_IN_QUIET_MS, Math.min(MAX_MOVING_MS, restMs)));
      isQuiet = still === true && this.#traffic.inFlight === 0 && this.#traffic.answers === answers;
    }
  }

  #stepMs(): number {
    return Math.min(STEP_MS, this.#leftMs());
  }

  #leftMs(): number {
    return Math.max(1, this.#endsAt - systemClock.now());
  }

  /** The text without what is secret. */
  #hide(text: string): string {
    const shown = this.#drawing.hidden
      .flatMap((value) => [value, encodeURIComponent(value)])
      .filter((value) => value !== "")
      .reduce((left, value) => left.replaceAll(value, "…"), text.replace(/^Error: /, ""));
    return shown.slice(0, MAX_DETAIL);
  }
}

interface Described {
  href: string;
  title: string;
  asks: AsksPerson | null;
}

function bare(href: string): string {
  return href.split(/[?#]/)[0] ?? "";
}

function fromBrowser({ name, value, domain, path, secure, expires }: TabCookie): BrowserCookie {
  return { name, value, domain, path, secure, expires: expires < 0 ? null : expires };
}

/** A cookie with a domain goes to the hosts below, too, so one of a host alone is set by its URL. */
function toSet({ name, value, domain, path, secure, expires }: BrowserCookie): CookieToSet {
  const host = domain.replace(/^\./, "");
  const url = `${secure ? "https" : "http"}://${host}${path}`;
  return {
    ...{ name, value, path, secure, url },
    ...(domain.startsWith(".") ? { domain } : {}),
    ...(expires === null ? {} : { expires }),
  };
}
