import { MAX_BATCH_URLS, MAX_MESSAGE_URLS } from "../crawl/bounds/batch-size.ts";
import { type Pace, restMs, transferMs } from "./pace.ts";

/**
 * How much of a host's time its lanes take, by what the last ones took: with rests the planned time, without rests the
 * time that a full lane needs. So slots are as far apart as lanes are. Pure functions.
 */

/** The work of one lane, about, in real time, where other crawls wait for the host. */
export const LANE_BUDGET_MS = 5_000;
/**
 * The same where no other crawl waits: a lane then has as many URLs as a message, for each lane costs two rows, a
 * message and often a commit for itself. It is no longer, because a crawl that comes to the host waits for its end.
 */
export const PAGE_LANE_MS = 20_000;
/**
 * The same of a lane of visits alone for which no other crawl waits. A visit is in no hurry, and where each lane is a
 * commit of a few visits, what they share costs more than they do.
 */
export const VISIT_LANE_MS = 30_000;
/**
 * What a lane may be longer than planned, if no URL is left behind then: one costs a message, a lane and often a commit
 * for itself. URLs that share a message were planned when the host was a little faster.
 */
const LONGER = 1.25;
/** The number of fetches whose durations and sizes are remembered. */
export const REMEMBERED_FETCHES = 12;
const LEAST_FETCHES = 5;
/** The number of lanes whose times are remembered. */
const REMEMBERED_LANES = 5;
/**
 * Real time before a lane that may count as its own: the queue and the batch need about that long where a batch is
 * due. If it all counted, slots that are too far apart would seem right.
 */
const DELIVERY_MS = 25;

/** What a host's state keeps of its last lanes. */
export interface LaneMemory {
  /** Durations of the last fetches, the newest last. */
  durations: number[];
  /** The sizes of their bodies in bytes. The state of an older version has none. */
  bodySizes?: number[];
  /** How long each of the last five lanes without rests took, the newest last. A full lane takes no less. */
  laneTimes: number[];
  /** When the last lane was settled. */
  settledAt: number;
}

/**
 * How long one URL and its rest occupy the host, if its fetch takes as long and brings as much as the last ones
 * usually did; 0 without rests. One slow answer lengthens the next rest, and no other.
 */
export function spacingMs(
  { durations, bodySizes = [] }: LaneMemory,
  { pace, concurrency }: { pace: Pace; concurrency: number },
): number {
  const usualMs = usual(durations);
  const rest = restMs(usualMs, pace);
  const transfer = transferMs(usual(bodySizes), pace);
  if (rest === 0) return transfer;
  return Math.max(transfer, concurrency > 1 ? rest : rest + usualMs);
}

/** The median of the last ones, of which missing ones count as 0: the first slow answers say little of a host. */
function usual(last: number[]): number {
  return median([...Array<number>(Math.max(0, LEAST_FETCHES - last.length)).fill(0), ...last]);
}

/** The larger one of two in the middle; 0 for none. */
function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A lane that has no place left. */
export interface FullLane {
  urls: number;
  /** How long it holds the host. */
  ms: number;
}

/**
 * Without rests, a full lane is one batch, and takes as long as lanes usually did, the first one included: the links of
 * a crawl's first pages would otherwise all be due at once. So about as many URLs are due as the
 * host can serve, and another crawl's messages do not stand behind all of them in the queue.
 */
export function fullLane({ laneTimes }: LaneMemory, spacing: number, budgetMs: number): FullLane {
  if (spacing === 0) return { urls: MAX_BATCH_URLS, ms: Math.min(median(laneTimes), budgetMs) };
  const urls = Math.max(1, Math.round(budgetMs / spacing));
  return { urls, ms: urls * spacing };
}

/** The time of a lane for which no other crawl waits. */
export function longLaneMs(spacing: number, speed: number): number {
  return Math.max(LANE_BUDGET_MS * speed, Math.min(MAX_MESSAGE_URLS * spacing, PAGE_LANE_MS * speed));
}

/** How many of these URLs a lane takes, whenever it begins: without rests all of them. */
export function urlsOfLane(asked: number, { urls }: FullLane, spacing: number, budgetMs: number): number {
  return asked * spacing <= LONGER * budgetMs ? asked : urls;
}

/** The time of `count` URLs at the pace of full lanes. */
export function timeOf(count: number, { urls, ms }: FullLane): number {
  return Math.ceil((count * ms) / urls);
}

/** The time of the slot number `i`. As many URLs as fit into a lane share one time, so they arrive as one batch. */
export function slotTime(from: number, i: number, { urls, ms }: FullLane): number {
  return from + Math.floor(i / urls) * ms;
}

/** From when the time of a lane that starts at `startAt` counts. */
export function timedFrom({ settledAt }: LaneMemory, startAt: number, speed: number): number {
  return Math.max(settledAt, startAt - DELIVERY_MS * speed);
}

/** The last times of lanes, with a new one. */
export function withLaneTime(times: number[], newest: number): number[] {
  return [...times, newest].slice(-REMEMBERED_LANES);
}

/** The durations or sizes of the last fetches, with new ones. */
export function withNewest(last: number[], newest: number[]): number[] {
  return [...last, ...newest].slice(-REMEMBERED_FETCHES);
}
