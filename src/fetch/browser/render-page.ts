import { systemClock } from "../../core/clock.ts";
import type {
  Capture,
  CapturedResource,
  FetchGivenBack,
  PageFetched,
  PageHeaders,
  PageRejected,
  Rendering,
} from "../../crawl/page/outcome.ts";
import { hasActions } from "../../crawl/page/page-actions.ts";
import { DRAWN_TYPE } from "../../crawl/page/page-format.ts";
import { reasonToLeave } from "../../crawl/page/reason-to-leave.ts";
import { lessonOf } from "../../crawl/page/render-memory.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { givenBack, reject } from "../answer/answer.ts";
import { readPage } from "../reading/read-page.ts";
import type { PageRequest, RenderOptions } from "../request/page-request.ts";
import type { Deadline } from "../transport/deadline.ts";
import type { FetchEnv } from "../transport/http.ts";
import { captureView } from "./capture-view.ts";
import { within } from "./draw-page.ts";
import { type DrawRequest, PREPARING_MS, type SessionAnswer, WRITING_MS } from "./drawing.ts";
import type { RenderGateway } from "./render-gateway.ts";
import { resourceCache } from "./resource-cache.ts";
import { Resources } from "./resources.ts";

/**
 * Has a browser draw a page whose answer has come, and reads what was drawn in place of the answer. The answer stays
 * what is kept of the page.
 */

/** Time for drawing a page, in milliseconds. */
const DRAWING_MS = 15_000;
/** Time for what is done on a page besides. */
const ACTING_MS = 15_000;
/** Time for the requests of a page that are under way when it is drawn, in milliseconds. */
const LAST_REQUESTS_MS = 5_000;
/** Time that a drawn page takes beside its drawing: an empty page, a picture, the HTML, and the last requests. */
const BESIDE_MS = PREPARING_MS + 2 * WRITING_MS + LAST_REQUESTS_MS;

/** The answer of the server, decoded. */
export interface ShellAnswer {
  httpStatus: number;
  headers: PageHeaders;
  body: Uint8Array;
  /** When the request began. */
  date: number;
}

/** The request for a page that may be drawn. */
type RenderableRequest = PageRequest & { render: RenderOptions };

/**
 * How much longer a lane is held that may draw pages, in milliseconds. It has room for another page's drawing, which
 * holds the browser or starts it, for the page's own, and for what a drawing takes beside. What the page's answer
 * leaves of its timeout is room too. A page that would have to wait for longer is given back.
 */
export function renderLeaseMs({ mode, actions }: Pick<RenderOptions, "mode" | "actions">): number {
  return mode === "never" ? 0 : 2 * drawingMs(actions) + BESIDE_MS;
}

function drawingMs(actions: RenderOptions["actions"]): number {
  return DRAWING_MS + (hasActions(actions) ? ACTING_MS : 0);
}

type RenderEnv = FetchEnv & Pick<Env, "BROWSER_SESSION"> & Partial<Pick<Env, "BROWSER">>;

/**
 * `why`: for people. `elapsed`: since the request for the page, in milliseconds. A page that cannot be drawn is
 * rejected, and may be tried again. It is given back if the browser has no place for it in time: all that is done for
 * it ends within the lane's lease. `ownBytes`: of the bodies that its own host sent for it.
 */
