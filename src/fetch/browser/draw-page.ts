import { systemClock } from "../../core/clock.ts";
import { inTime } from "../../core/in-time.ts";
import { DEFAULT_ACTIONS, hasActions } from "../../crawl/page/page-actions.ts";
import { type Acted, actOnPage } from "./act-on-page.ts";
import { SERIALIZE_ACTED } from "./action-scripts.ts";
import { type AnswerResource, type Drawing, type DrawRequest, PREPARING_MS, WRITING_MS } from "./drawing.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import { MAX_DRAWN_HTML, SERIALIZE, type Written, waitForStillness } from "./page-scripts.ts";
import { PageTraffic } from "./page-traffic.ts";
import { type Tab, TooComplex } from "./tab.ts";
import { takePicture } from "./take-picture.ts";

/**
 * Draws one page in a context of its own, which shares nothing with other pages. The browser has no network: each
 * request of the page is answered by the caller, or refused.
 */

/** A page is drawn when for so long no request is in flight and nothing changes, in milliseconds. */
const QUIET_MS = 100;
/**
 * A browser that takes long to take an answer takes long to hand it to the page, and to tell of the page's next
 * request: it is waited for so many times as long as the slowest took, for this long at most.
 */
const SLOWNESS = 5;
const MAX_QUIET_MS = 1_000;
/** A page may change for so long while it asks for nothing, in milliseconds. */
const MAX_MOVING_MS = 2_000;
/** Time for the browser itself to say that it is there, in milliseconds. */
const ALIVE_MS = 2_000;
const MAX_DETAIL = 300;

/** Takes some ten calls of the browser, so that the page after this one is prepared while this one is drawn. */
export async function preparePage(browser: LaunchedBrowser): Promise<Tab> {
  return within(PREPARING_MS, browser.openTab());
}

/**
 * Draws a page, and closes its context. Takes `timeoutMs` at most, and beside it PREPARING_MS before and twice
 * WRITING_MS after, and ALIVE_MS if it does not answer. Never throws.
 */
export async function drawPage(
  browser: LaunchedBrowser,
  preparing: Promise<Tab>,
  request: DrawRequest,
  answer: AnswerResource,
): Promise<Drawing> {
  const startedAt = systemClock.now();
  let tab: Tab | undefined;
  try {
    tab = await within(PREPARING_MS, preparing);
    const drawn = await drawIn(tab, request, answer, systemClock.now() + request.timeoutMs);
    return { ...drawn, browserMs: systemClock.now() - startedAt };
  } catch (error) {
    const failed = await explainFailure(error, tab, browser);
    return { kind: "failed", ...failed, browserMs: systemClock.now() - startedAt };
  } finally {
    if (tab !== undefined) void browser.closeTab(tab);
  }
}

type Failed = Omit<Extract<Drawing, { kind: "failed" }>, "kind" | "browserMs">;

async function explainFailure(error: unknown, tab: Tab | undefined, browser: LaunchedBrowser): Promise<Failed> {
  const isTooComplex = error instanceof TooComplex;
  if (isTooComplex && tab !== undefined)
    return { reason: "too-complex", detail: error.message, isOurs: false, retryable: error.mayPass };
  if (tab !== undefined && browser.isOpen && error instanceof NoAnswer) {
    if (await within(ALIVE_MS, browser.answers()).catch(() => false)) {
      const detail = "its scripts do not come to an end: the browser answers, and the page does not";
      return { reason: "too-complex", detail, isOurs: false, retryable: true };
    }
    // One of its pages holds up the browser, and nobody knows which: all of them are drawn alone the next time.
    await browser.close();
  }
  // A browser that does not make a page has failed, whether it is still connected or not. An empty page that was ended
  // is another page's fault.
  const isOurs = (tab === undefined && !isTooComplex) || !browser.isOpen;
  return { reason: "render", detail: problemOf(error), isOurs, retryable: true };
}

