import type { LanePolicy } from "./gate-protocol.ts";

/** How a crawl behaves at most on a host that is not shown to be the operator's own, whatever its options say. */

/** The least time between two requests, in milliseconds. */
export const GUEST_DELAY_MS = 200;
export const GUEST_CONNECTIONS = 2;
/** The same with a session: nobody reads two pages a second for long. */
export const SESSION_DELAY_MS = 500;

/** For people. */
export const GUEST_LIMITS = `at most ${GUEST_CONNECTIONS} connections, ${GUEST_DELAY_MS / 1_000} s between requests, and robots.txt always`;

/** Whether the options want more than a guest gets. */
export function exceedsGuestLimits({
  minDelayMs,
  concurrency,
}: Pick<LanePolicy, "minDelayMs" | "concurrency">): boolean {
  return minDelayMs < GUEST_DELAY_MS || concurrency > GUEST_CONNECTIONS;
}

/** A delay that is off, whose host would not rest however long a fetch took, becomes the shortest one. */
function limitGuest<T extends Pick<LanePolicy, "minDelayMs" | "maxDelayMs" | "concurrency" | "hasSession">>(
  policy: T,
): T {
  const { minDelayMs, maxDelayMs, concurrency, hasSession } = policy;
  const leastMs = hasSession ? SESSION_DELAY_MS : GUEST_DELAY_MS;
  return {
    ...policy,
    minDelayMs: Math.max(minDelayMs, leastMs),
    maxDelayMs: minDelayMs === 0 ? leastMs : maxDelayMs,
    concurrency: Math.min(concurrency, GUEST_CONNECTIONS),
  };
}

declare const inForceMark: unique symbol;

/** A policy within the limits of its host. Only `inForce` makes one, so no request of a gate can forget them. */
export type PolicyInForce = LanePolicy & { readonly [inForceMark]: true };

/** The single place where a host's limits are applied. */
export function inForce(asked: LanePolicy, isOwn: boolean): PolicyInForce {
  return (isOwn ? asked : limitGuest(asked)) as PolicyInForce;
}
