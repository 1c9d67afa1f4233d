import { backoffMs, type Pace, restMs } from "./pace.ts";

/**
 * What a host gate remembers, and its two decisions as functions over it: who may go now, and what a finished lane changes.
 * Pure: the Durable Object brings the time and keeps the state.
 */

/** The work of one lane takes about this long at the most, so that a batch waits for no host for long. */
export const LANE_BUDGET_MS = 5_000;
/** Added to a lane's planned time and its last fetch's timeout: what the commit and the settling may take. */
const LEASE_MARGIN_MS = 30_000;
/** A suspect that dies alone this often is poison. */
const DEATHS_OF_POISON = 2;
const SPARED = -1;
const MAX_SUSPECTS = 1_000;

export interface HostState {
  /** No request may start before this. */
  nextAt: number;
  /** Whether the host ever sent an answer, of any status. */
  answered: boolean;
  /** Of the last fetch: what the pace to come is reckoned from. */
  lastDurationMs: number;
  /** Failures of the host in a row. */
  failures: number;
  /** The first of them, and what the last one was; null while there is none, absent in what an older version stored. */
  failingSince?: number | null;
  failureWhy?: string | null;
  lane: Lane | null;
  /**
   * URLs whose lane was lost, with how often each of them was lost when it went alone; SPARED for those that are not suspect yet,
   * because their whole process ended with them, which locally is somebody's doing more often than a page's.
   */
  suspects: Record<string, number>;
  /** Up to when waiting URLs were given slots. */
  line: number;
  /** Up to when each crawl's URLs were given slots; a new epoch starts anew. */
  bookings: Record<string, { epoch: number; until: number }>;
}

interface Lane {
  token: string;
  /** The workerd process that holds it, where that is known: locally, a lane of an earlier process is dead at once. */
  boot: string;
  /** When it should be done. */
  endsAt: number;
  /** When its lease runs out. */
  expiresAt: number;
  keys: string[];
}

export const FRESH_HOST: HostState = {
  nextAt: 0,
  answered: false,
  lastDurationMs: 0,
  failures: 0,
  lane: null,
  suspects: {},
  line: 0,
  bookings: {},
};

export interface LaneRequest {
  /** One per URL: crawl and URL. */
  keys: string[];
  pace: Pace;
  concurrency: number;
  timeoutMs: number;
  token: string;
  boot: string;
}

/** `lost`: a lane that held it before was lost, so it may have been fetched already. */
export type Slot = { kind: "go"; lost: boolean } | { kind: "wait"; delayMs: number } | { kind: "poison" };

export interface LaneGrant {
  token: string;
  /** The first request may start then. */
  startAt: number;
  /** No request may start after this, so that all are done while the lease lasts. */
  lastStartAt: number;
}

/** Answers for each key of the request, in its order, and grants the lane where anything may go. Changes `state`. */
export function admitLane(
  state: HostState,
  request: LaneRequest,
  now: number,
): { slots: Slot[]; grant: LaneGrant | null } {
  expireLane(state, request, now);
  const spacing = spacingMs(state, request);
  const slots: Slot[] = request.keys.map(() => ({ kind: "wait", delayMs: 0 }));
  const going: number[] = [];
  const startAt = Math.max(now, state.nextAt);
  if (state.lane === null && startAt - now <= LANE_BUDGET_MS) {
    const fit =
      spacing === 0 ? request.keys.length : Math.max(1, Math.floor((now + LANE_BUDGET_MS - startAt) / spacing));
    const suspect = request.keys.findIndex((key) => {
      const deaths = state.suspects[key] ?? SPARED;
      return deaths !== SPARED && deaths < DEATHS_OF_POISON;
    });
    for (const [i, key] of request.keys.entries()) {
      if ((state.suspects[key] ?? 0) >= DEATHS_OF_POISON) {
        slots[i] = { kind: "poison" };
        delete state.suspects[key];
      } else if (suspect === -1 ? going.length < fit : i === suspect) {
        slots[i] = { kind: "go", lost: state.suspects[key] !== undefined };
        going.push(i);
      }
    }
  }
  let grant: LaneGrant | null = null;
  if (going.length > 0) {
    const endsAt = startAt + going.length * spacing;
    const lastStartAt = endsAt + LANE_BUDGET_MS;
    const expiresAt = lastStartAt + request.timeoutMs + LEASE_MARGIN_MS;
    const keys = going.map((i) => request.keys[i] as string);
    state.lane = { token: request.token, boot: request.boot, endsAt, expiresAt, keys };
    grant = { token: request.token, startAt, lastStartAt };
  }
  const waiting = slots.filter((slot) => slot.kind === "wait");
  const free = Math.max(state.nextAt, state.lane?.endsAt ?? 0, now + 1_000);
  const times = slotTimes(Math.max(free, state.line), waiting.length, spacing);
  for (const [i, slot] of waiting.entries()) slot.delayMs = (times[i] as number) - now;
  if (waiting.length > 0) state.line = Math.max(free, state.line) + waiting.length * spacing;
  return { slots, grant };
}

