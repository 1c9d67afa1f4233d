import { restMs } from "../host/pace.ts";
import { admit, type Lane } from "./admit.ts";
import { commit } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { fetchLane } from "./fetch-lane.ts";
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

/** Batches that this isolate is working on now. Locally there is one isolate, so nought means that nothing is in flight. */
export function batchesInFlight(): number {
  return batches;
}

/**
 * Works a batch through. When it returns, the messages are done with. When it throws, something of ours is broken or out of reach:
 * nothing is lost, for the rows are still queued, and the queue brings the messages back (and in the end to the dead-letter queue).
 */
export async function consume(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<void> {
  batches += 1;
  try {
    await work(hints, deps, allowPrivate);
    failure = null;
  } catch (error) {
    failure = batchFailure(error);
    throw error;
  } finally {
    batches -= 1;
  }
}

async function work(hints: Hint[], deps: Deps, allowPrivate: boolean): Promise<void> {
  const admitted = await step("admit", admit(hints, deps, allowPrivate)); //                       1 admit
  const { lanes, decided, broken } = admitted;
  if (broken !== undefined) await release(lanes, deps, new BatchFailure("admit", broken));
  const runs = await step("fetch", fetchLanes(lanes, deps)); //                                       2 fetch, 3 extract
  const attempts = [...decided, ...runs.flatMap((run) => run.attempts)];
  const giveUp = (error: unknown) => release(lanes, deps, error);
  const packs = await step("write", writePacks(attempts, deps)).catch(giveUp); //                      4 write
  packs.push(...runs.flatMap((run) => run.packs));
  const moved = await step("commit", commit(attempts, packs, deps)).catch(giveUp); //                  5 commit
  await step("schedule", schedule(admitted, runs, moved, deps)); //                                   6 schedule
}

/** What a batch could not do where a step broke, in words that name nothing of ours. */
const STEPS = {
  admit: "the ledger or a host's gate could not be asked",
  fetch: "the mirror could not be written",
  write: "the mirror could not be written",
  commit: "the ledger could not be written",
  schedule: "what follows could not be sent",
} as const;

class BatchFailure extends Error {
  constructor(at: keyof typeof STEPS, cause: unknown) {
    super(STEPS[at], { cause });
  }
}

function step<T>(at: keyof typeof STEPS, doing: Promise<T>): Promise<T> {
  return doing.catch((error) => {
    throw new BatchFailure(at, error);
  });
}

/** For people: what the batch that threw this could not do. */
export function batchFailure(error: unknown): string {
  return error instanceof BatchFailure ? error.message : "a batch could not be worked through";
}

/** All lanes side by side. Where one breaks, the others finish first, and then every host is free again. */
async function fetchLanes(lanes: Lane[], deps: Deps) {
  const ends = await Promise.allSettled(lanes.map((lane) => fetchLane(lane, deps)));
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) return release(lanes, deps, broken.reason);
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}

/** Frees the hosts of a batch that cannot be finished, so that none waits for its lease to run out, and throws on. */
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
