import { lacksRoom, levelOf } from "../../crawl/bounds/database-room.ts";
import { hostKey } from "../../url/host-key.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import type { Attempt } from "../attempt.ts";
import type { Deps } from "../deps.ts";
import { sendStored } from "../documents/send-document.ts";
import type { NotFetched } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";
import { fetchLane, type LaneRun } from "../lane/fetch-lane.ts";
import { waitForInvocations } from "../lane/needed-invocations.ts";
import { type PageWork, toHints, type Work } from "../work.ts";
import { Activity } from "./activity.ts";
import { admitHost, type Lane, readWork, type Waiting } from "./admit.ts";
import { Batch, BatchFailure, type BatchReport, type Shares } from "./batch.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Hint } from "./message.ts";
import { type PauseDeps, pauseForRoom, readRoom } from "./require-room.ts";
import { settleOrGiveBack } from "./settle-or-give-back.ts";

/** The pipeline: processes a batch of the frontier, from its messages to the messages that follow. */

/**
 * Processes a batch. After it returns, the messages can be acknowledged: what our own code or platform could not do is
 * in the report, and has been sent again. It throws if even that fails. No URL is lost then: the rows are still
 * queued, and the queue delivers the messages again.
 */
export async function consume(
  hints: Hint[],
  deps: Deps,
  access: PrivateAccess,
  activity = new Activity(),
  shares?: Shares,
): Promise<BatchReport> {
  const batch = new Batch(deps, activity, shares);
  const { report } = batch;
  const { workload } = deps;
  workload.batches += 1;
  try {
    await activity.work(() => work(hints, batch, access));
    return report;
  } finally {
    workload.batches -= 1;
    workload.failure = report.failures.at(-1)?.failure.message ?? null;
  }
}

async function work(hints: Hint[], batch: Batch, access: PrivateAccess): Promise<void> {
  const { activity, deps, report } = batch;
  const admitted = await batch
    .stage("admit", () => readWork(hints, deps, access))
    .catch((failure: BatchFailure) => batch.giveBack(hints, failure));
  if (admitted === undefined) return;
  const roomy = await batch
    .stage("admit", () => dropWithoutRoom(admitted, batch.deps))
    .catch((failure: BatchFailure) => batch.giveBack(hints, failure));
  if (roomy === undefined) return;
  const works = await sendDocuments(roomy, batch);
  const { open, decided, waiting } = putAside(works, deps);
  const { hook } = batch;
  const due =
    hook === null
      ? { going: open, decided: [] }
      : await batch
          .stage("hook", () => hook.askDue(open))
          .catch((failure: BatchFailure) => batch.giveBack(toHints(works), failure));
  if (due === undefined) return;
  const asked = due.going;
  // A URL that came back may need many invocations, so it begins while they are there.
  const inTurn = asked.toSorted((a, b) => b.hint.failures - a.hint.failures);
  const hosts = [...Map.groupBy(inTurn, ({ row }) => hostKey(row.url))];
  report.urls = works.length;
  report.hosts = hosts.length;
  const commits = new GroupCommit(batch, hosts.length);
  const ends = await activity.wait(
    Promise.allSettled([
      commits.add({ attempts: [...decided, ...due.decided], waiting }),
      ...hosts.map(([host, works]) => activity.work(() => workOnHost(host, works, batch, commits))),
    ]),
  );
  await hook?.settle(works);
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
}

const AT_ONCE = { delayMs: 0, why: null };

/** Which URLs may go on to their hosts, and what becomes of the others. */
function putAside(
  works: readonly Work[],
  deps: Pick<Deps, "clock" | "hook" | "limits">,
): { open: Work[]; decided: Attempt[]; waiting: Waiting[] } {
  const going: Work[] = [];
  const decided: Attempt[] = [];
  const waiting: Waiting[] = [];
  for (const work of works) {
    let put: NotFetched | null = null;
    for (const { due } of FEATURES) put ??= due?.(work, deps.clock.now()) ?? null;
    if (put === null) going.push(work);
    else if (put.kind === "decided") decided.push(put.attempt);
    else waiting.push({ work, ...(put.waiting ?? AT_ONCE) });
  }
  waiting.push(...waitForInvocations(going, deps));
  const late = new Set(waiting.map(({ work }) => work));
  return { open: going.filter((work) => !late.has(work)), decided, waiting };
}

