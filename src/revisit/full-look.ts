import { DAY_MS } from "../core/clock.ts";

/**
 * Decides which visits are unconditional: they ask for the whole page. Some servers answer 304 although the page has
 * changed, so a page is looked at in full by its own clock. A host that was caught is always asked in full for a while.
 */

/** Mean intervals between two complete answers of a page, at most. */
const MOST_INTERVALS = 4;
/** Visits, at most: pages that are visited many times in an interval. */
const MOST_VISITS = 10;
/** A host that was caught is trusted again after this time, or so many mean intervals if these are longer. */
const DISTRUST_MS = 30 * DAY_MS;
const DISTRUST_INTERVALS = 10;

/** Times are milliseconds since the epoch. */
export interface LookedAt {
  /** The number of settled visits. */
  count: number;
  /** The last visit, and the last complete answer: null if that is not known. */
  lastAt: number;
  fullAt: number | null;
  /** When a page of the host last had another text under the validators of an earlier one; null if none had. */
  liedAt: number | null;
}

/** Whether the visit at `now` is unconditional. It is if a visit after as long a time again would be too late. */
export function isFullLook({ count, lastAt, fullAt, liedAt }: LookedAt, everyMs: number, now: number): boolean {
  const distrustMs = Math.max(DISTRUST_MS, DISTRUST_INTERVALS * everyMs);
  if (liedAt !== null && now - liedAt < distrustMs) return true;
  if (count % MOST_VISITS === MOST_VISITS - 1 || fullAt === null) return true;
  return now - fullAt + (now - lastAt) > MOST_INTERVALS * everyMs;
}
