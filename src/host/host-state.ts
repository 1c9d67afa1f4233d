import { isoSeconds } from "../core/iso-seconds.ts";
import type { Reason } from "../crawl/page/reason.ts";
import { FAILURES_OF_LOST_HOST } from "../robots/policy.ts";
import {
  crawlsBefore,
  crawlsInTurn,
  expectAt,
  expected,
  expectReturns,
  forgetAbsent,
  recordArrival,
  type Turns,
  turnOf,
} from "./crawl-turns.ts";
import {
  type FullLane,
  fullLane,
  LANE_BUDGET_MS,
  type LaneMemory,
  longLaneMs,
  slotTime,
  spacingMs,
  timedFrom,
  timeOf,
  urlsOfLane,
  withLaneTime,
  withNewest,
} from "./full-lane.ts";
import { isLossOfHost, timesInARow } from "./host-failure.ts";
import { backoffMs, type Pace, restMs } from "./pace.ts";

/**
 * The state of a host gate, and its decisions as functions over it: which URLs may go now, and what a finished lane
 * changes. Pure: the Durable Object brings the time and keeps the state.
 */

/** Real time for the commit and the settling, added to a lane's planned time and the timeout of its last fetch. */
export const LEASE_MARGIN_MS = 30_000;
/** A suspect whose lane is lost this often while it goes alone is poison. */
const DEATHS_OF_POISON = 2;
const SPARED = -1;
/** Each may be a URL of 2,048 characters, and a stored value may have 2 MB. */
const MAX_SUSPECTS = 250;
/** A lane that is late is asked about again after as long as it is late: between these, the second in real time. */
const MIN_LATE_WAIT_MS = 1_000;
export const MAX_LATE_WAIT_MS = 30_000;

export interface HostState extends LaneMemory {
  /** The earliest start of the next request. */
  nextAt: number;
  /** Whether the host has ever sent an answer, whatever its status. */
  answered: boolean;
  /** Duration of the last fetch. */
  lastDurationMs: number;
  /** How far ahead `nextAt` was when a fetch set it. The state of an older version does not say. */
  plannedRestMs?: number;
  /** Failures of the host in a row. */
  failures: number;
  /** When the first of them happened, and the reason of the last; null without failures. */
  failingSince: number | null;
  failureWhy: string | null;
  /** Why the last of them had no answer; absent if it had one, and in the state of an older version. */
  failureReason?: Reason | undefined;
  /** Requests in a row that the host dropped, see host-failure.ts. */
  drops: number;
  lane: Lane | null;
  /**
   * URLs whose lane was lost, with the number of losses while each went alone. SPARED marks URLs that are not suspect
   * yet: their process ended as a whole, and on a local machine a person does that more often than a page.
   */
  suspects: Record<string, number>;
  /** The number of lanes that crawls got so far. */
  lanes: number;
  /** By crawl. */
  crawls: Turns;
  /** When this was stored; 0 in the state of an older version. */
  asOf: number;
  /** Unused. Version 0.1.0 must find them if it is deployed again. */
  line: number;
  bookings: Record<string, never>;
}

export interface Lane {
  token: string;
  /**
   * Names the workerd process that holds the lane, on a local machine: when that process has ended, so has the lane.
   * Else "".
   */
  boot: string;
  /** From when the time of a lane without rests counts. An older version does not say; then it is not remembered. */
  timedFrom?: number;
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
  durations: [],
  laneTimes: [],
  settledAt: 0,
  failures: 0,
  failingSince: null,
  failureWhy: null,
  drops: 0,
  lane: null,
  suspects: {},
  lanes: 0,
  crawls: {},
  asOf: 0,
  line: 0,
  bookings: {},
};

/** The end of the lease of the lane that holds the host; 0 without one. A lane of another process is dead. */
export function leaseEndOf({ lane }: HostState, boot: string): number {
  return lane?.boot === boot ? lane.expiresAt : 0;
}