/** A lost lane frees the host, and leaves its URLs suspect: one of them may have killed the consumer. */
function expireLane(state: HostState, { boot, pace }: LaneRequest, now: number): void {
  const { lane } = state;
  if (lane === null || (lane.expiresAt > now && lane.boot === boot)) return;
  for (const key of lane.keys) {
    const deaths = state.suspects[key];
    if (deaths === undefined) state.suspects[key] = lane.boot === boot ? 0 : SPARED;
    else if (deaths === SPARED) state.suspects[key] = 0;
    else if (lane.keys.length === 1) state.suspects[key] = deaths + 1;
  }
  for (const key of Object.keys(state.suspects).slice(0, -MAX_SUSPECTS)) delete state.suspects[key];
  // Its last request may have started at any time until now.
  state.nextAt = Math.max(state.nextAt, Math.min(now, lane.expiresAt) + restMs(state.lastDurationMs, pace));
  state.lane = null;
}

export interface LaneReport {
  token: string;
  /** The batch broke before its results were committed: what the lane fetched is to be looked for in the mirror. */
  unfinished?: true;
  /** The lane's own reckoning of when the next request may start. */
  nextAt: number;
  /** Duration of its last fetch, or null when none was made. */
  lastDurationMs: number | null;
  answered: boolean;
  /** The host failed (refused, timed out, 429, 503), and for how long it asked to be left alone, in milliseconds; `why` is for people. */
  failure: { retryAfterMs: number | null; why: string } | null;
}

/** Takes a lane's report and frees the host. A report of a lane that was lost meanwhile still counts for the pace. Changes `state`. */
export function settleLane(state: HostState, report: LaneReport, now: number): void {
  if (state.lane?.token === report.token) {
    for (const key of state.lane.keys) {
      if (report.unfinished) state.suspects[key] ??= SPARED;
      else delete state.suspects[key];
    }
    state.lane = null;
  }
  state.nextAt = Math.max(state.nextAt, report.nextAt);
  recordAnswer(state, report, now);
}

/** What a request to the host taught about it. Changes `state`. */
export function recordAnswer(
  state: HostState,
  report: Pick<LaneReport, "lastDurationMs" | "answered" | "failure">,
  now: number,
): void {
  if (report.lastDurationMs !== null) state.lastDurationMs = report.lastDurationMs;
  if (report.answered) state.answered = true;
  if (report.failure !== null) {
    if (state.failures === 0) state.failingSince = now;
    state.failures += 1;
    state.failureWhy = report.failure.why;
    state.nextAt = Math.max(state.nextAt, now + (report.failure.retryAfterMs ?? backoffMs(state.failures)));
  } else if (report.answered) {
    state.failures = 0;
    state.failingSince = null;
    state.failureWhy = null;
  }
}

/** Delays in milliseconds for `count` URLs of a crawl that are about to be sent, each to its slot. Changes `state`. */
export function bookSlots(
  state: HostState,
  booking: { crawl: string; epoch: number; count: number },
  request: Pick<LaneRequest, "pace" | "concurrency">,
  now: number,
): number[] {
  for (const [crawl, { until }] of Object.entries(state.bookings)) if (until <= now) delete state.bookings[crawl];
  const { crawl, epoch, count } = booking;
  const held = state.bookings[crawl];
  const spacing = spacingMs(state, request);
  const from = Math.max(now, state.nextAt, held?.epoch === epoch ? held.until : 0);
  const times = slotTimes(from, count, spacing);
  if (spacing > 0) state.bookings[crawl] = { epoch, until: from + count * spacing };
  return times.map((time) => time - now);
}

/** Time that one URL takes of the host, as far as the last fetch tells. */
function spacingMs(state: HostState, { pace, concurrency }: Pick<LaneRequest, "pace" | "concurrency">): number {
  const rest = restMs(state.lastDurationMs, pace);
  if (rest === 0) return 0;
  return concurrency > 1 ? rest : rest + state.lastDurationMs;
}

/** One lane's worth of URLs shares each time, so that they arrive as one batch. */
function slotTimes(from: number, count: number, spacing: number): number[] {
  const perLane = spacing === 0 ? count : Math.max(1, Math.floor(LANE_BUDGET_MS / spacing));
  return Array.from({ length: count }, (_, i) => from + Math.floor(i / perLane) * perLane * spacing);
}
