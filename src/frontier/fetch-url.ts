import type {
  DocumentFetched,
  FetchGivenBack,
  FetchResult,
  PageFetched,
  PageResult,
  SitemapResult,
} from "../crawl/outcome.ts";
import { isDescribed } from "../crawl/url-kind.ts";
import type { Usage } from "../crawl/usage.ts";
import { SENT_PLAINLY, type Sending } from "../fetch/answer.ts";
import type { MediaProgress, MediaResult } from "../fetch/media-fetcher.ts";
import type { PageWants, VersionRequest } from "../fetch/page-request.ts";
import { OBJECT_MEMORY_GB } from "../host/metered-gate.ts";
import { originOf } from "../url/host-key.ts";
import type { Lane } from "./admit.ts";
import { type Attempt, fetchedAttempt, reasonToLeave, sitemapAttempt, timed } from "./attempt.ts";
import type { Batch } from "./batch.ts";
import { asPage } from "./fetch-once.ts";
import { findSibling, mayAsk } from "./find-sibling.ts";
import type { LaneCookies } from "./lane-cookies.ts";
import { type Answer, type LaneDriver, surviving } from "./lane-driver.ts";
import type { LaneMemory } from "./lane-memory.ts";
import { PageGateway } from "./page-gateway.ts";
import {
  captureOf,
  isLastAttempt,
  mediaRequestOf,
  pageRequestOf,
  requestOf,
  secretsOf,
  unlessTenth,
  wantsOf,
  wantsOfMarkdown,
  wantsOfUnlisted,
  wasDropped,
} from "./request-of-work.ts";
import { type MissingAnswer, rejectSoft404, toMissingAnswer } from "./soft-404.ts";
import { markdownUrlOf, withMarkdown } from "./take-markdown.ts";
import { type PageWork, type SitemapWork, type Work, workAt } from "./work.ts";

/** Fetches the URLs of a lane, with all that a URL may need of its host, and makes their attempts. */

/** The attempt of a fetch, and the page to store, if any. */
export interface Fetched {
  attempt: Attempt;
  page: PageFetched | null;
}

/** There is no attempt yet: a document that waits for the reader Worker, or a fetch that is given back. */
export interface Unsettled {
  result: DocumentFetched | FetchGivenBack;
}

/** A lane whose URLs are fetched. */
export interface RunningLane {
  lane: Lane;
  driver: LaneDriver;
  cookies: LaneCookies;
  batch: Batch;
  /** The questions how an origin answers for a page that does not exist, while they are under way. */
  askings: Map<string, Promise<void>>;
}

/** Null if the lane was over before. `isFirst`: the URL had all the time of the lane. */
export async function fetchUrl(
  work: Work,
  memory: LaneMemory,
  isFirst: boolean,
  running: RunningLane,
): Promise<Fetched | Unsettled | null> {
  if (work.kind === "sitemap") return fetchSitemap(work, running);
  // Before this option, an asset may have had any level.
  if (work.context.crawl.options.media && isDescribed(work.row)) return fetchMedia(work, isFirst, running);
  const fetched = await fetchPage(work, memory, running);
  if (fetched === null) return null;
  const { result, now } = fetched;
  running.cookies.receive(work, result);
  if (result.kind === "document" || result.kind === "given-back") return { result };
  memory.renders.learn(work, result);
  if (result.kind !== "page" || reasonToLeave(result) !== null) return settled(work, result, now);
  const page = await addMarkdown(work, result, now, running);
  if (page.looksMissing !== true) return settled(work, page, now);
  const missing = await findMissingAnswer(work, running);
  if (missing === null) return null;
  return settled(work, (missing === "unclear" ? null : rejectSoft404(work.row.url, page, missing)) ?? page, now);
}

/** Asks for another page of the host, to compare it with one of the lane. Null if it may not be asked. */
export async function probe(
  url: string,
  work: PageWork,
  version: VersionRequest,
  running: RunningLane,
): Promise<PageResult | null> {
  const { deps } = running.batch;
  if (deps.invocations.left === 0 || !(await mayAsk(url, work, deps))) return null;
  const answer = await askUnlisted(url, work, { ...wantsOfUnlisted(work), version }, running);
  return answer?.result ?? null;
}

async function fetchSitemap(work: SitemapWork, running: RunningLane): Promise<Fetched | Unsettled | null> {
  const { row, context } = work;
  const { reading, url } = row;
  // The archive has the first reading alone.
  const capture = reading === null ? captureOf(work, null, "M") : null;
  const validators = reading === null ? null : unlessTenth(reading);
  const wants = { capture, validators, keepBroken: isLastAttempt(work) };
  const secrets = secretsOf(url, context, null);
  const fetched = await sendExplained(work, running, (sending) =>
    running.batch.deps.fetchSitemap({ ...requestOf(url, context, sending), ...wants }, secrets),
  );
  if (fetched === null) return null;
  const { result, now } = fetched;
  if (result.kind === "given-back") return { result };
  return { attempt: timed(sitemapAttempt(work, result, now), result), page: null };
}

const LANE_ENDED = "its host answers too slowly for more of it to be read";

/**
 * Describes a media file, which itself is not stored: asks for one range after the other, each at the host's pace. What
 * the ranges have brought stands in the memory of the batch, so a kill costs the ranges of this file alone. A file that
 * had all the time of its lane stands as far as it came, or it never would; another one begins again in another lane.
 */
