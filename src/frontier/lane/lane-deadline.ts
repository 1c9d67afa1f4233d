import type { Clock } from "../../core/clock.ts";
import { inTime } from "../../core/in-time.ts";
import { LEASE_MARGIN_MS } from "../../host/host-state.ts";

/**
 * The deadline of a lane, for all that it waits for: its fetchers, the mirror, the hook, the ledger. Then its host is
 * given back (`LaneDriver.settleInTime`), and what was fetched is still committed. A fetcher or a write of the mirror
 * that has not ended by then has failed, because nobody knows whether it ever ends: its URL comes again. Calls of the
 * hook end by a limit of their own, so they go on without the lane, and no page is fetched again for them.
 */

/** A lane that a gate has granted: the last start of a request in it, and the real time that one may take. */
interface LaneTimes {
  grant: { lastStartAt: number };
  policy: { timeoutMs: number };
}

/** Real time for giving a lane back: the last of its lease. */
const LANE_SETTLING_MS = 10_000;
/** Real time that anything has at least. What was fetched is worth it, and a lane that is over holds no host. */
const LEAST_TIME_MS = LEASE_MARGIN_MS - LANE_SETTLING_MS;

/**
 * Real time that a lane's lease leaves for the request that starts now, in milliseconds. The rest of the lease, which
 * the gate adds, is for the commit and the settling.
 */
export function leaseLeftMs({ grant, policy }: LaneTimes, clock: Clock): number {
  return policy.timeoutMs + (grant.lastStartAt - clock.now()) / clock.speed;
}

/** Real time until the deadline of a lane, in milliseconds. */
export function deadlineLeftMs(lane: LaneTimes, clock: Clock): number {
  return leaseLeftMs(lane, clock) + LEASE_MARGIN_MS - LANE_SETTLING_MS;
}

/** Waits until the deadline of the last of these lanes. Throws then; what is late may still take effect. */
export async function untilDeadline<T>(event: Promise<T>, lanes: readonly LaneTimes[], clock: Clock): Promise<T> {
  const limitMs = Math.max(LEAST_TIME_MS, ...lanes.map((lane) => deadlineLeftMs(lane, clock)));
  return inTime(event, limitMs, () => new Error(`it did not end within ${Math.round(limitMs / 1_000)} s`));
}
