import { backoffMs, type Pace, restMs } from "./pace.ts";

/**
 * The state of a host gate, and its decisions as functions over it: which URLs may go now, and what a finished lane
 * changes. Pure: the Durable Object brings the time and keeps the state.
 */

/** The longest work of one lane, about, in real time: no batch waits for one host for longer. */
export const LANE_BUDGET_MS = 5_000;
/** Real time for the commit and the settling, added to a lane's planned time and the timeout of its last fetch. */
const LEASE_MARGIN_MS = 30_000;
/** A suspect whose lane is lost this often while it goes alone is poison. */
const DEATHS_OF_POISON = 2;
const SPARED = -1;
const MAX_SUSPECTS = 1_000;

export interface HostState {
  /** The earliest start of the next request. */
  nextAt: number;
  /** Whether the host has ever sent an answer, whatever its status. */
  answered: boolean;
  /** Duration of the last fetch, from which the next rests are computed. */
  lastDurationMs: number;
  /** Failures of the host in a row. */
  failures: number;
  /**
   * When the first of them happened, and the reason of the last; null without failures, absent in the state of an older
   * version.
   */
  failingSince?: number | null;
  failureWhy?: string | null;
  lane: Lane | null;
  /**
   * URLs whose lane was lost, with the number of losses while each went alone. SPARED marks URLs that are not suspect
   * yet: their process ended as a whole, and on a local machine a person does that more often than a page.
   */
  suspects: Record<string, number>;
  /** The end of the slots that were given to waiting URLs. */
  line: number;
  /** The end of the slots that were given to each crawl's URLs. A new epoch starts again. */
  bookings: Record<string, { epoch: number; until: number }>;
}

interface Lane {
  token: string;
  /**
   * Names the workerd process that holds the lane, on a local machine: when that process has ended, so has the lane.
   * Else "".
   */
  boot: string;
  /** The planned end. */
  endsAt: number;
  /** The end of the lease. */
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
  /** Real time that one fetch may take. */
  timeoutMs: number;
  /** The clock's: converts real time to the time of `now`. */
  speed: number;
  token: string;
  boot: string;
}

/** `lost`: an earlier lane with this URL was lost, so it may have been fetched already. */
type Slot = { kind: "go"; lost: boolean } | { kind: "wait"; delayMs: number } | { kind: "poison" };

export interface LaneGrant {
  token: string;
  /** The earliest start of the first request. */
  startAt: number;
  /** The latest start of a request, so that all end within the lease. */
  lastStartAt: number;
}

/** Answers for each key, in the order of the request, and grants the lane if any key may go. Changes `state`. */
export function admitLane(
  state: HostState,
  request: LaneRequest,
  now: number,
): { slots: Slot[]; grant: LaneGrant | null } {
  expireLane(state, request, now);
  const spacing = spacingMs(state, request);
  const budgetMs = LANE_BUDGET_MS * request.speed;
  const slots: Slot[] = request.keys.map(() => ({ kind: "wait", delayMs: 0 }));
  let going = 0;
  const startAt = Math.max(now, state.nextAt);
  if (state.lane === null && startAt - now <= budgetMs) {
    const fit = spacing === 0 ? request.keys.length : Math.max(1, Math.floor((now + budgetMs - startAt) / spacing));
    const suspect = request.keys.findIndex((key) => {
      const deaths = state.suspects[key] ?? SPARED;
      return deaths !== SPARED && deaths < DEATHS_OF_POISON;
    });
    for (const [i, key] of request.keys.entries()) {
      if ((state.suspects[key] ?? 0) >= DEATHS_OF_POISON) {
        slots[i] = { kind: "poison" };
        delete state.suspects[key];
      } else if (suspect === -1 ? going < fit : i === suspect) {
        slots[i] = { kind: "go", lost: state.suspects[key] !== undefined };
        going += 1;
      }
    }
  }
  let grant: LaneGrant | null = null;
  if (going > 0) {
    const endsAt = startAt + going * spacing;
    const lastStartAt = endsAt + budgetMs;
    const expiresAt = lastStartAt + (request.timeoutMs + LEASE_MARGIN_MS) * request.speed;
    const keys = request.keys.filter((_, i) => slots[i]?.kind === "go");
    state.lane = { token: request.token, boot: request.boot, endsAt, expiresAt, keys };
    grant = { token: request.token, startAt, lastStartAt };
  }
  const waiting = slots.filter((slot) => slot.kind === "wait");
  const from = Math.max(state.nextAt, state.lane?.endsAt ?? 0, now + 1_000, state.line);
  for (const [i, slot] of waiting.entries()) slot.delayMs = slotTime(from, i, spacing, request) - now;
  if (waiting.length > 0) state.line = from + waiting.length * spacing;
  return { slots, grant };
}

/** Frees the host of a lost lane, and marks the lane's URLs as suspect: one of them may have killed the consumer. */
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
  // The last request of the lost lane may have started at any time until now.
  state.nextAt = Math.max(state.nextAt, Math.min(now, lane.expiresAt) + restMs(state.lastDurationMs, pace));
  state.lane = null;
}

export interface LaneReport {
  token: string;
  /** The batch broke before its results were committed: the mirror may hold pages that the lane fetched. */
  unfinished?: true;
  /** The earliest start of the next request, as the lane computed it. */
  nextAt: number;
  /** Real duration of its last fetch, or null when it made none. */
  lastDurationMs: number | null;
  answered: boolean;
  /**
   * The host failed (refused, timed out, 429, 503). `retryAfterMs` is its own Retry-After, or null; `why` is for
   * people.
   */
  failure: { retryAfterMs: number | null; why: string } | null;
}

/** Records a lane's report and frees the host. The report of a lost lane still counts for the pace. Changes `state`. */
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

/** Records what a request showed of the host. Changes `state`. */
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

/**
 * Books slots for `count` URLs of a crawl that are about to be sent, and returns the delay of each in milliseconds.
 * Changes `state`.
 */
export function bookSlots(
  state: HostState,
  booking: { crawl: string; epoch: number; count: number },
  request: Pick<LaneRequest, "pace" | "concurrency" | "speed">,
  now: number,
): number[] {
  for (const [crawl, { until }] of Object.entries(state.bookings)) if (until <= now) delete state.bookings[crawl];
  const { crawl, epoch, count } = booking;
  const booked = state.bookings[crawl];
  const spacing = spacingMs(state, request);
  const from = Math.max(now, state.nextAt, booked?.epoch === epoch ? booked.until : 0);
  if (spacing > 0) state.bookings[crawl] = { epoch, until: from + count * spacing };
  return Array.from({ length: count }, (_, i) => slotTime(from, i, spacing, request) - now);
}

/** How long one URL occupies the host, if its fetch takes as long as the last one. */
function spacingMs(state: HostState, { pace, concurrency }: Pick<LaneRequest, "pace" | "concurrency">): number {
  const rest = restMs(state.lastDurationMs, pace);
  if (rest === 0) return 0;
  return concurrency > 1 ? rest : rest + state.lastDurationMs;
}

/** The time of the slot number `i`. As many URLs as fit into a lane share one time, so they arrive as one batch. */
function slotTime(from: number, i: number, spacing: number, { speed }: Pick<LaneRequest, "speed">): number {
  if (spacing === 0) return from;
  const perLane = Math.max(1, Math.floor((LANE_BUDGET_MS * speed) / spacing));
  return from + Math.floor(i / perLane) * perLane * spacing;
}
