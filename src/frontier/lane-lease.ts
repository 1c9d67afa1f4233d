import type { Clock } from "../core/clock.ts";
import { SENT_PLAINLY, type Sending } from "../fetch/answer.ts";
import type { OpenLane } from "./use-lane.ts";

/**
 * Real time that a lane's lease leaves for the request that starts now, in milliseconds. The rest of the lease, which
 * the gate adds, is for the commit and the settling.
 */
export function leaseLeftMs(
  { grant, policy }: Pick<OpenLane, "grant" | "policy">,
  clock: Pick<Clock, "now" | "speed">,
): number {
  return policy.timeoutMs + (grant.lastStartAt - clock.now()) / clock.speed;
}

/** How a request is sent that starts now in a lane. */
export function sentIn(lane: Pick<OpenLane, "grant" | "policy">, clock: Pick<Clock, "now" | "speed">): Sending {
  return { ...SENT_PLAINLY, leaseMs: leaseLeftMs(lane, clock) };
}
