import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../core/clock.ts";
import { drawPage, preparePage, within } from "./draw-page.ts";
import type { AnswerResource, DrawRequest, SessionAnswer } from "./drawing.ts";
import { type LaunchedBrowser, launchBrowser } from "./launch-browser.ts";
import type { AnswerLogIn, LogInAnswer, LogInDrawing } from "./log-in/log-in-drawing.ts";
import { logInOnPage } from "./log-in/log-in-page.ts";
import { Places } from "./places.ts";
import { Suspects } from "./suspects.ts";
import type { Tab } from "./tab.ts";

/** A browser session: a Durable Object that launches one browser, draws pages in it, and closes it when it is idle. */

/** Pages that one browser draws at the same time. */
const PAGES_AT_ONCE = 3;
/** Time to start a browser, in milliseconds. */
const LAUNCHING_MS = 30_000;
/** So often it is tried for a log-in, which is not tried again by itself as a page is. */
const LOG_IN_LAUNCHES = 3;
/** How long a browser waits for another page, in milliseconds. A minute of it costs as much as 100 pages to store. */
const SESSION_IDLE_MS = 10_000;

type Launched =
  | { kind: "launched"; browser: LaunchedBrowser }
  | { kind: "no-place" }
  | { kind: "failed"; detail: string };

const BROWSER_FAILED = { kind: "failed", reason: "render", isOurs: true, retryable: true } as const;

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}

export class BrowserSession extends DurableObject<Env> {
  readonly #places = new Places(PAGES_AT_ONCE);
  readonly #suspects = new Suspects(this.#places, PAGES_AT_ONCE);
  #browser: Promise<LaunchedBrowser> | null = null;
  /** For the next page. */
  #spare: Promise<Tab> | null = null;
  /** When the last page was drawn. */
  #usedAt = 0;
  /** Until when the browser's time has been billed. */
  #billedTo = 0;

  /**
   * Draws a page, unless it gets no place in a browser in time. Never throws: a browser that fails is named in the
   * answer, and launched again for the next page.
   */
  async draw(request: DrawRequest, answer: AnswerResource): Promise<SessionAnswer> {
    const until = systemClock.now() + request.patienceMs;
    const release = await this.#suspects.takePlace(request.url, request.patienceMs);
    if (release === null) return { kind: "no-place" };
    try {
      return await this.#drawInPlace(request, answer, until);
    } finally {
      release();
    }
  }

  /** Logs in, unless it gets no place in a browser in time. Never throws. */
  async logIn(drawing: LogInDrawing, answer: AnswerLogIn): Promise<LogInAnswer> {
    const until = systemClock.now() + drawing.patienceMs;
    const release = await this.#suspects.takePlace("log-in:", drawing.patienceMs);
    if (release === null) return { kind: "no-place" };
    try {
      const launched = await this.#launchedBy(until, LOG_IN_LAUNCHES);
      if (launched.kind === "no-place") return launched;
      if (launched.kind === "failed") return { ...launched, billedMs: 0 };
      const { browser } = launched;
      const done = await logInOnPage(browser, preparePage(browser), drawing, answer).catch((error: unknown) => ({
        kind: "failed" as const,
        detail: describe(error),
      }));
      return { ...done, billedMs: this.#bill() };
    } finally {
      release();
    }
  }

  /** The browser, if it has started by then. One that fails to, as on a busy machine, is tried again. */
  async #launchedBy(until: number, launches = 1): Promise<Launched> {
    let isLaunching = true;
    const launching = this.#launched().finally(() => {
      isLaunching = false;
    });
    try {
      return { kind: "launched", browser: await within(until - systemClock.now(), launching) };
    } catch (error) {
      // It starts for the next page.
      if (isLaunching) return { kind: "no-place" };
      if (launches > 1) return this.#launchedBy(until, launches - 1);
      return { kind: "failed", detail: `no browser could be started: ${describe(error)}`.slice(0, 300) };
    }
  }

  /** `until`: when the browser must have started. */
  async #drawInPlace(request: DrawRequest, answer: AnswerResource, until: number): Promise<SessionAnswer> {
    const launched = await this.#launchedBy(until);
    if (launched.kind === "no-place") return launched;
    if (launched.kind === "failed") return { ...BROWSER_FAILED, detail: launched.detail, browserMs: 0, billedMs: 0 };
    const { browser } = launched;
    const preparing = this.#spare ?? preparePage(browser);
    const spare = preparePage(browser);
    // Whoever takes it learns of its failure.
    spare.catch(() => undefined);
    this.#spare = spare;
    const drawing = this.#suspects.judge(request.url, await drawPage(browser, preparing, request, answer), browser);
    if (drawing.kind === "failed" && drawing.isOurs) await this.#close();
    return { ...drawing, billedMs: this.#bill() };
  }

  /** The time that the browser has been open since its last bill, in milliseconds. */
  #bill(): number {
    const now = systemClock.now();
    const billedMs = now - this.#billedTo;
    this.#usedAt = now;
    this.#billedTo = now;
    return billedMs;
  }

  /** Closes the browser if it is idle, and looks again later if it is not. */
  override async alarm(): Promise<void> {
    if (this.#browser === null) return;
    const isIdle = this.#places.taken === 0 && systemClock.now() - this.#usedAt >= SESSION_IDLE_MS;
    if (isIdle) await this.#close();
    else await this.#lookLater();
  }

  #launched(): Promise<LaunchedBrowser> {
    this.#browser ??= this.#launch().catch((error: unknown) => {
      this.#browser = null;
      throw error;
    });
    return this.#browser;
  }

  async #launch(): Promise<LaunchedBrowser> {
    if (this.env.BROWSER === undefined) throw new Error("this installation has none");
    this.#billedTo = systemClock.now();
    const launching = launchBrowser(this.env.BROWSER);
    const browser = await within(LAUNCHING_MS, launching).catch((error: unknown) => {
      // One that starts after all belongs to nobody. One that failed has nothing to close.
      void launching.then((late) => late.close()).catch(() => undefined);
      throw error;
    });
    const launched = this.#browser;
    void browser.ended.then(() => {
      if (this.#browser !== launched) return;
      this.#browser = null;
      this.#spare = null;
      this.#suspects.suspectAll();
      // Its process may have outlived the connection.
      void browser.close();
    });
    this.#usedAt = systemClock.now();
    await this.#lookLater();
    return browser;
  }

  async #close(): Promise<void> {
    const launched = this.#browser;
    this.#browser = null;
    this.#spare = null;
    // A browser that is gone already has nothing to close.
    await launched?.then((browser) => browser.close()).catch(() => undefined);
  }

  /** An alarm counts real time. */
  async #lookLater(): Promise<void> {
    await this.ctx.storage.setAlarm(systemClock.now() + SESSION_IDLE_MS);
  }
}
