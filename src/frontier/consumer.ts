import { systemClock } from "../core/clock.ts";
import { restMs } from "../host/pace.ts";
import { admit, type Lane } from "./admit.ts";
import { commit } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { fetchLane, type LaneRun } from "./fetch-lane.ts";
import type { Hint } from "./message.ts";
import { schedule, settle } from "./schedule.ts";
import { writePacks } from "./write-packs.ts";

/** The pipeline: what happens to a batch of the frontier, from its messages to the messages that follow from it. */

let batches = 0;

let failure: string | null = null;

/** What this isolate's last batch could not do; null where it went well. */
export function lastFailure(): string | null {
  return failure;
}

/** Batches that this isolate works on now. This machine has one isolate, so 0 means that nothing is in flight. */
export function batchesInFlight(): number {
  return batches;
}

/** What a batch did, for the log. */
interface BatchReport {
  /** URLs that were still to be worked on, and their hosts that granted a lane. */
  urls: number;
  hosts: number;
  /** Real time of each stage that was begun, in milliseconds. */
  stagesMs: Partial<Record<Stage, number>>;
  /** URLs that the commit settled, by crawl and status; `queued` are those that are tried again. */
  settled: Record<string, Partial<Record<string, number>>>;
}

/**
 * Works through a batch. When it returns, the messages are done with. When it throws a BatchFailure, something of ours
 * is broken or out of reach: nothing is lost, for the rows are still queued, and the queue brings the messages back, in
 * the end to the dead-letter queue.
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

/** What a batch could not do where a stage broke, in words that name nothing of ours. */
const STAGES = {
  admit: "the ledger or a host's gate could not be asked",
  fetch: "the mirror could not be written",
  write: "the mirror could not be written",
  commit: "the ledger could not be written",
  schedule: "what follows could not be sent",
} as const;

type Stage = keyof typeof STAGES;

/** Its message says to people what the batch could not do; its cause is for the log. */
export class BatchFailure extends Error {
  /** The stage that broke; null where the pipeline itself did. */
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

/** All lanes side by side. Where one breaks, the others finish before it throws. */
async function fetchLanes(lanes: Lane[], deps: Deps): Promise<LaneRun[]> {
  const ends = await Promise.allSettled(lanes.map((lane) => fetchLane(lane, deps)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}

/**
 * Frees the hosts of a batch that cannot be finished, so that none waits for its lease to run out, and throws the error
 * on.
 */
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
