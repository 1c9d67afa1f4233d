import { systemClock } from "../../core/clock.ts";
import type { PageFetched } from "../../crawl/page/outcome.ts";
import { SENT_PLAINLY } from "../../fetch/answer/answer.ts";
import type { Attempt } from "../attempt.ts";
import type { Lane } from "../batch/admit.ts";
import type { Batch } from "../batch/batch.ts";
import { spreadDelayMs } from "../batch/retry-delay.ts";
import { settleOrGiveBack } from "../batch/settle-or-give-back.ts";
import { isLarge } from "../commit/write-packs.ts";
import type { Deps } from "../deps.ts";
import { sendFetched } from "../documents/send-document.ts";
import { OpenFeatures } from "../features/open-features.ts";
import { fetchedAttempt } from "../fetched-attempt.ts";
import { visitOf, type Work } from "../work.ts";
import type { RunningLane } from "./fetch-page.ts";
import { askUnlisted, type Fetched, fetchUrl } from "./fetch-url.ts";
import type { Need } from "./invocations.ts";
import { KeptPages } from "./kept-pages.ts";
import { untilDeadline } from "./lane-deadline.ts";
import { LaneDriver, type Place } from "./lane-driver.ts";
import { pageRequestOf } from "./request-of-work.ts";
import { secondLookOf } from "./second-look.ts";

/**
 * The second and third stages: fetches and reads the URLs of a lane at the gate's pace, on as many connections as the
 * gate allows, each in its own PageFetcher invocation. A page that is stored as a file goes to the mirror at once, and
 * a large page into its own pack. The others wait for the batch's pack.
 */

/** About the wait before a URL comes again for which there was no place beside others. */
const PLACE_WAIT_MS = 10_000;
/** For a URL whose crawl somebody has stopped meanwhile. The URL is sent again, and the next batch drops it. */
const NO_TURN = { kind: "later", waiting: null } as const;
const PLACES = {
  room: "memory, which the bodies of other large pages hold now",
  browser: "a place in the browser, which draws other pages now",
};

export interface LaneRun extends Pick<KeptPages, "attempts" | "packs" | "unfetched" | "waiting" | "faults"> {
  lane: Lane;
  driver: LaneDriver;
}

/** A lane, and what becomes of its URLs. */
interface FullLane extends RunningLane {
  kept: KeptPages;
}

/** A page cannot make it throw, nor can the mirror. If it throws, the lane has been given back. */
export async function fetchLane(lane: Lane, batch: Batch): Promise<LaneRun> {
  const { clock } = batch.deps;
  const kept = new KeptPages(lane, batch);
  const driver = new LaneDriver(lane, clock, placeIn(batch, kept));
  driver.settleInTime();
  try {
    await runLane({ lane, driver, batch, kept });
  } catch (error) {
    await driver.release();
    throw error;
  }
  const { attempts, packs, unfetched, waiting, faults } = kept;
  return { lane, driver, attempts, packs, unfetched, waiting, faults };
}

async function runLane({ lane, driver, batch, kept }: Omit<FullLane, "features">): Promise<void> {
  const { deps } = batch;
  const features: OpenFeatures = await OpenFeatures.open({
    works: lane.going,
    host: lane.host,
    document: null,
    ask: (url, work, wants) => askUnlisted(url, work, wants, full),
    visit: (run) => visitHost(run, full),
    wait: (event) => batch.activity.wait(event),
    deps,
  });
  const full: FullLane = { lane, driver, batch, features, kept };
  const behind: Work[] = [];
  await fetchAll(lane.going, behind, full);
  if (behind.length > 0) await fetchAll(behind, null, full);
  await features.close();
}

/** A visit of a browser, which is one request of the lane. Null if it has not ended. */
async function visitHost<T>(
  run: (lane: Lane, leaseMs: number) => Promise<T>,
  { driver, lane }: FullLane,
): Promise<T | null> {
  let done: T | null = null;
  await driver.ask(async ({ leaseMs }) => {
    const startedAt = systemClock.now();
    done = await run(lane, leaseMs ?? 0);
    return { kind: "visited", httpStatus: null, durationMs: systemClock.now() - startedAt, retryAfterMs: null };
  });
  return done;
}

/** A request of a lane takes one of the places of its batch. A batch that holds enough sends no more. */
function placeIn(batch: Batch, { faults }: KeptPages): Place {
  return {
    rest: (sleep) => batch.activity.wait(sleep),
    run: (request) => batch.activity.waitIfSlow(batch.inPlace(request)),
    get isClosed() {
      return faults.length > 0 || batch.isFullOfText || batch.isFullOfDrawings;
    },
  };
}

/** `behind`: takes those whose turn comes after the others; null if that has come. */
async function fetchAll(works: readonly Work[], behind: Work[] | null, full: FullLane): Promise<void> {
  const { activity } = full.batch;
  const queue = works.values();
  const connection = async () => {
    for (const work of queue) await takeTurn(work, behind, full);
  };
  const connections = Array.from({ length: full.lane.grant.concurrency }, () => activity.work(connection));
  const ends = await activity.wait(Promise.allSettled(connections));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}

