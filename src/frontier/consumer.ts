import { restMs } from "../host/pace.ts";
import { admit, type Lane } from "./admit.ts";
import { commit } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { fetchLane } from "./fetch-lane.ts";
import type { FrontierMessage } from "./message.ts";
import { schedule, settle } from "./schedule.ts";

/** The pipeline: what happens to a batch of the frontier, from its messages to the messages that follow from it. */

let batches = 0;

/** Batches that this isolate is working on now. Locally there is one isolate, so nought means that nothing is in flight. */
export function batchesInFlight(): number {
  return batches;
}

/**
 * Works a batch through. When it returns, the messages are done with. When it throws, something of ours is broken or out of reach:
 * nothing is lost, for the rows are still queued, and the queue brings the messages back (and in the end to the dead-letter queue).
 */
export async function consume(messages: FrontierMessage[], deps: Deps, allowPrivate: boolean): Promise<void> {
  batches += 1;
  try {
    const admitted = await admit(messages, deps, allowPrivate); //                   1 admit
    if (admitted.broken !== undefined) await release(admitted.lanes, deps, admitted.broken);
    const runs = await fetchLanes(admitted.lanes, deps); //                           2 fetch, 3 extract, 4 write
    const attempts = [...admitted.decided, ...runs.flatMap((run) => run.attempts)];
    const moved = await commit(attempts, deps).catch((error) => release(admitted.lanes, deps, error)); // 5 commit
    await schedule(admitted, runs, moved, deps); //                                   6 schedule
  } finally {
    batches -= 1;
  }
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
