/**
 * How far a host's signals (a sitemap's lastmod, a feed, IndexNow) are trusted: by how often they proved true.
 *
 * Each visit of a page is a test, whatever made it: was it signalled, and had it changed? Nobody has to visit a page
 * only to test a signal. What counts is skill, the share of hits beyond what the page's own rate forecasts: a host that
 * signals every page at every read is right about each page that changes, and has no skill.
 */
import { type ChangeCount, changeProbability, changesPerDay, type RatePrior, toAmount } from "./change-rate.ts";

/** Totals of a host. All are sums over visits, so batches may add to them in any order. */
export interface SignalCount {
  /** Visits of pages that were signalled as changed. */
  signalled: number;
  /** Those of them that had changed. */
  proved: number;
  /** The number of them that would have changed by their rates alone. */
  expected: number;
  /** Visits that found a change, signalled or not. */
  changed: number;
}

/** Both from 0 to 1. */
export interface SignalTrust {
  /** How far a signalled page is known to have changed. */
  precision: number;
  /** How far a page without a signal is known not to have changed. */
  recall: number;
}

export const NO_SIGNALS: SignalCount = { signalled: 0, proved: 0, expected: 0, changed: 0 };

/** A host begins with no trust: so many visits weigh against its signals. */
const DOUBT = 2;
/** Skill below this share does not count: forecasts are never exact, and a signal that is mostly wrong helps nobody. */
const LEAST_SKILL = 0.2;
/** A host with fewer tested signals is untested. */
const LEAST_TESTED = 5;
/** Totals are halved when they hold so many visits, so that they follow the host. */
export const MEMORY_VISITS = 512;

/**
 * What a visit adds to its host's totals. `page` is the page's count before the visit, `days` the time since the last.
 */
export function countSignal(
  { days, changed, isSignalled }: { days: number; changed: boolean; isSignalled: boolean },
  page: ChangeCount,
  prior: RatePrior,
): SignalCount {
  return {
    signalled: isSignalled ? 1 : 0,
    proved: isSignalled && changed ? 1 : 0,
    expected: isSignalled ? changeProbability(days, changesPerDay(page, prior)) : 0,
    changed: changed ? 1 : 0,
  };
}

/** Whether so few signals were tested that its trust says nothing yet. */
export function isUntested({ signalled }: SignalCount): boolean {
  return signalled < LEAST_TESTED;
}

export function trustOf({ signalled, proved, expected, changed }: SignalCount): SignalTrust {
  const skill = toShare(proved - expected, signalled - expected + DOUBT);
  const precision = Math.max(skill - LEAST_SKILL, 0) / (1 - LEAST_SKILL);
  // A host that announces everything has no recall worth the name.
  return { precision, recall: precision * toShare(proved, changed + DOUBT) };
}

function toShare(part: number, total: number): number {
  return total > 0 ? Math.min(toAmount(part) / total, 1) : 0;
}
