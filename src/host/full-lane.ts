import { MAX_BATCH_URLS } from "../crawl/bounds/batch-size.ts";
import { type Pace, restMs, transferMs } from "./pace.ts";

/**
 * How much of a host's time its lanes take, by what the last ones took: with rests the planned time, without rests the
 * time that a full lane needs. So slots are as far apart as lanes are. Pure functions.
 */

/** The work of one lane, about, in real time: no batch works on one host for longer. */
export const LANE_BUDGET_MS = 5_000;
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
/** The number of lanes whose durations are remembered. */
const DURATIONS = 5;
/**
 * Real time before a lane that may count as its own: the queue and the batch need about that long where a batch is
 * due. If it all counted, slots that are too far apart would seem right.
 */
const DELIVERY_MS = 25;

/** What a host's state keeps of its last lanes. */
export interface LaneMemory {
  /** Durations of the last fetch of each of the last five lanes, the newest last. */
  durations: number[];
  /** The sizes of their bodies in bytes. The state of an older version has none. */
  bodySizes?: number[];
  /** How long each of the last five lanes without rests took, the newest last. A full lane takes no less. */
  laneTimes: number[];
  /** When the last lane was settled. */
  settledAt: number;
}

/**
 * How long one URL and its rest occupy the host, if its fetch takes as long and brings as much as the last five usually
 * did; 0 without rests. One slow answer lengthens the next rest, and no other.
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

/** The median of the last five, of which missing ones count as 0: the first slow answers say little of a host. */
function usual(lastFive: number[]): number {
  return median([...Array<number>(DURATIONS - lastFive.length).fill(0), ...lastFive]);
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

/** The last five, with a new one. */
export function withNewest(lastFive: number[], newest: number): number[] {
  return [...lastFive, newest].slice(-DURATIONS);
}