/**
 * Nothing is fetched that the database has no room for. The rows stay queued: the crawl is paused, and whoever resumes
 * it sends them again.
 */
async function dropWithoutRoom(works: readonly Work[], deps: PauseDeps): Promise<Work[]> {
  const room = await readRoom(deps);
  if (levelOf(room) === "room") return [...works];
  const crawls = new Map(works.map(({ context: { crawl } }) => [crawl.id, crawl]));
  const late = [...crawls.values()].filter((crawl) => lacksRoom(room, { isWatch: crawl.watchingSince !== null }));
  for (const crawl of late) await pauseForRoom(crawl, deps);
  const stopped = new Set(late.map(({ id }) => id));
  return works.filter(({ row }) => !stopped.has(row.crawl));
}

/** Has those read whose documents wait already. Returns the others. */
async function sendDocuments(works: readonly Work[], batch: Batch): Promise<Work[]> {
  const documents = works.filter((work): work is PageWork => work.kind === "page" && work.row.document !== null);
  if (documents.length === 0) return [...works];
  const stored = new Set<Work>(documents);
  const failure = await sendStored(documents, batch.deps).then(
    (isSent) => (isSent ? null : new BatchFailure("schedule", new Error("documents could not be sent"))),
    (error: unknown) => new BatchFailure("schedule", error),
  );
  if (failure !== null) await batch.giveBack(toHints(documents), failure);
  return works.filter((work) => !stored.has(work));
}

/** One host's URLs, from its gate's answer to the settling of its lane. No other host waits for it or fails with it. */
async function workOnHost(host: string, works: Work[], batch: Batch, commits: GroupCommit): Promise<void> {
  const parts: Promise<void>[] = [];
  const faults: LaneRun["faults"] = [];
  try {
    const admitted = await batch
      .stage("admit", () => batch.activity.waitIfSlow(admitHost(host, works, batch.deps))) //    1 admit
      .catch((failure: BatchFailure) => batch.giveBack(toHints(works), failure));
    if (admitted === undefined) return;
    const { lane, waiting, decided } = admitted;
    const visited = await Promise.all(decided.map((attempt) => settleOrGiveBack(attempt, batch)));
    parts.push(commits.add({ attempts: visited.filter((attempt) => attempt !== null), waiting }));
    const run = lane === null ? undefined : await runLane(lane, batch); //                              2 fetch, 3 read
    if (run !== undefined) {
      const { attempts, waiting } = run;
      const isPatient = commits.isAwaitingOthers && leavesNothing(run);
      if (isPatient) await run.driver.settleEarly();
      parts.push(commits.add({ attempts, waiting, run, isPatient })); //              4 write, 5 commit, 6 schedule
      faults.push(...run.faults);
    }
  } finally {
    commits.leave();
  }
  await batch.activity.wait(Promise.all(parts));
  for (const { work, failure } of faults) await batch.giveBack([work.hint], failure);
}

/** Whether all URLs of a lane ended, and its host has others of its crawls to give. */
function leavesNothing({ lane, attempts, unfetched, waiting, faults }: LaneRun): boolean {
  const isDone = unfetched.length + waiting.length + faults.length === 0;
  return isDone && lane.grant.isFollowed === true && attempts.every(({ retryDelayMs }) => retryDelayMs === null);
}

/** Undefined if the lane's results could not be kept. Its URLs are sent again. */
async function runLane(lane: Lane, batch: Batch): Promise<LaneRun | undefined> {
  const run = batch.stage("fetch", () => fetchLane(lane, batch));
  return run.catch(async (failure: BatchFailure): Promise<undefined> => {
    await batch.giveBack(toHints(lane.going), failure);
  });
}