type Drawn = Omit<Extract<Drawing, { kind: "drawn" }>, "browserMs">;

async function drawIn(tab: Tab, request: DrawRequest, answer: AnswerResource, endsAt: number): Promise<Drawn> {
  const leftMs = () => Math.max(1, endsAt - systemClock.now());
  const { viewport } = request.actions;
  const usual = DEFAULT_ACTIONS.viewport;
  const isUsual = viewport.width === usual.width && viewport.height === usual.height;
  const traffic = new PageTraffic(request, answer);
  tab.listener = traffic;
  await within(leftMs(), Promise.all([tab.setUserAgent(request.userAgent), isUsual ? null : tab.resize(viewport)]));
  const hasLoaded = await within(leftMs(), tab.navigate(request.url)).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      // A document whose scripts wait for answers until the end is still a document. The empty one before it is not.
      if (tab.hasDocument) return false;
      throw new Error("its time was over, and the browser had not begun to show it");
    },
  );
  /** Resolves with whether the page is quiet, after `maxMs` at the latest. */
  const settle = async (maxMs = leftMs()): Promise<boolean> => {
    const until = Math.min(endsAt, systemClock.now() + maxMs);
    let isQuiet = false;
    while (!isQuiet && systemClock.now() < until) {
      const restMs = () => Math.max(1, until - systemClock.now());
      await Promise.race([traffic.silence(restMs()), tab.ended]);
      const { answers } = traffic;
      // A page that only moves, as a clock or a carousel does, is drawn.
      const quietMs = Math.min(Math.max(QUIET_MS, SLOWNESS * traffic.slowestMs), MAX_QUIET_MS);
      const stillness = tab.run(waitForStillness(quietMs, Math.min(MAX_MOVING_MS, restMs())));
      const hasWaited = within(restMs(), stillness).then(
        () => true,
        () => false,
      );
      isQuiet = (await Promise.race([hasWaited, tab.ended])) && traffic.inFlight === 0 && traffic.answers === answers;
    }
    return isQuiet;
  };
  let isDrawn = false;
  let acted: Acted | null = null;
  if (hasLoaded && hasActions(request.actions)) {
    const run = async (script: string) => within(leftMs(), tab.run(script));
    acted = await actOnPage({ run, settle, leftMs, navigations: () => traffic.navigations }, request.actions);
    ({ isDrawn } = acted);
  } else if (hasLoaded) isDrawn = await settle();
  // An answer that it still waits for would be missing in the picture.
  const view = request.screenshot ? await within(WRITING_MS, takePicture(tab, viewport)).catch(problemOf) : undefined;
  traffic.end();
  const drawn = (await within(WRITING_MS, tab.run(acted === null ? SERIALIZE : SERIALIZE_ACTED))) as WrittenPage;
  const { html, seen = [], isTooLarge } = drawn;
  if (isTooLarge) throw new TooComplex(`drawn, it has more than ${MAX_DRAWN_HTML.toLocaleString("en")} characters`);
  // One that is too long is none to visit.
  const href = drawn.href || request.url;
  return {
    kind: "drawn",
    html: withBase(html, request.url, href, drawn.base || href),
    ways: [...new Set([...traffic.waysWith(href), ...(acted?.ways ?? []), ...seen])],
    isUnfinished: !isDrawn,
    done: acted?.done ?? null,
    ...(view === undefined ? {} : { view }),
  };
}

/** `seen`: links that the page has lost again. */
type WrittenPage = Written & { seen?: string[] };

/** Relative links count from the address that the page shows, which its scripts may have changed. */
function withBase(html: string, url: string, href: string, base: string): string {
  if (href === url || base !== href) return html;
  return html.replace(
    /<head[^<>]*>/i,
    (head) => `${head}<base href="${href.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">`,
  );
}

function problemOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_DETAIL);
}

class NoAnswer extends Error {}

/** Rejects after `ms` of real time. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return inTime(work, ms, () => new NoAnswer("the browser did not answer in time"));
}
