// The one library that speaks to Cloudflare's browser binding; playwright's is six times as large.
import type { Browser, BrowserContext, CDPSession, HTTPRequest, Page } from "@cloudflare/puppeteer";
import { systemClock } from "../../core/clock.ts";
import { DEFAULT_ACTIONS, hasActions, type Viewport } from "../../crawl/page-actions.ts";
import { type Acted, actOnPage } from "./act-on-page.ts";
import { SERIALIZE_ACTED } from "./action-scripts.ts";
import {
  type AnswerResource,
  type AskedResource,
  type Drawing,
  type DrawRequest,
  NEEDED_KINDS,
  PREPARING_MS,
  WRITING_MS,
} from "./drawing.ts";
import { GUARD, SERIALIZE, waitForStillness } from "./page-scripts.ts";
import { takePicture } from "./take-picture.ts";

/**
 * Draws one page in a context of its own, which shares nothing with other pages. The browser has no network: each
 * request of the page is answered by the caller, or refused.
 */

/** A page is drawn when for so long no request is in flight and nothing changes, in milliseconds. */
const QUIET_MS = 100;
/** Larger pages are not read: a page is parsed in an isolate of 128 MB. In characters. */
const MAX_HTML = 10 * 1024 * 1024;
const MAX_WAYS = 100;
/** A page may change for so long while it asks for nothing, in milliseconds. */
const MAX_MOVING_MS = 2_000;
const MAX_DETAIL = 300;

const NEEDED = new Set<string>(NEEDED_KINDS);

/** An empty page in a context of its own, with everything off that a page is not to have. */
export interface PreparedPage {
  context: BrowserContext;
  page: Page;
}

/** Takes some ten calls of the browser, so that the page after this one is prepared while this one is drawn. */
export async function preparePage(browser: Browser): Promise<PreparedPage> {
  const context = await within(PREPARING_MS, browser.createBrowserContext());
  const page = await within(PREPARING_MS, context.newPage());
  page.on("dialog", (dialog) => void dialog.dismiss().catch(() => undefined));
  page.on("popup", (popup) => void popup?.close().catch(() => undefined));
  const steps = [
    page.setRequestInterception(true),
    page.evaluateOnNewDocument(GUARD),
    page.setBypassServiceWorker(true),
    page.setViewport(DEFAULT_ACTIONS.viewport),
    denyDownloads(page),
  ];
  await within(PREPARING_MS, Promise.all(steps));
  return { context, page };
}

/**
 * Draws a page, and closes its context. Takes `timeoutMs` at most, and beside it PREPARING_MS before and twice
 * WRITING_MS after. Never throws.
 */
export async function drawPage(
  preparing: Promise<PreparedPage>,
  request: DrawRequest,
  answer: AnswerResource,
): Promise<Drawing> {
  const startedAt = systemClock.now();
  const browserMs = () => systemClock.now() - startedAt;
  let prepared: PreparedPage | undefined;
  try {
    prepared = await within(PREPARING_MS, preparing);
    const drawn = await drawIn(prepared.page, request, answer, systemClock.now() + request.timeoutMs);
    return { ...drawn, browserMs: browserMs() };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    // A browser that does not make a page has failed, whether it is still connected or not.
    const isOurs = prepared === undefined || !prepared.context.browser().connected;
    return { kind: "failed", detail: detail.slice(0, MAX_DETAIL), isOurs, browserMs: browserMs() };
  } finally {
    // A context that does not close ends with its browser.
    void prepared?.context.close().catch(() => undefined);
  }
}

type Drawn =
  | Omit<Extract<Drawing, { kind: "drawn" }>, "browserMs">
  | Omit<Extract<Drawing, { kind: "failed" }>, "browserMs">;

async function drawIn(page: Page, request: DrawRequest, answer: AnswerResource, endsAt: number): Promise<Drawn> {
  const leftMs = () => Math.max(1, endsAt - systemClock.now());
  const crashed = new Promise<never>((_, reject) => {
    page.once("error", () => reject(new Error("the page crashed its tab")));
  });
  crashed.catch(() => undefined);
  const traffic = watchTraffic(page, request, answer);
  await within(leftMs(), Promise.all([page.setUserAgent(request.userAgent), resize(page, request.actions.viewport)]));
  const navigation = page
    .goto(request.url, { waitUntil: "domcontentloaded", timeout: leftMs() })
    .then(() => true)
    .catch((error: unknown) => {
      // A document whose scripts wait for answers until the end is still a document.
      if (systemClock.now() >= endsAt - 1) return false;
      throw error;
    });
  const hasLoaded = await Promise.race([navigation, crashed]);
  const world = worldOf(page);
  /** Resolves with whether the page is quiet, after `maxMs` at the latest. */
  const settle = async (maxMs = leftMs()): Promise<boolean> => {
    const until = Math.min(endsAt, systemClock.now() + maxMs);
    let isQuiet = false;
    while (!isQuiet && systemClock.now() < until) {
      const restMs = () => Math.max(1, until - systemClock.now());
      await Promise.race([traffic.silence(restMs()), crashed]);
      const answers = traffic.answers;
      // A page that only moves, as a clock or a carousel does, is drawn.
      const stillness = world.evaluate(waitForStillness(QUIET_MS, Math.min(MAX_MOVING_MS, restMs())));
      const hasWaited = await Promise.race([
        within(
          restMs(),
          stillness.then(() => true),
        ).catch(() => false),
        crashed,
      ]);
      isQuiet = hasWaited && traffic.inFlight === 0 && traffic.answers === answers;
    }
    return isQuiet;
  };
  let isDrawn = false;
  let acted: Acted | null = null;
  if (hasLoaded && hasActions(request.actions)) {
    const run = (script: string) => Promise.race([within(leftMs(), world.evaluate(script)), crashed]);
    acted = await actOnPage({ run, settle, leftMs, navigations: () => traffic.navigations }, request.actions);
    ({ isDrawn } = acted);
  } else if (hasLoaded) isDrawn = await settle();
  // An answer that it still waits for would be missing in the picture.
  const { viewport } = request.actions;
  const view = request.screenshot
    ? await within(WRITING_MS, takePicture(page, world, viewport)).catch(problemOf)
    : undefined;
  traffic.end();
  const written = within(WRITING_MS, world.evaluate(acted === null ? SERIALIZE : SERIALIZE_ACTED));
  const drawn = (await Promise.race([written, crashed])) as Written;
  const { html, href, base, seen = [] } = drawn;
  if (html.length > MAX_HTML)
    return {
      kind: "failed",
      detail: `the drawn page has more than ${MAX_HTML.toLocaleString("en")} characters`,
      isOurs: false,
    };
  return {
    kind: "drawn",
    html: withBase(html, request.url, href, base),
    ways: [...new Set([...traffic.waysWith(href), ...(acted?.ways ?? []), ...seen])],
    isUnfinished: !isDrawn,
    done: acted?.done ?? null,
    ...(view === undefined ? {} : { view }),
  };
}