async function takeTurn(work: Work, behind: Work[] | null, full: FullLane): Promise<void> {
  const { kept, features } = full;
  const { stopped } = full.batch.deps.workload;
  const turn = stopped.has(work.context.crawl) ? NO_TURN : features.before(work);
  const noteFault = (error: unknown) => {
    kept.noteFault(work, error);
    return null;
  };
  let attempt: Attempt | null = null;
  if (turn?.kind === "decided") attempt = turn.attempt;
  else if (turn?.kind === "later" && turn.waiting !== null) kept.waiting.push({ work, ...turn.waiting });
  else if (turn?.kind === "later") kept.unfetched.push(work);
  else if (turn?.kind === "behind" && behind !== null) behind.push(work);
  else attempt = await workOn(work, full).catch(noteFault);
  const ended = await features.end(work, attempt).catch(noteFault);
  if (ended !== null) await hold(ended, full);
}

/** Null if the URL waits, or is sent again. Throws what the mirror throws. */
async function workOn(work: Work, full: FullLane): Promise<Attempt | null> {
  const { kept, features, batch } = full;
  const { invocations } = batch.deps;
  const stored = await readStored(work, features, batch.deps);
  if (stored !== null) return stored;
  const need = features.need(work);
  if (invocations.setAside(need)) return fetchReady(work, need, full).finally(() => invocations.release(need.now));
  kept.unfetched.push(work);
  return null;
}

async function fetchReady(work: Work, need: Need, full: FullLane): Promise<Attempt | null> {
  const { kept, features } = full;
  const held = work.kind === "page" ? await features.ready(work) : null;
  if (held === null) return fetchOne(work, need, full);
  full.batch.deps.invocations.release(need.toLearn);
  if (held.kind === "decided") return held.attempt;
  if (held.waiting === null) kept.unfetched.push(work);
  else kept.waiting.push({ work, ...held.waiting });
  return null;
}

async function fetchOne(work: Work, { toLearn }: Need, full: FullLane): Promise<Attempt | null> {
  const { kept, batch } = full;
  const { deps } = batch;
  const fetching = fetchUrl(work, kept.isEmpty, full);
  const fetched = await fetching.finally(() => deps.invocations.release(toLearn));
  if (fetched === null) kept.unfetched.push(work);
  else if ("attempt" in fetched) return settle(fetched, full);
  else if (fetched.result.kind === "given-back") {
    const { lacks } = fetched.result;
    const delayMs = spreadDelayMs(PLACE_WAIT_MS, deps.random());
    if (lacks === "mirror") kept.noteFault(work, new Error("a document could not be stored"));
    else kept.waiting.push({ work, delayMs, why: PLACES[lacks] });
  } else if (work.kind === "page" && !(await sendFetched(work, fetched.result, deps))) kept.unfetched.push(work);
  return null;
}

/** Null for a visit for which something cannot be read: it alone comes again. */
async function settle({ attempt: made, page }: Fetched, full: FullLane): Promise<Attempt | null> {
  const { lane, batch } = full;
  const { work } = made;
  const { deps } = batch;
  const look = work.kind === "page" ? secondLookOf(work, full) : null;
  const attempt = await settleOrGiveBack(made, batch, look);
  if (attempt !== null && page !== null && visitOf(work) === null && !page.capture?.answer)
    await untilDeadline(writeFile(work, page, deps, attempt.outcome.fetchedAt), [lane], deps.clock);
  return attempt;
}

/** Keeps an attempt for its batch. A large page, and all that a full batch holds, goes into a pack at once. */
async function hold(attempt: Attempt, { kept, batch }: FullLane): Promise<void> {
  kept.hold(attempt);
  if ((isLarge(attempt) && batch.hook === null) || batch.isFull) await kept.pack(attempt.work);
}

/** Reads a page that was fetched before its lane was lost from the mirror, without another request. */
async function readStored(
  work: Work,
  features: OpenFeatures,
  deps: Pick<Deps, "clock" | "mirror" | "readPage">,
): Promise<Attempt | null> {
  const { store, watch, render } = work.context.crawl.options;
  // A page in a pack cannot be found before its commit. The file of a watch may be an earlier version, and that of a
  // page that a browser draws is what its server sent.
  const isFile = store !== "warc" && watch === null && render === "never";
  if (work.kind === "sitemap" || !work.lost || !isFile) return null;
  const stored = await deps.mirror.read(work.row.crawl, work.row.url);
  if (stored === null) return null;
  const request = pageRequestOf(work.row.url, work.context, features.wants(work), SENT_PLAINLY);
  // What cannot be read is fetched again.
  const result = await deps.readPage(stored, request).catch(() => null);
  if (result === null) return null;
  const known = result.kind === "page" ? { ...result, truncated: stored.truncated ?? null } : result;
  return fetchedAttempt(work, known, deps.clock.now());
}

export async function writeFile(
  { row }: Work,
  page: PageFetched,
  deps: Pick<Deps, "mirror">,
  fetchedAt: number,
): Promise<void> {
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
