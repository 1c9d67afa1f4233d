import { systemClock } from "../core/clock.ts";
import type {
  Answered,
  FetchGivenBack,
  FetchResult,
  PageFetched,
  PageRejected,
  SitemapResult,
} from "../crawl/outcome.ts";
import { REASONS } from "../crawl/reason.ts";
import { isDescribed } from "../crawl/url-kind.ts";
import { SENT_PLAINLY } from "../fetch/answer.ts";
import type { MediaRange } from "../fetch/media-fetcher.ts";
import { ALL_SAID, type VersionRequest } from "../fetch/page-request.ts";
import { LANE_BUDGET_MS } from "../host/full-lane.ts";
import { decideHostFailure } from "../host/host-failure.ts";
import type { HostFailure, LaneReport } from "../host/host-state.ts";
import { originOf } from "../url/host-key.ts";
import type { Lane, Waiting } from "./admit.ts";
import { type Attempt, fetchedAttempt } from "./attempt.ts";
import { type Batch, BatchFailure } from "./batch.ts";
import type { Deps } from "./deps.ts";
import { fetchMediaFile } from "./fetch-media.ts";
import { type Fetched, fetchMarkdown, fetchUnlisted, fetchWork, rejectedBy, type Unsettled } from "./fetch-work.ts";
import { findSibling, mayAsk } from "./find-sibling.ts";
import { HostLimits } from "./host-limits.ts";
import type { Need } from "./invocations.ts";
import { LaneCookies } from "./lane-cookies.ts";
import { LaneEndless } from "./lane-endless.ts";
import { sentIn } from "./lane-lease.ts";
import { LaneRenders } from "./lane-renders.ts";
import { LaneSamePages } from "./lane-same-pages.ts";
import { neededInvocations } from "./needed-invocations.ts";
import { pageRequestOf, wantsOf, wantsOfUnlisted, wasDropped } from "./request-of-work.ts";
import { spreadDelayMs } from "./retry-delay.ts";
import type { Probe } from "./same-page-texts.ts";
import { sendFetched } from "./send-document.ts";
import { settleOrGiveBack } from "./settle-or-give-back.ts";
import { rejectSoft404, toMissingAnswer } from "./soft-404.ts";
import { markdownUrlOf, withMarkdown } from "./take-markdown.ts";
import { type PageWork, visitOf, type Work } from "./work.ts";
import { isLarge, type WrittenPack, writePacks } from "./write-packs.ts";

/**
 * The second and third stages: fetches and reads the URLs of a lane at the gate's pace, on as many connections as the
 * gate allows, each in its own PageFetcher invocation. A page that is stored as a file goes to the mirror at once, and
 * a large page into its own pack. The others wait for the batch's pack.
 */

/** About the wait before a URL comes again for which there was no place beside others. */
const PLACE_WAIT_MS = 10_000;
const PLACES = {
  room: "memory, which the bodies of other large pages hold now",
  browser: "a place in the browser, which draws other pages now",
};

/** Before a URL comes again that depends on documents, because of the page limit of its host. */
const DOCUMENT_WAIT_MS = 15_000;
const DOCUMENT_WAIT = "documents that are read now and count towards the page limit of their host";

export interface LaneRun {
  lane: Lane;
  attempts: Attempt[];
  /** The packs of its large pages; the others are packed with the batch. */
  packs: WrittenPack[];
  /** URLs that were not started, because the host failed, the time ran out, or the batch holds too much text. */
  unfetched: Work[];
  /** URLs to send again later, without an attempt. */
  waiting: Waiting[];
  /** URLs whose results could not be kept, through a fault of the platform. The lane ended with the first. */
  faults: { work: Work; failure: BatchFailure }[];
  report: LaneReport;
}

