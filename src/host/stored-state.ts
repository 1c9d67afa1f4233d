import { newTurn, type Turns } from "./crawl-turns.ts";
import { LANE_BUDGET_MS, VISIT_LANE_MS } from "./full-lane.ts";
import { FRESH_HOST, type HostState } from "./host-state.ts";

/** Reads what a gate has stored: the state of an older version, and times of a clock that was set back since. */

/** The longest rest: `minDelayMs` and `maxDelayMs` are at most ten minutes, a Crawl-delay counts up to five. */
const MAX_HOST_REST_MS = 600_000;
/** The longest rest that a bandwidth limit asks for. */
const MAX_BANDWIDTH_REST_MS = 86_400_000;
/** The longest back-off: Retry-After counts up to a day. */
const MAX_BACK_OFF_MS = 86_400_000;
/**
 * Real time from the last planned start of a lane to the end of its lease: `timeoutMs` is at most five minutes, a page
 * that a browser draws takes at most 90 seconds more, and 30 seconds are for what follows.
 */
const MAX_LEASE_MS = 420_000 + VISIT_LANE_MS;

/** The fields of version 0.1.0 that this version has no more, or did not have then. */
interface OldFields {
  bookings?: Record<string, { epoch: number; until: number }>;
}

/** The state of a host; a fresh one if nothing is stored. */
export function hostStateOf(stored: unknown): HostState {
  const old = structuredClone((stored ?? {}) as Partial<HostState> & OldFields);
  const booked = Object.entries(old.bookings ?? {}).map(([crawl, { epoch, until }]) => {
    return [crawl, { ...newTurn(epoch, until), bookedUntil: until }] as const;
  });
  const kept = Object.entries(old.crawls ?? {}).map(([crawl, turn]) => {
    return [crawl, { ...newTurn(turn.epoch, turn.seenAt), ...turn }] as const;
  });
  const crawls: Turns = Object.fromEntries([...booked, ...kept]);
  return { ...structuredClone(FRESH_HOST), ...old, crawls, line: 0, bookings: {} };
}

/**
 * Corrects times that lie too far ahead, after the clock was set back. The host then waits for as long as it would have
 * waited when they were stored, and in no case for longer than a rule can ask. Changes `state`.
 */
export function limitWaits(state: HostState, speed: number, now: number): void {
  const backMs = Math.max(0, state.asOf - now);
  const budgetMs = LANE_BUDGET_MS * speed;
  const plannedMs = Math.min(state.plannedRestMs ?? 0, MAX_BANDWIDTH_REST_MS);
  const maxWaitMs = Math.max(state.failures > 0 ? MAX_BACK_OFF_MS : MAX_HOST_REST_MS, plannedMs) + 2 * budgetMs;
  state.nextAt = Math.min(state.nextAt - backMs, now + maxWaitMs);
  if (state.lane !== null) {
    const maxLaneMs = MAX_HOST_REST_MS + budgetMs + VISIT_LANE_MS * speed;
    if (state.lane.timedFrom !== undefined) state.lane.timedFrom -= backMs;
    state.lane.endsAt = Math.min(state.lane.endsAt - backMs, now + maxLaneMs);
    state.lane.expiresAt = Math.min(state.lane.expiresAt - backMs, now + maxLaneMs + MAX_LEASE_MS * speed);
  }
  if (backMs === 0) return;
  state.settledAt -= backMs;
  if (state.failingSince !== null) state.failingSince -= backMs;
  for (const turn of Object.values(state.crawls)) {
    turn.seenAt -= backMs;
    turn.lineEndsAt -= backMs;
    turn.bookedUntil -= backMs;
    turn.returns = turn.returns.map((at) => at - backMs);
    if (turn.dueAt !== null) turn.dueAt -= backMs;
  }
  state.asOf = now;
}
