import { DurableObject } from "cloudflare:workers";
import type { Browser } from "@cloudflare/puppeteer";
import pLimit from "p-limit"; // the usual limit on running promises; small, no platform
import { systemClock } from "../../core/clock.ts";
import { drawPage, type PreparedPage, preparePage } from "./draw-page.ts";
import type { AnswerResource, BilledDrawing, DrawRequest } from "./drawing.ts";

/** A browser session: a Durable Object that launches one browser, draws pages in it, and closes it when it is idle. */

/** Pages that one browser draws at the same time. */
const PAGES_AT_ONCE = 3;
/** How long a browser waits for another page, in milliseconds. A minute of it costs as much as 100 pages to store. */
const IDLE_MS = 10_000;

export class BrowserSession extends DurableObject<Env> {
  readonly #inPlace = pLimit(PAGES_AT_ONCE);
  #browser: Promise<Browser> | null = null;
  /** For the next page. */
  #spare: Promise<PreparedPage> | null = null;
  /** When the last page was drawn. */
  #usedAt = 0;
  /** Until when the browser's time has been billed. */
  #billedTo = 0;

  /** Draws a page. Never throws: a browser that fails is named in the answer, and launched again for the next page. */
  async draw(request: DrawRequest, answer: AnswerResource): Promise<BilledDrawing> {
    return this.#inPlace(async () => {
      let browser: Browser;
      try {
        browser = await this.#launched();
      } catch (error) {
        const detail = `no browser could be started: ${error instanceof Error ? error.message : String(error)}`;
        return { kind: "failed", detail: detail.slice(0, 300), isOurs: true, browserMs: 0, billedMs: 0 };
      }
      const preparing = this.#spare ?? preparePage(browser);
      const spare = preparePage(browser);
      // Whoever takes it learns of its failure.
      spare.catch(() => undefined);
      this.#spare = spare;
      const drawing = await drawPage(preparing, request, answer);
      if (drawing.kind === "failed" && drawing.isOurs) await this.#close();
      const now = systemClock.now();
      const billedMs = now - this.#billedTo;
      this.#usedAt = now;
      this.#billedTo = now;
      return { ...drawing, billedMs };
    });
  }

  /** Closes the browser if it is idle, and looks again later if it is not. */
  override async alarm(): Promise<void> {
    if (this.#browser === null) return;
    const isIdle = this.#inPlace.activeCount === 0 && systemClock.now() - this.#usedAt >= IDLE_MS;
    if (isIdle) await this.#close();
    else await this.#lookLater();
  }

  #launched(): Promise<Browser> {
    this.#browser ??= this.#launch().catch((error: unknown) => {
      this.#browser = null;
      throw error;
    });
    return this.#browser;
  }

  async #launch(): Promise<Browser> {
    if (this.env.BROWSER === undefined) throw new Error("this installation has none");
    this.#billedTo = systemClock.now();
    // Loaded here: a crawl without rendered pages does not pay for it.
    const { default: puppeteer } = await import("@cloudflare/puppeteer");
    // Cloudflare lets such a browser reach no host at all. This machine's browser has flags for that.
    const browser = await puppeteer.launch(this.env.BROWSER, { guardrails: { allowedDomains: [] } });
    const launched = this.#browser;
    browser.once("disconnected", () => {
      if (this.#browser !== launched) return;
      this.#browser = null;
      this.#spare = null;
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
    await this.ctx.storage.setAlarm(systemClock.now() + IDLE_MS);
  }
}