/** A page cannot make it throw, nor can the mirror. */
export async function fetchLane(lane: Lane, batch: Batch): Promise<LaneRun> {
  const { activity, deps } = batch;
  const { clock } = deps;
  const { grant, pacer } = lane;
  const attempts: Attempt[] = [];
  const packs: WrittenPack[] = [];
  const unfetched: Work[] = [];
  const waiting: Waiting[] = [];
  const faults: LaneRun["faults"] = [];
  const report: LaneReport = { token: grant.token, nextAt: 0, lastDurationMs: null, answered: false, failure: null };
  let drops = grant.drops ?? 0;
  const cookies = await LaneCookies.open(lane, deps);
  const probe: Probe = async (url, work, version = ALL_SAID) => {
    if (deps.invocations.left === 0 || !(await mayAsk(url, work, deps))) return null;
    const answer = await atPace(() =>
      fetchUnlisted(url, work, lane, cookies, deps, { ...wantsOfUnlisted(work), version }),
    );
    if (answer !== null) judgeHost(answer.result);
    return answer?.result ?? null;
  };
  const samePages = await LaneSamePages.open(lane, probe, deps);
  const endless = await LaneEndless.open(lane, probe, deps);
  const versionFor = (work: Work) => endless.wants(work) ?? (samePages.wants(work) ? ALL_SAID : null);
  const renders = await LaneRenders.open(lane, deps);
  const hostLimits = await HostLimits.open(lane.going, deps);

  const isFull = () => batch.isFullOfText || batch.isFullOfDrawings;
  const isOver = (startAt: number) =>
    report.failure !== null || faults.length > 0 || startAt > grant.lastStartAt || isFull();
  /** Sends one request. Null if the lane is over. No place is taken for the rest before it. */
  const atPace = async <T extends { result: Answered }>(
    fetching: () => Promise<T>,
  ): Promise<(T & { now: number }) | null> => {
    if (!isOver(pacer.nextAt)) await activity.wait(clock.sleep(pacer.nextAt - clock.now()));
    // A fetch begins when it has its place: before, no timeout and no duration runs.
    return activity.waitIfSlow(batch.inPlace(() => fetchNow(fetching)));
  };
  const fetchNow = async <T extends { result: Answered }>(
    fetching: () => Promise<T>,
  ): Promise<(T & { now: number }) | null> => {
    const startAt = pacer.start(clock.now());
    if (isOver(startAt)) return null;
    await clock.sleep(startAt - clock.now());
    const fetched = await fetching();
    const now = clock.now();
    const { durationMs, bodyBytes = 0, httpStatus } = fetched.result;
    pacer.finish(now, durationMs, bodyBytes);
    report.lastDurationMs = durationMs;
    report.lastBodyBytes = bodyBytes;
    if (httpStatus !== null) report.answered = true;
    return { ...fetched, now };
  };
  const judgeHost = (result: FetchResult | SitemapResult | MediaRange): void => {
    const host = decideHostFailure(drops, result);
    drops = host.drops;
    if (result.kind === "rejected" && host.failed) report.failure = failureOf(result);
  };
  const askings = new Map<string, Promise<void>>();
  /** Asks for a page of the origin that does not exist, once. A page for which there is no time to ask is kept. */
  const askForMissing = async (work: PageWork, origin: string): Promise<void> => {
    const url = await findSibling(work, deps);
    const answer =
      url === null ? null : await atPace(() => fetchUnlisted(url, work, lane, cookies, deps, wantsOfUnlisted(work)));
    if (url !== null && answer === null) return;
    if (answer !== null) judgeHost(answer.result);
    const missing = url === null || answer === null ? null : toMissingAnswer(url, answer.result);
    work.context.missing.set(origin, missing ?? "unclear");
  };
  /**
   * An answer that the runtime refuses without a word is asked for again, in a turn of its own, if that is soon: once
   * for a URL, because a connection that is dropped looks the same. An attempt after a drop is lenient itself.
   */
  const fetchExplained = async (work: Work): Promise<((Fetched | Unsettled) & { now: number }) | null> => {
    const isLenient = wasDropped(work);
    const first = await atPace(() => fetchWork(work, isLenient, lane, cookies, renders, deps, versionFor(work)));
    const isFirstAttempt = work.row.attempts === 0;
    if (first?.result.kind !== "rejected" || first.result.unexplained !== true || !isFirstAttempt) return first;
    const isSoon = pacer.nextAt - clock.now() <= LANE_BUDGET_MS * clock.speed && deps.invocations.left > 0;
    return (
      (isSoon ? await atPace(() => fetchWork(work, true, lane, cookies, renders, deps, versionFor(work))) : null) ??
      first
    );
  };
  const fetchDescribed = async (work: PageWork): Promise<(Fetched & { now: number }) | null> => {
    const startedAt = systemClock.now();
    const onDeath = (error: unknown) => rejectedBy(error, systemClock.now() - startedAt);
    const isFirst = attempts.length + packs.length === 0;
    const sending = () => sentIn(lane, clock);
    const media = { atPace, sending, judgeHost, isFirst, hasFailed: () => report.failure !== null, onDeath };
    const fetched = await fetchMediaFile(work, cookies.secretsFor(work), media, deps);
    if (fetched === null) return null;
    const { result, now } = fetched;
    cookies.receive(work, result);
    return { result, now, toAttempt: (at) => fetchedAttempt(work, result, at), page: null };
  };
  /** Without the time for another request, the Markdown is made of the page itself. */
  const addMarkdown = async (work: Work, fetched: Fetched & { now: number }): Promise<typeof fetched> => {
    const { page, now } = fetched;
    const url = page === null || work.kind === "sitemap" ? null : markdownUrlOf(work, lane, page);
    if (url === null || page === null || work.kind === "sitemap" || !(await mayAsk(url, work, deps))) return fetched;
    const answer = await atPace(() => fetchMarkdown(url, work, lane, cookies, deps));
    if (answer === null) return fetched;
    judgeHost(answer.result);
    const taken = await withMarkdown(work.row.url, page, url, answer.result, now);
    return { ...fetched, result: taken, page: taken, toAttempt: (at) => fetchedAttempt(work, taken, at) };
  };
  const fetchAtPace = async (
    work: Work,
  ): Promise<{ attempt: Attempt; page: PageFetched | null } | Unsettled | null> => {
    // Before this option, an asset may have had any level.
    const isMedia = work.kind === "page" && work.context.crawl.options.media && isDescribed(work.row);
    const fetched = await (isMedia ? fetchDescribed(work) : fetchExplained(work));
    if (fetched === null) return null;
    judgeHost(fetched.result);
    if (!("toAttempt" in fetched)) return fetched;
    const { result, toAttempt, page, now, trouble = null } = await addMarkdown(work, fetched);
    if (result.billedMs !== undefined) batch.countDrawing();
    if (trouble !== null) report.failure ??= { retryAfterMs: trouble.retryAfterMs, why: trouble.detail };
    const timed = (attempt: Attempt): Attempt => {
      return { ...attempt, outcome: { ...attempt.outcome, durationMs: Math.round(result.durationMs) } };
    };
    if (work.kind === "sitemap" || page?.looksMissing !== true) return { attempt: timed(toAttempt(now)), page };
    const origin = originOf(work.row.url);
    const { missing } = work.context;
    if (!missing.has(origin)) {
      if (deps.invocations.left === 0) return null;
      const asked = askings.get(origin);
      if (asked === undefined) {
        const asking = askForMissing(work, origin).finally(() => askings.delete(origin));
        askings.set(origin, asking);
        await asking;
      } else {
        await activity.wait(asked);
      }
    }
    const known = missing.get(origin);
    const rejected = known === undefined || known === "unclear" ? null : rejectSoft404(work.row.url, page, known);
    if (rejected === null) return { attempt: timed(toAttempt(now)), page };
    return { attempt: timed(fetchedAttempt(work, rejected, now)), page: null };
  };
  const fault = (work: Work, error: unknown): void => {
    faults.push({ work, failure: new BatchFailure("fetch", error) });
  };
  /** Writes what the lane holds into a pack. Pages before the last one can still go into the batch's pack. */
  const packHeld = async (last: Work): Promise<Attempt[]> => {
    const held = attempts.splice(0);
    let kept = held;
    try {
      if (batch.hook !== null) kept = await batch.hook.askRead(held);
      const written = await writePacks(kept, [], deps);
      for (const one of held) batch.release(one);
      packs.push(...written.packs);
      return written.attempts;
    } catch (error) {
      fault(last, error);
      const { own = [], others = [] } = Object.groupBy(kept, ({ work }) => (work === last ? "own" : "others"));
      for (const one of own) {
        batch.release(one);
        batch.releaseText(one);
      }
      return others;
    }
  };
  const giveBack = (work: Work, { lacks }: FetchGivenBack): void => {
    if (lacks === "mirror") fault(work, new Error("a document could not be stored"));
    else waiting.push({ work, delayMs: spreadDelayMs(PLACE_WAIT_MS, deps.random()), why: PLACES[lacks] });
  };
  /** Null if the URL waits, or is sent again. Throws what the mirror throws. */
  const fetchAndKeep = async (work: Work, { toLearn }: Need): Promise<Attempt | null> => {
    const fetched = await fetchAtPace(work).finally(() => deps.invocations.release(toLearn));
    if (fetched === null) {
      unfetched.push(work);
      return null;
    }
    if (!("attempt" in fetched)) {
      if (fetched.result.kind === "given-back") giveBack(work, fetched.result);
      else if (work.kind === "page") {
        hostLimits.keepWaiting(work);
        if (!(await sendFetched(work, fetched.result, deps))) unfetched.push(work);
      }
      return null;
    }
    const { page } = fetched;
    const attempt = await settleOrGiveBack(fetched.attempt, batch);
    if (attempt === null) return null;
    if (page !== null && visitOf(work) === null && !page.capture?.answer)
      await writeFile(work, page, deps, attempt.outcome.fetchedAt);
    await samePages.learn(attempt);
    await endless.learn(attempt);
    attempts.push({ ...attempt, version: null });
    batch.hold(attempt);
    const mustPack = (isLarge(attempt) && batch.hook === null) || batch.isFull;
    if (mustPack) attempts.push(...(await packHeld(work)));
    return attempt;
  };
  const workOn = async (work: Work): Promise<Attempt | null> => {
    const stored = await readStored(work, versionFor(work), deps);
    if (stored !== null) {
      attempts.push(stored);
      batch.hold(stored);
      return stored;
    }
    const need = neededInvocations(work, samePages.wants(work));
    if (deps.invocations.setAside(need))
      return fetchAndKeep(work, need).finally(() => deps.invocations.release(need.now));
    unfetched.push(work);
    return null;
  };
  /** A page in the lane ends soon. A document may wait for long. */
  const later = (work: Work): void => {
    if (hostLimits.waitsForDocuments(work)) waiting.push({ work, delayMs: DOCUMENT_WAIT_MS, why: DOCUMENT_WAIT });
    else unfetched.push(work);
  };
  const connection = async (queue: Iterable<Work>, behind: Work[] | null) => {
    for (const work of queue) {
      const over = hostLimits.decide(work, clock.now());
      if (over === "later") later(work);
      else if (over !== null) attempts.push(over);
      if (over !== null) continue;
      const withheld = samePages.decide(work) ?? endless.decide(work);
      if (withheld !== null) {
        attempts.push(withheld);
        continue;
      }
      if (behind !== null && samePages.isBehind(work)) {
        behind.push(work);
        continue;
      }
      hostLimits.begin(work);
      const attempt = await workOn(work).catch((error: unknown) => {
        fault(work, error);
        return null;
      });
      hostLimits.end(work, attempt);
    }
  };
  const fetchAll = async (works: readonly Work[], behind: Work[] | null): Promise<void> => {
    const queue = works.values();
    const connections = Array.from({ length: grant.concurrency }, () => activity.work(() => connection(queue, behind)));
    const ends = await activity.wait(Promise.allSettled(connections));
    const broken = ends.find((end) => end.status === "rejected");
    if (broken !== undefined) throw broken.reason;
  };
  const behind: Work[] = [];
  await fetchAll(lane.going, behind);
  if (behind.length > 0) await fetchAll(behind, null);
  report.nextAt = pacer.nextAt;
  report.drops = drops;
  await cookies.save();
  await samePages.save();
  await endless.save();
  await renders.save();
  return { lane, attempts, packs, unfetched, waiting, faults, report };
}