export interface LaneRequest {
  /** One per URL: crawl and URL. */
  keys: string[];
  /** The epochs of the crawls, where they are known. */
  epochs?: Record<string, number>;
  pace: Pace;
  concurrency: number;
  /** Real time that one fetch may take. */
  timeoutMs: number;
  /** The work of the lane, about, in real time, if no other crawl waits for the host. Absent: `LANE_BUDGET_MS`. */
  laneMs?: number;
  /** As of `LanePolicy`. */
  longLanes?: boolean;
  /** The clock's: converts real time to the time of `now`. */
  speed: number;
  token: string;
  boot: string;
}

type Slot =
  /** `lost`: an earlier lane with this URL was lost, so it may have been fetched already. */
  | { kind: "go"; lost: boolean }
  /** `before`: the crawls that have a turn first. Only the first waiting URL of each crawl names them. */
  | { kind: "wait"; delayMs: number; before: string[] }
  | { kind: "poison" };

export interface LaneGrant {
  token: string;
  /** The earliest start of the first request. */
  startAt: number;
  /** The latest start of a request, so that all end within the lease. */
  lastStartAt: number;
  /** Requests in a row that the host dropped before this lane. A gate of an older version does not say. */
  drops?: number;
  /**
   * Whether the host rests between requests, and each crawl of the lane has URLs on their way to it that are due after
   * the lane. A gate of an older version does not say.
   */
  isFollowed?: boolean;
}

/**
 * Answers for each key, in the order of the request, and grants the lane if any key may go. URLs of crawls that share
 * the lane take turns. Changes `state`.
 */
export function admitLane(
  state: HostState,
  request: LaneRequest,
  now: number,
): { slots: Slot[]; grant: LaneGrant | null } {
  expireLane(state, request, now);
  forget(state, request.speed, now);
  const { keys, speed } = request;
  const spacing = spacingMs(state, request);
  const byCrawl = Map.groupBy(keys.keys(), (i) => crawlOf(keys[i] ?? ""));
  const isAlone = [...byCrawl.keys()].every((crawl) => othersMs(state, crawl, speed, now) === 0);
  const pace = { spacing, budgetMs: budgetMsOf(request, spacing, isAlone) };
  const full = fullLane(state, spacing, pace.budgetMs);
  for (const [crawl, group] of byCrawl) {
    const turn = turnOf(state.crawls, crawl, request.epochs?.[crawl] ?? 0, now);
    turn.turnMs = timeOf(Math.min(group.length, full.urls), full);
    recordArrival(turn, full.ms + othersMs(state, crawl, speed, now), speed, now);
  }
  const budgetMs = LANE_BUDGET_MS * speed;
  const slots: Slot[] = keys.map(() => ({ kind: "wait", delayMs: 0, before: [] }));
  const going: string[] = [];
  const startAt = Math.max(now, state.nextAt);
  if (state.lane === null && startAt - now <= budgetMs) {
    const fit = urlsOfLane(keys.length, full, spacing, pace.budgetMs);
    const inTurn = crawlsInTurn(state.crawls, [...byCrawl.keys()], startAt, speed, now);
    const order = takeTurns(inTurn.map((crawl) => byCrawl.get(crawl) ?? []));
    const suspect = order.find((i) => {
      const deaths = state.suspects[keys[i] ?? ""] ?? SPARED;
      return deaths !== SPARED && deaths < DEATHS_OF_POISON;
    });
    for (const i of order) {
      const key = keys[i] ?? "";
      if ((state.suspects[key] ?? 0) >= DEATHS_OF_POISON) {
        slots[i] = { kind: "poison" };
        delete state.suspects[key];
      } else if (suspect === undefined ? going.length < fit : i === suspect) {
        slots[i] = { kind: "go", lost: state.suspects[key] !== undefined };
        going.push(key);
      }
    }
  }
  const grant = going.length === 0 ? null : grantLane(state, request, going, startAt, spacing);
  if (grant !== null) {
    state.lanes += 1;
    for (const crawl of new Set(going.map(crawlOf))) turnOf(state.crawls, crawl, 0, now).servedIn = state.lanes;
  }
  for (const [crawl, group] of byCrawl) {
    const waiting = group.flatMap((i) => (slots[i]?.kind === "wait" ? [slots[i]] : []));
    queueUp(state, crawl, waiting, slotsAmong(state, crawl, pace, speed, now), speed, now);
  }
  if (grant !== null)
    grant.isFollowed = spacing > 0 && going.map(crawlOf).every((crawl) => lastSlotOf(state, crawl) > endOf(state));
  return { slots, grant };
}