async function fetchMedia(work: PageWork, isFirst: boolean, running: RunningLane): Promise<Fetched | null> {
  const { driver, cookies, batch } = running;
  const { fetchMedia: fetchRange, clock } = batch.deps;
  const secrets = cookies.secretsFor(work);
  let known: MediaProgress | null = null;
  const ask = (stopped: string | null) => (sending: Sending) =>
    fetchRange(mediaRequestOf(work, known, stopped, sending), secrets);
  let fetched = await driver.ask<MediaResult>(ask(null));
  while (fetched?.result.kind === "range") {
    known = fetched.result.progress;
    fetched = await driver.ask<MediaResult>(ask(null));
  }
  if (fetched === null && known !== null && isFirst && !driver.hasFailed)
    fetched = { result: await surviving(() => ask(LANE_ENDED)(SENT_PLAINLY)), now: clock.now() };
  if (fetched === null || fetched.result.kind === "range") return null;
  cookies.receive(work, fetched.result);
  return { ...settled(work, fetched.result, fetched.now), page: null };
}

async function fetchPage(
  work: PageWork,
  memory: LaneMemory,
  running: RunningLane,
): Promise<Answer<FetchResult> | null> {
  const { lane, driver, cookies, batch } = running;
  const { deps } = batch;
  const fetched = await sendExplained(work, running, async (sending) => {
    const wants = wantsOf(work, memory.knownOf(work));
    const request = pageRequestOf(work.row.url, work.context, wants, sending);
    if (wants.render === null) return deps.fetchPage(request, cookies.secretsFor(work));
    const gateway = new PageGateway(work, lane, cookies, deps);
    try {
      return await deps.fetchPage(request, cookies.secretsFor(work), gateway);
    } finally {
      // How the page's own host failed what the page asked for.
      const trouble = await gateway.end();
      if (trouble !== null) driver.judge(trouble);
    }
  });
  const billedMs = fetched?.result.billedMs;
  if (billedMs !== undefined) {
    deps.meter.add(drawingUsage(billedMs));
    batch.countDrawing();
  }
  return fetched;
}

/**
 * An answer that the runtime refuses without a word is asked for again, in a turn of its own, if that is soon: once for
 * a URL, because a connection that is dropped looks the same. An attempt after a drop is lenient itself.
 */
async function sendExplained<T extends FetchResult | SitemapResult>(
  work: Work,
  { driver, batch }: RunningLane,
  request: (sending: Sending) => Promise<T>,
): Promise<Answer<T> | null> {
  const send = (isLenient: boolean) => driver.send((sending) => request({ ...sending, isLenient }));
  const first = await send(wasDropped(work));
  const isUnexplained = first?.result.kind === "rejected" && first.result.unexplained === true;
  const asksAgain = isUnexplained && work.row.attempts === 0 && driver.isSoon && batch.deps.invocations.left > 0;
  const last = (asksAgain ? await send(true) : null) ?? first;
  if (last !== null) driver.judge(last.result);
  return last;
}

/** Requests a URL that has no row, on the host of `work`. */
function askUnlisted(
  url: string,
  work: PageWork,
  wants: PageWants,
  { driver, cookies, batch }: RunningLane,
): Promise<Answer<PageResult> | null> {
  return driver.ask((sending) => {
    const request = pageRequestOf(url, work.context, wants, sending);
    return batch.deps.fetchPage(request, cookies.secretsFor(workAt(work, url))).then(asPage);
  });
}

/** Without the time for another request, the Markdown is made of the page itself. */
async function addMarkdown(work: PageWork, page: PageFetched, now: number, running: RunningLane): Promise<PageFetched> {
  const url = markdownUrlOf(work, running.lane, page);
  if (url === null || !(await mayAsk(url, work, running.batch.deps))) return page;
  const answer = await askUnlisted(url, work, wantsOfMarkdown(work), running);
  return answer === null ? page : withMarkdown(work.row.url, page, url, answer.result, now);
}

/** How the origin answers for a page that does not exist. Null if no invocation is left to ask it. */
async function findMissingAnswer(work: PageWork, running: RunningLane): Promise<MissingAnswer | "unclear" | null> {
  const { askings, batch } = running;
  const origin = originOf(work.row.url);
  const { missing } = work.context;
  if (!missing.has(origin)) {
    if (batch.deps.invocations.left === 0) return null;
    const asked = askings.get(origin);
    const asking = asked ?? askForMissing(work, origin, running).finally(() => askings.delete(origin));
    askings.set(origin, asking);
    await (asked === undefined ? asking : batch.activity.wait(asking));
  }
  return missing.get(origin) ?? "unclear";
}

/** Asks once. A page for which there is no time to ask is kept. */
async function askForMissing(work: PageWork, origin: string, running: RunningLane): Promise<void> {
  const url = await findSibling(work, running.batch.deps);
  const answer = url === null ? null : await askUnlisted(url, work, wantsOfUnlisted(work), running);
  if (url !== null && answer === null) return;
  const missing = url === null || answer === null ? null : toMissingAnswer(url, answer.result);
  work.context.missing.set(origin, missing ?? "unclear");
}

function settled(work: PageWork, result: PageResult, now: number): Fetched {
  const page = result.kind === "page" && reasonToLeave(result) === null ? result : null;
  return { attempt: timed(fetchedAttempt(work, result, now), result), page };
}

/** The browser, and the session that holds it: a Durable Object, which is billed as a gate is. */
function drawingUsage(billedMs: number): Usage {
  const seconds = billedMs / 1_000;
  return { browserSeconds: seconds, gateRequests: 1, gateGbSeconds: seconds * OBJECT_MEMORY_GB };
}
