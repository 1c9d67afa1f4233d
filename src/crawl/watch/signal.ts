/**
 * The model of signals: what sitemaps, feeds and owners say about pages of a watch. A signal makes a page due before
 * its time. It says how often sources are read, and how many visits signals may bring. How far signals are trusted says
 * revisit/signal-trust.ts.
 */

/** A page that is said to have changed. */
export interface Signal {
  url: string;
  /** When it changed, in milliseconds since the epoch; null if that was not said. */
  lastmod: number | null;
  /** Whether it is due now. Otherwise, its next visit tests the signal. */
  isDue: boolean;
}

const READINGS_PER_INTERVAL = 8;
const LEAST_READING_MS = 60_000;
/** Readings in one mean interval that any watch may make. A larger watch may make a quarter as many as it has pages. */
const FREE_READINGS = 64;

/**
 * The time between two readings of a sitemap or a feed, in milliseconds. `sources`: their number in the watch. `pages`:
 * the number of its pages.
 */
export function readingIntervalMs(everyMs: number, sources: number, pages: number): number {
  const most = Math.max(pages / 4, FREE_READINGS);
  return Math.max(everyMs / READINGS_PER_INTERVAL, (everyMs * sources) / most, LEAST_READING_MS);
}

/** What a watch has spent on signals. */
export interface SignalBudget {
  /** Visits that signals had brought at the time `at`, less what had been paid off. */
  debt: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Completed pages. */
  pages: number;
  everyMs: number;
}

/** The least number of signals that any watch takes in one mean interval. */
export const LEAST_SIGNALS = 10;

/**
 * How many more visits signals may bring now. In one mean interval they bring at most as many as the watch has pages,
 * and half of that at once.
 */
export function signalRoom({ debt, at, pages, everyMs }: SignalBudget, now: number): number {
  const paid = (Math.max(pages, LEAST_SIGNALS) * Math.max(now - at, 0)) / everyMs;
  const left = Math.max(debt - paid, 0);
  return Math.max(0, Math.floor(Math.max(pages / 2, LEAST_SIGNALS) - left));
}