/** A page as HTML, its address, the address from which its links count, and links that it has lost again. */
interface Written extends Record<"html" | "href" | "base", string> {
  seen?: string[];
}

/** A prepared page has the usual size. */
async function resize(page: Page, { width, height }: Viewport): Promise<void> {
  const usual = DEFAULT_ACTIONS.viewport;
  if (width !== usual.width || height !== usual.height) await page.setViewport({ width, height });
}

/** The page's requests: how many wait for an answer, how many got one, and the URLs to which scripts wanted to lead. */
function watchTraffic(page: Page, { url, answer: first }: DrawRequest, answer: AnswerResource) {
  const ways = new Set<string>();
  let isFirst = true;
  let isOver = false;
  let inFlight = 0;
  let answers = 0;
  let navigations = 0;
  let wake: (() => void) | undefined;
  const handle = async (request: HTTPRequest): Promise<void> => {
    if (isOver) return request.abort("aborted");
    const isNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (isNavigation && isFirst) {
      isFirst = false;
      return respond(request, first);
    }
    // The page stays: where a script leads is a link of it.
    if (isNavigation) {
      navigations += 1;
      // A form that sends POST has no address to visit.
      if (ways.size < MAX_WAYS && request.method() === "GET") ways.add(request.url());
      return request.abort("aborted");
    }
    const asked = toAsked(request);
    if (asked.url.startsWith("data:") || asked.url.startsWith("blob:")) return request.continue();
    if (asked.method === "OPTIONS") return respond(request, allowPreflight(asked));
    const found = await answer(asked);
    if ("refused" in found) return request.abort("blockedbyclient");
    return respond(request, found);
  };
  page.on("request", (request) => {
    inFlight += 1;
    void handle(request)
      // A request of a frame that is gone has nobody to answer. What fails before an answer must not hang.
      .catch(() => request.abort("failed").catch(() => undefined))
      .finally(() => {
        inFlight -= 1;
        answers += 1;
        if (inFlight === 0) wake?.();
      });
  });
  return {
    get inFlight() {
      return inFlight;
    },
    get answers() {
      return answers;
    },
    /** Number of times that the page wanted to lead elsewhere. */
    get navigations() {
      return navigations;
    },
    /** Resolves when no request is in flight, or after `maxMs`. */
    silence: async (maxMs: number) => {
      if (inFlight === 0) return;
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), systemClock.sleep(maxMs)]);
    },
    end: () => {
      isOver = true;
    },
    waysWith: (href: string) => [...ways, ...(href === url ? [] : [href])],
  };
}

function toAsked(request: HTTPRequest): AskedResource {
  return { url: request.url(), method: request.method(), kind: request.resourceType(), headers: request.headers() };
}

/** Whether a page needs such requests for its text. */
export function isNeeded({ kind }: Pick<AskedResource, "kind">): boolean {
  return NEEDED.has(kind);
}

/**
 * Only GET is sent, so a preflight asks the server nothing that matters: the answer to the GET says who may read it.
 */
function allowPreflight({ headers }: AskedResource): DrawRequest["answer"] {
  return {
    status: 204,
    headers: [
      ["access-control-allow-origin", headers.origin ?? "*"],
      ["access-control-allow-credentials", "true"],
      ["access-control-allow-methods", "GET, HEAD"],
      ["access-control-allow-headers", headers["access-control-request-headers"] ?? ""],
    ],
    body: new Uint8Array(0),
  };
}

async function respond(request: HTTPRequest, { status, headers, body }: DrawRequest["answer"]): Promise<void> {
  const byName = Map.groupBy(headers, ([name]) => name);
  const named = Object.fromEntries([...byName].map(([name, all]) => [name, all.map(([, value]) => value)]));
  await request.respond({ status, headers: named, body });
}

async function denyDownloads(page: Page): Promise<void> {
  const session: CDPSession = await page.createCDPSession();
  await session.send("Page.setDownloadBehavior", { behavior: "deny" });
}

/** A world whose built-in objects the page cannot change. The library has it, and does not list it among its types. */
function worldOf(page: Page): Pick<Page, "evaluate"> {
  return (page.mainFrame() as unknown as { isolatedRealm(): Pick<Page, "evaluate"> }).isolatedRealm();
}

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

/** Rejects after `ms` of real time. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the browser did not answer in time")), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