export async function renderPage(
  plain: PageFetched,
  answer: ShellAnswer,
  why: string,
  request: RenderableRequest,
  gateway: RenderGateway,
  env: RenderEnv,
  deadline: Deadline,
  elapsed: () => number,
): Promise<{ page: PageFetched | PageRejected | FetchGivenBack; ownBytes: number }> {
  if (env.BROWSER === undefined) {
    const { httpStatus } = answer;
    const facts = { httpStatus, contentType: plain.contentType, durationMs: elapsed() };
    return { page: reject("render", "this installation has no browser", facts), ownBytes: 0 };
  }
  // Without a lane, a page takes as long as it may in one.
  const mostMs = Math.min(deadline.leaseLeftMs(), request.timeoutMs + renderLeaseMs(request.render));
  const leaseEndsAt = systemClock.now() + mostMs;
  const leaseLeftMs = () => leaseEndsAt - systemClock.now();
  const resources = new Resources(request, gateway, env, { ...request.render, cache: resourceCache }, leaseLeftMs);
  const drawing = await draw(toDraw(request, plain, answer, mostMs), resources, env, leaseLeftMs);
  await resources.end();
  if (drawing.kind === "no-place") return { page: givenBack("browser", answer.httpStatus, deadline), ownBytes: 0 };
  const durationMs = elapsed();
  const { traffic, ownBytes } = resources;
  const { browserMs, billedMs } = drawing;
  const base = { httpStatus: answer.httpStatus, contentType: plain.contentType, durationMs, billedMs };
  if (drawing.kind === "failed")
    return { page: reject(drawing.reason, drawing.detail, { ...base, retryable: drawing.retryable }), ownBytes };
  const { busy = 0 } = traffic.refused;
  if (busy > 0 && request.render.redraws) {
    const detail = `hosts of what it needs were busy: ${busy} of its requests were not sent`;
    return { page: reject("render", detail, { ...base, retryable: true }), ownBytes };
  }
  const body = new TextEncoder().encode(drawing.html);
  const asked = await captureResources(resources, request, gateway);
  const { unkept } = resources.exchanges;
  const noPicture = typeof drawing.view === "string" ? { noPicture: drawing.view } : {};
  const left = { ...(unkept === 0 || request.capture === null ? {} : { unkept }), ...noPicture };
  const { isUnfinished, done } = drawing;
  const doneOn = done === null ? {} : { done };
  const rendering: Rendering = { why, browserMs, ...traffic, ...left, isUnfinished, ...doneOn };
  const { httpStatus, headers, date } = answer;
  const drawn = { body, contentType: DRAWN_TYPE, headers, httpStatus };
  const page = await readPage(drawn, { ...request, drawn: { html: drawing.html, rendering } }, durationMs, date);
  if (page.kind === "rejected") return { page: { ...page, ...base }, ownBytes };
  const ways = drawing.ways.flatMap((way) => canonicalize(way, request.url) ?? []).filter((way) => way !== request.url);
  const { body: sent, bytes, sha256, contentType, encoding } = plain;
  const kept = { body: sent, bytes, sha256, contentType, encoding, durationMs, billedMs, rendering };
  const view =
    typeof drawing.view === "object" ? [captureView(request.url, drawing.view, date, request.render.crawl)] : [];
  const capture = reasonToLeave(page) === null ? toCapture([...asked, ...view]) : null;
  // Without what it needs, it shows nothing of what a browser brings.
  const lesson = busy > 0 ? null : lessonOf(plain, page);
  const taught = lesson === null ? {} : { lesson };
  // A page that asks not to follow its links has none that count, wherever its scripts lead.
  const mayFollow = page.links.length > 0 || page.nofollow.count === 0;
  const links = mayFollow ? [...new Set([...page.links, ...ways])] : page.links;
  return { page: { ...page, ...kept, ...taught, capture, links }, ownBytes };
}

/** The records of the page's requests, if the crawl keeps an archive. */
async function captureResources(
  { exchanges }: Resources,
  { url, capture }: RenderableRequest,
  gateway: RenderGateway,
): Promise<CapturedResource[]> {
  return capture === null ? [] : exchanges.toRecords((names) => gateway.unarchived(names), url, capture);
}

function toCapture(resources: CapturedResource[]): Capture | null {
  return resources.length === 0 ? null : { answer: null, content: null, links: null, resources };
}

/** `leaseMs`: what the lease leaves. Whatever the page waits for, it can be drawn afterwards. */
function toDraw(
  request: RenderableRequest,
  { contentType }: PageFetched,
  answer: ShellAnswer,
  leaseMs: number,
): DrawRequest {
  const { url, userAgent, render } = request;
  const { actions, screenshot } = render;
  const headers: PageHeaders = [["content-type", contentType], ...keptBy(answer.headers)];
  const timeoutMs = Math.min(drawingMs(actions), leaseMs - BESIDE_MS);
  return {
    url,
    userAgent,
    answer: { status: answer.httpStatus, headers, body: answer.body },
    patienceMs: leaseMs - BESIDE_MS - timeoutMs,
    timeoutMs,
    actions,
    screenshot,
  };
}

/** The browser needs no more of the head: the body is decoded, and the context has no cookies. */
function keptBy(headers: PageHeaders): PageHeaders {
  return headers.filter(([name]) => name === "content-language" || name === "last-modified");
}

/** A session that breaks or does not answer in time has failed the page. */
async function draw(
  request: DrawRequest,
  resources: Resources,
  env: RenderEnv,
  leaseLeftMs: () => number,
): Promise<SessionAnswer> {
  if (request.timeoutMs <= 0) return { kind: "no-place" };
  const session = env.BROWSER_SESSION.get(env.BROWSER_SESSION.idFromName("0")) as unknown as {
    draw(asked: DrawRequest, answer: Resources["answer"]): Promise<SessionAnswer>;
  };
  try {
    return await within(leaseLeftMs() - LAST_REQUESTS_MS, session.draw(request, resources.answer));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return {
      kind: "failed",
      reason: "render",
      detail: `the browser session broke: ${detail}`.slice(0, 300),
      isOurs: true,
      retryable: true,
      browserMs: 0,
      billedMs: 0,
    };
  }
}
