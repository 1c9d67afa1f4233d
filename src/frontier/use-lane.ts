import type { Clock } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import type { Answered, PageRedirected, PageRejected } from "../crawl/outcome.ts";
import type { Admission, Gate, LanePolicy } from "../host/gate-protocol.ts";
import { decideHostFailure } from "../host/host-failure.ts";
import type { LaneReport } from "../host/host-state.ts";
import { pacerOf } from "../host/pace.ts";

/** Sends requests that have no rows in the ledger, in a lane that a gate granted. */

export interface OpenLane {
  gate: Gate;
  policy: LanePolicy;
  grant: NonNullable<Admission["lane"]>;
}

type Result = PageRejected | PageRedirected | (Answered & { kind: "page" | "head" });

/**
 * Sends one request after the other at the gate's pace, and gives the lane back. It ends early if the host fails, or if
 * `isOver` says so after the first request. Returns the results by URL; null for a request that failed in our own code.
 */
export async function useLane<T extends Result>(
  { gate, policy, grant }: OpenLane,
  urls: readonly string[],
  fetch: (url: string) => Promise<T>,
  clock: Pick<Clock, "now" | "sleep">,
  isOver: () => boolean = () => false,
): Promise<Map<string, T | null>> {
  const pacer = pacerOf(grant);
  const report: LaneReport = { token: grant.token, nextAt: 0, lastDurationMs: null, answered: false, failure: null };
  const results = new Map<string, T | null>();
  let drops = grant.drops ?? 0;
  for (const url of urls) {
    const isLate = Math.max(clock.now(), pacer.nextAt) > grant.lastStartAt;
    if (report.failure !== null || (results.size > 0 && (isLate || isOver()))) break;
    await clock.sleep(pacer.start(clock.now()) - clock.now());
    const result = await fetch(url).catch(() => null);
    const { durationMs, bodyBytes = 0, httpStatus } = result ?? { durationMs: 0, httpStatus: null };
    pacer.finish(clock.now(), durationMs, bodyBytes);
    const host = decideHostFailure(drops, result ?? { httpStatus });
    drops = host.drops;
    report.lastDurationMs = durationMs;
    report.lastBodyBytes = bodyBytes;
    if (httpStatus !== null) report.answered = true;
    if (host.failed && result?.kind === "rejected")
      report.failure = { retryAfterMs: result.retryAfterMs, why: result.detail };
    results.set(url, result);
  }
  const { crawlDelayMs } = grant.pace;
  // The results stand. A lane that is not given back is lost, and the gate waits for the end of its lease.
  await gate
    .settle({ ...report, nextAt: pacer.nextAt, drops, sending: [], policy, crawlDelayMs })
    .catch((error: unknown) => logError("lane-not-settled", error, {}));
  return results;
}