/** The end of the slots of a crawl's URLs that are on their way. */
function lastSlotOf({ crawls }: HostState, crawl: string): number {
  const turn = crawls[crawl];
  return Math.max(turn?.bookedUntil ?? 0, turn?.lineEndsAt ?? 0);
}

/** The planned end of the lane that holds the host. */
function endOf({ lane }: HostState): number {
  return lane?.endsAt ?? 0;
}

/**
 * Grants a lane of one request to another gate, without a place among the crawls; null if the host rests for too long.
 * No lane may hold the host, but a lost one may. Changes `state`.
 */
export function lendLane(state: HostState, request: LaneRequest, now: number): LaneGrant | null {
  expireLane(state, request, now);
  const startAt = Math.max(now, state.nextAt);
  if (startAt - now > LANE_BUDGET_MS * request.speed) return null;
  return grantLane(state, request, request.keys, startAt, spacingMs(state, request));
}

function grantLane(
  state: HostState,
  { token, boot, speed, timeoutMs }: LaneRequest,
  keys: string[],
  startAt: number,
  spacing: number,
): LaneGrant {
  const endsAt = startAt + keys.length * spacing;
  const lastStartAt = endsAt + LANE_BUDGET_MS * speed;
  const expiresAt = lastStartAt + (timeoutMs + LEASE_MARGIN_MS) * speed;
  const timed = spacing === 0 ? { timedFrom: timedFrom(state, startAt, speed) } : {};
  state.lane = { token, boot, ...timed, endsAt, expiresAt, keys };
  return { token, startAt, lastStartAt, drops: state.drops };
}

/** The work of a lane, about, in the time of `now`. `isAlone`: whether no other crawl waits for the host. */
function budgetMsOf(
  { laneMs = LANE_BUDGET_MS, longLanes = false, speed }: Pick<LaneRequest, "laneMs" | "longLanes" | "speed">,
  spacing: number,
  isAlone: boolean,
): number {
  if (!isAlone) return LANE_BUDGET_MS * speed;
  return Math.max(longLanes ? longLaneMs(spacing, speed) : 0, laneMs * speed);
}

/** Gives slots to a crawl's waiting URLs, behind its own earlier ones and the turns of the crawls before it. */
function queueUp(
  state: HostState,
  crawl: string,
  waiting: Extract<Slot, { kind: "wait" }>[],
  full: FullLane,
  speed: number,
  now: number,
): void {
  const turn = state.crawls[crawl];
  const [first] = waiting;
  if (turn === undefined || first === undefined) return;
  const { lane } = state;
  const lateMs = lane === null ? 0 : Math.min(now - lane.endsAt, MAX_LATE_WAIT_MS * speed);
  const before = crawlsBefore(state.crawls, crawl, speed, now);
  const freeAt = Math.max(state.nextAt, lane?.endsAt ?? 0, now + Math.max(MIN_LATE_WAIT_MS, lateMs));
  const soonest = freeAt + before.reduce((sum, [, { turnMs }]) => sum + turnMs, 0);
  const [nextReturn] = turn.returns;
  const neededMs = timeOf(waiting.length, full);
  const hasRoom = nextReturn === undefined || nextReturn - soonest >= neededMs / 2;
  const from = hasRoom ? soonest : Math.max(soonest, turn.lineEndsAt);
  for (const [i, slot] of waiting.entries()) slot.delayMs = slotTime(from, i, full) - now;
  expectReturns(
    turn,
    waiting.map(({ delayMs }) => now + delayMs),
  );
  first.before = namesBefore(state, crawl, speed, now);
  turn.lineEndsAt = Math.max(turn.lineEndsAt, from + neededMs);
  expectAt(turn, from);
}

