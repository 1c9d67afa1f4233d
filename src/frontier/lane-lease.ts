import type { Clock } from "../core/clock.ts";
import type { OpenLane } from "./use-lane.ts";

/**
 * Real time that a lane's lease leaves for the request that starts now, in milliseconds. The rest of the lease, which
 * the gate adds, is for the commit and the settling.
 */
export function leaseLeftMs({ grant, policy }: Omit<OpenLane, "gate">, clock: Clock): number {
  return policy.timeoutMs + (grant.lastStartAt - clock.now()) / clock.speed;
}