/** Reads a page that was fetched before its lane was lost from the mirror, without another request. */
async function readStored(work: Work, version: VersionRequest | null, deps: Deps): Promise<Attempt | null> {
  const { store, watch, render } = work.context.crawl.options;
  // A page in a pack cannot be found before its commit. The file of a watch may be an earlier version, and that of a
  // page that a browser draws is what its server sent.
  const isFile = store !== "warc" && watch === null && render === "never";
  if (work.kind === "sitemap" || !work.lost || !isFile) return null;
  const stored = await deps.mirror.read(work.row.crawl, work.row.url);
  if (stored === null) return null;
  const wants = wantsOf(work, { hook: deps.hook !== null, version, renders: null });
  const request = pageRequestOf(work.row.url, work.context, wants, SENT_PLAINLY);
  // What cannot be read is fetched again.
  const result = await deps.readPage(stored, request).catch(() => null);
  if (result === null) return null;
  const known = result.kind === "page" ? { ...result, truncated: stored.truncated ?? null } : result;
  return fetchedAttempt(work, known, deps.clock.now());
}

function failureOf({ reason, detail, httpStatus, retryAfterMs }: PageRejected): HostFailure {
  const why = `${REASONS[reason][1]}: ${detail}`;
  return httpStatus === null ? { retryAfterMs, why, reason } : { retryAfterMs, why };
}

export async function writeFile({ row }: Work, page: PageFetched, deps: Deps, fetchedAt: number): Promise<void> {
  await deps.mirror.put({
    crawl: row.crawl,
    url: row.url,
    body: page.body,
    contentType: page.contentType,
    httpStatus: page.httpStatus ?? 200,
    sha256: page.sha256 ?? "",
    headers: page.headers,
    truncated: page.truncated,
    fetchedAt,
  });
}