/** The other crawls that have a turn before this one: those in the lane, then those that were refused. */
export function namesBefore({ lane, crawls }: HostState, crawl: string, speed: number, now: number): string[] {
  const inLane = (lane?.keys ?? []).map(crawlOf).filter((other) => crawls[other] !== undefined);
  return [
    ...new Set([
      ...(inLane.includes(crawl) ? [] : inLane),
      ...crawlsBefore(crawls, crawl, speed, now).map(([other]) => other),
    ]),
  ];
}

/** The groups' members one after the other: the first of each, the second of each, and so on. */
function takeTurns(groups: number[][]): number[] {
  const rounds = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, n) => groups.flatMap((group) => group.slice(n, n + 1))).flat();
}

function crawlOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}

/** Drops crawls that are gone, with their suspects. */
function forget(state: HostState, speed: number, now: number): void {
  for (const crawl of forgetAbsent(state.crawls, speed, now)) {
    for (const key of Object.keys(state.suspects)) if (crawlOf(key) === crawl) delete state.suspects[key];
  }
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

/** A failure of a host. */
export interface HostFailure {
  /** Its own Retry-After; null if it sent none. */
  retryAfterMs: number | null;
  /** For people. */
  why: string;
  /** Why there was no answer; absent if there was one. A caller of an older version does not say. */
  reason?: Reason;
}

export interface LaneReport {
  token: string;
  /** The batch broke before its results were committed: the mirror may hold pages that the lane fetched. */
  unfinished?: true;
  /** The earliest start of the next request, as the lane computed it. */
  nextAt: number;
  /** Real duration of its last fetch, or null when it made none. */
  lastDurationMs: number | null;
  /** Size of the body of that fetch. A caller of an older version does not say. */
  lastBodyBytes?: number;
  /** Durations and sizes of its last fetches, the last one included. A caller of an older version does not say. */
  fetches?: { durationMs: number; bodyBytes: number }[];
  answered: boolean;
  /** Requests in a row that the host dropped, at the end of the lane. A caller of an older version does not say. */
  drops?: number;
  /** The host failed (refused, timed out, 429, 503). */
  failure: HostFailure | null;
}

/** Records a lane's report and frees the host. The report of a lost lane still counts for the pace. Changes `state`. */
export function settleLane(state: HostState, report: LaneReport, now: number): void {
  if (state.lane?.token === report.token) {
    for (const key of state.lane.keys) {
      if (report.unfinished) state.suspects[key] ??= SPARED;
      else delete state.suspects[key];
    }
    const { timedFrom: from } = state.lane;
    if (from !== undefined) state.laneTimes = withLaneTime(state.laneTimes, now - from);
    state.settledAt = now;
    state.lane = null;
  }
  restUntil(state, report.nextAt, now);
  recordAnswer(state, report, now);
  if (report.drops !== undefined) state.drops = report.drops;
}

/** Lets the host rest until `nextAt` at least. Changes `state`. */
export function restUntil(state: HostState, nextAt: number, now: number): void {
  state.nextAt = Math.max(state.nextAt, nextAt);
  state.plannedRestMs = Math.max(0, state.nextAt - now);
}

/** Records what a request showed of the host. Changes `state`. */
export function recordAnswer(
  state: HostState,
  report: Pick<LaneReport, "lastDurationMs" | "lastBodyBytes" | "fetches" | "answered" | "failure">,
  now: number,
): void {
  if (report.lastDurationMs !== null) {
    state.lastDurationMs = report.lastDurationMs;
    const { fetches = [{ durationMs: report.lastDurationMs, bodyBytes: report.lastBodyBytes ?? 0 }] } = report;
    state.durations = withNewest(
      state.durations,
      fetches.map(({ durationMs }) => durationMs),
    );
    state.bodySizes = withNewest(
      state.bodySizes ?? [],
      fetches.map(({ bodyBytes }) => bodyBytes),
    );
  }
  if (report.answered) {
    state.answered = true;
    state.drops = 0;
  }
  if (report.failure !== null) {
    if (state.failures === 0) state.failingSince = now;
    state.failures += 1;
    state.failureWhy = report.failure.why;
    state.failureReason = report.failure.reason;
    state.nextAt = Math.max(state.nextAt, now + (report.failure.retryAfterMs ?? backoffMs(state.failures)));
  } else if (report.answered) {
    state.failures = 0;
    state.failingSince = null;
    state.failureWhy = null;
    state.failureReason = undefined;
  }
}

/** A host that nobody could reach is asked again so soon that URLs of new crawls wait for it. */
const SHORT_HOST_WAIT_MS = 10_000;

/**
 * Why the URLs of a host that is down end now; null if they wait for it. It refuses connections again and again; or the
 * crawl has had no answer yet, and the host is not asked again soon. Its next request shows whether it is back.
 */
export function lossOf(state: HostState, isNew: boolean, now: number): { reason: Reason; detail: string } | null {
  const { failures, failureReason: reason, failureWhy, nextAt } = state;
  if (failures === 0 || reason === undefined || nextAt <= now) return null;
  const isLost = failures >= FAILURES_OF_LOST_HOST && reason === "connection";
  const isHopeless = isNew && isLossOfHost(reason) && nextAt - now > SHORT_HOST_WAIT_MS;
  if (!isLost && !isHopeless) return null;
  const times = timesInARow(failures);
  return { reason, detail: `it failed ${times} (${failureWhy}); it is asked again from ${isoSeconds(nextAt)} on` };
}

/**
 * Books slots for `count` URLs of a crawl that are about to be sent, and returns the delay of each in milliseconds.
 * Changes `state`.
 */
export function bookSlots(
  state: HostState,
  { crawl, epoch, count }: { crawl: string; epoch: number; count: number },
  request: Pick<LaneRequest, "pace" | "concurrency" | "speed" | "longLanes">,
  now: number,
): number[] {
  const { speed } = request;
  forget(state, speed, now);
  // They come back at once, to be refused.
  if (lossOf(state, false, now) !== null) return Array.from({ length: count }, () => 0);
  const turn = turnOf(state.crawls, crawl, epoch, now);
  const spacing = spacingMs(state, request);
  const isAlone = othersMs(state, crawl, speed, now) === 0;
  const pace = { spacing, budgetMs: budgetMsOf(request, spacing, isAlone) };
  const full = slotsAmong(state, crawl, pace, speed, now);
  // A lane whose results were committed late is settled when the next one may hold the host.
  const from = Math.max(now, state.nextAt, turn.bookedUntil, endOf(state));
  turn.bookedUntil = from + timeOf(count, full);
  if (count > 0) expectAt(turn, from);
  return Array.from({ length: count }, (_, i) => slotTime(from, i, full) - now);
}

/** The time of one turn of every other crawl that is expected. */
function othersMs(state: HostState, crawl: string, speed: number, now: number): number {
  return expected(state.crawls, crawl, speed, now).reduce((sum, [, { turnMs }]) => sum + turnMs, 0);
}

/**
 * A crawl's full lane, with the turns of other crawls before the next one. Without rests their turns do not count: a
 * URL that comes too early costs little there, and slots that were given while others had work would leave the host
 * idle after them.
 */
function slotsAmong(
  state: HostState,
  crawl: string,
  { spacing, budgetMs }: { spacing: number; budgetMs: number },
  speed: number,
  now: number,
): FullLane {
  const { urls, ms } = fullLane(state, spacing, budgetMs);
  return { urls, ms: spacing === 0 ? ms : ms + othersMs(state, crawl, speed, now) };
}
