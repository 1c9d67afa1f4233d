import type {
  DocumentFetched,
  FetchGivenBack,
  FetchResult,
  PageFetched,
  PageResult,
  SitemapResult,
} from "../../crawl/page/outcome.ts";
import { SENT_PLAINLY, type Sending } from "../../fetch/answer/answer.ts";
import type { MediaProgress, MediaResult } from "../../fetch/media-fetcher.ts";
import type { PageWants } from "../../fetch/request/page-request.ts";
import { type Attempt, isKept, sitemapAttempt, timed } from "../attempt.ts";
import { sendSweep } from "../documents/send-document.ts";
import { isMediaFile } from "../features/media.ts";
import { fetchedAttempt } from "../fetched-attempt.ts";
import { storedCopyOf } from "../visits/compare-visit.ts";
import { type PageWork, type SitemapWork, type Work, workAt } from "../work.ts";
import { asPage } from "./fetch-once.ts";
import { type RunningLane, requestPage } from "./fetch-page.ts";
import { type Answer, surviving } from "./lane-driver.ts";
import {
  captureOf,
  isLastAttempt,
  mediaRequestOf,
  pageRequestOf,
  requestOf,
  secretsOf,
  unlessTenth,
  wasDropped,
} from "./request-of-work.ts";

/** Fetches the URLs of a lane, with all that a URL may need of its host, and makes their attempts. */

/** The attempt of a fetch, and the page to store, if any. */
export interface Fetched {
  attempt: Attempt;
  page: PageFetched | null;
}

/** There is no attempt yet: a document that waits for the reader Worker, or a fetch that is given back. */
interface Unsettled {
  result: DocumentFetched | FetchGivenBack;
}

/** Null if the lane was over before. `isFirst`: the URL had all the time of the lane. */
export async function fetchUrl(
  work: Work,
  isFirst: boolean,
  running: RunningLane,
): Promise<Fetched | Unsettled | null> {
  if (work.kind === "sitemap") return fetchSitemap(work, running);
  if (isMediaFile(work)) return fetchMedia(work, isFirst, running);
  const { features } = running;
  const answer = await fetchPage(work, running);
  if (answer === null) return null;
  features.receive(work, answer.result);
  const result = await features.after(work, answer);
  if (result === "lane") return null;
  if (result.kind === "document" || result.kind === "given-back") return { result };
  const page = isKept(result) ? result : null;
  return { attempt: timed(fetchedAttempt(work, result, answer.now), result), page };
}

async function fetchSitemap(work: SitemapWork, running: RunningLane): Promise<Fetched | Unsettled | null> {
  const { row, context } = work;
  const { reading, url } = row;
  // The archive has the first reading alone.
  const capture = reading === null ? captureOf(work, null, "M") : null;
  const validators = reading === null ? null : unlessTenth(reading);
  const wants = { capture, validators, keepBroken: isLastAttempt(work) };
  const secrets = secretsOf(url, context);
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
  const { driver, features, batch } = running;
  const { fetchMedia: fetchRange, clock } = batch.deps;
  const secrets = features.secretsFor(work);
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
  const { result, now } = fetched;
  features.receive(work, result);
  return { attempt: timed(fetchedAttempt(work, result, now), result), page: null };
}

async function fetchPage(work: PageWork, running: RunningLane): Promise<Answer<FetchResult> | null> {
  const { features, batch } = running;
  const copy = storedCopyOf(work, batch.deps);
  // Whether the mirror may have a document, or get one yet, of which nobody has learned.
  let mayHaveStored = false;
  const fetching = sendExplained(work, running, async (sending) => {
    const wants = features.wants(work);
    mayHaveStored = !wants.asset;
    const result = await requestPage(work, wants, features.secretsFor(work), sending, running, copy);
    mayHaveStored = result.kind === "given-back" && result.lacks === "mirror";
    return result;
  });
  return fetching.finally(() => (mayHaveStored ? sendSweep(work.row, batch.deps) : undefined));
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
export function askUnlisted(
  url: string,
  work: PageWork,
  wants: PageWants,
  { driver, features, batch }: RunningLane,
): Promise<Answer<PageResult> | null> {
  const at = workAt(work, url);
  return driver.ask(async (sending) => {
    const request = pageRequestOf(url, work.context, wants, sending);
    const result = asPage(await batch.deps.fetchPage(request, features.secretsFor(at)));
    features.receive(at, result);
    return result;
  });
}
