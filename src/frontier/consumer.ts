import { systemClock } from "../core/clock.ts";
import { restMs } from "../host/pace.ts";
import { admit, type Lane } from "./admit.ts";
import { commit } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { fetchLane, type LaneRun } from "./fetch-lane.ts";
import type { Hint } from "./message.ts";
import { schedule, settle } from "./schedule.ts";
import { writePacks } from "./write-packs.ts";

/** The pipeline: processes a batch of the frontier, from its messages to the messages that follow. */

let batches = 0;

let failure: string | null = null;

/** What failed in this isolate's last batch; null if it succeeded. */
export function lastFailure(): string | null {
  return failure;
}

/** Batches that this isolate works on now. This machine has one isolate, so 0 means that nothing is in flight. */
export function batchesInFlight(): number {
  return batches;
}

/** Facts about a batch, for the log. */
interface BatchReport {
  /** URLs that were still queued, and hosts that granted a lane. */
  urls: number;
  hosts: number;
  /** Real time of each stage that started, in milliseconds. */
  stagesMs: Partial<Record<Stage, number>>;
  /** URLs that the commit settled, by crawl and status; `queued` URLs will be retried. */
  settled: Record<string, Partial<Record<string, number>>>;
}

/**
 * Processes a batch. After it returns, the messages can be acknowledged. It throws a BatchFailure if our own code or
 * platform fails. No URL is lost then: the rows are still queued, and the queue retries the messages and finally moves
 * them to the dead-letter queue.
 */
export async function consume(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<BatchReport> {
  batches += 1;
  const report: BatchReport = { urls: 0, hosts: 0, stagesMs: {}, settled: {} };
  try {
    await work(hints, deps, allowPrivate, report);
    failure = null;
    return report;
  } catch (error) {
    const broken = error instanceof BatchFailure ? error : new BatchFailure(null, error);
    failure = broken.message;
    throw new BatchFailure(broken.stage, broken.cause, report);
  } finally {
    batches -= 1;
  }
}

async function work(hints: Hint[], deps: Deps, allowPrivate: boolean, report: BatchReport): Promise<void> {
  const stage = <T>(at: Stage, doing: () => Promise<T>) => timed(at, doing, report);
  const admitted = await stage("admit", () => admit(hints, deps, allowPrivate)); //                   1 admit
  const { lanes, waiting, decided, broken } = admitted;
  report.urls = waiting.length + decided.length + lanes.reduce((sum, { going }) => sum + going.length, 0);
  report.hosts = lanes.length;
  const giveUp = (error: unknown) => release(lanes, deps, error);
  if (broken !== undefined) await giveUp(new BatchFailure("admit", broken));
  const runs = await stage("fetch", () => fetchLanes(lanes, deps)).catch(giveUp); //                  2 fetch, 3 read
  const tried = [...decided, ...runs.flatMap((run) => run.attempts)];
  const { attempts, packs } = await stage("write", () => writePacks(tried, deps)).catch(giveUp); //   4 write
  const allPacks = [...packs, ...runs.flatMap((run) => run.packs)];
  const moved = await stage("commit", () => commit(attempts, allPacks, deps)).catch(giveUp); //       5 commit
  for (const { crawl, settled } of moved) report.settled[crawl] = countBy(settled.map(({ status }) => status));
  await stage("schedule", () => schedule(admitted, runs, moved, deps)); //                            6 schedule
}

/** What a failed stage could not do, in words without internal details. */
const STAGES = {
  admit: "the ledger or a host's gate could not be asked",
  fetch: "the mirror could not be written",
  write: "the mirror could not be written",
  commit: "the ledger could not be written",
  schedule: "what follows could not be sent",
} as const;

type Stage = keyof typeof STAGES;

/** The message tells people what the batch could not do. The cause is for the log. */
export class BatchFailure extends Error {
  /** The stage that failed; null if the pipeline itself failed. */
  readonly stage: Stage | null;
  readonly report: BatchReport | null;

  constructor(stage: Stage | null, cause: unknown, report: BatchReport | null = null) {
    super(stage === null ? "a batch could not be worked through" : STAGES[stage], { cause });
    this.stage = stage;
    this.report = report;
  }
}

async function timed<T>(at: Stage, doing: () => Promise<T>, { stagesMs }: BatchReport): Promise<T> {
  const startedAt = systemClock.now();
  try {
    return await doing();
  } catch (error) {
    throw new BatchFailure(at, error);
  } finally {
    stagesMs[at] = systemClock.now() - startedAt;
  }
}

function countBy(names: string[]): Partial<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, group]) => [name, group.length]));
}

/** Runs all lanes in parallel. If one fails, it throws after the others have finished. */
async function fetchLanes(lanes: Lane[], deps: Deps): Promise<LaneRun[]> {
  const ends = await Promise.allSettled(lanes.map((lane) => fetchLane(lane, deps)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}

/** Frees the hosts of a batch that cannot finish, so none waits for its lease to expire. Rethrows the error. */
async function release(lanes: Lane[], deps: Deps, error: unknown): Promise<never> {
  await Promise.allSettled(
    lanes.map((lane) => {
      const { token, pace } = lane.grant;
      const nextAt = deps.clock.now() + restMs(0, pace);
      return settle(
        { lane, report: { token, unfinished: true, nextAt, lastDurationMs: null, answered: false, failure: null } },
        [],
      );
    }),
  );
  throw error;
}
