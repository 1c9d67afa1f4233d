/**
 * How often a page changes, learned from visits that tell only whether it has changed since the last one.
 *
 * A page keeps two numbers, both discounted at each visit, so that old visits count less. A visit that finds a change
 * tells of one change or more. If `l` changes are expected, it stands for l / (1 - e^-l) of them: the mean of a Poisson
 * distribution without its zero. (Cho and Garcia-Molina, "Estimating Frequency of Change", 2003, show why counting it
 * as one is too low: https://doi.org/10.1145/857166.857170)
 */

/** Changes, and the days in which they were seen. */
export interface ChangeCount {
  changes: number;
  days: number;
}

/** The rate that a page is expected to have before its own visits count. */
export interface RatePrior {
  /** Changes per day and page: the site's mean. */
  perDay: number;
  /** How many changes of a page's own weigh as much as the prior. */
  weight: number;
}

export interface Visit {
  /** Days since the visit before. */
  days: number;
  changed: boolean;
  /**
   * Null without a signal; else the precision of the host's signals, 0 to 1. A signal that is right shows each change
   * as it happens, so the visit stands for one change.
   */
  signalPrecision: number | null;
}

/** The weight of earlier visits falls by this factor at each visit: by half in 23 visits. */
const DISCOUNT = 0.97;
/** A visit covers three years at most, so a clock that jumps leaves a bounded error. */
const MAX_DAYS = 1_100;
const MIN_PER_DAY = 1e-5;
/** A change each minute. */
const MAX_PER_DAY = 1_440;

/** The page's rate in changes per day, from 1e-5 to 1,440. */
export function changesPerDay({ changes, days }: ChangeCount, prior: RatePrior): number {
  return boundRate((toAmount(changes) + prior.weight) / (toAmount(days) + prior.weight / boundRate(prior.perDay)));
}

/** The changes that a visit stands for, and the days that it covers. `perDay` is the page's rate before the visit. */
export function countVisit({ days, changed, signalPrecision }: Visit, perDay: number): ChangeCount {
  const covered = Math.min(toAmount(days), MAX_DAYS);
  if (!changed) return { changes: 0, days: covered };
  const exact = Math.min(toAmount(signalPrecision ?? 0), 1);
  return { changes: exact + (1 - exact) * changesGivenAny(boundRate(perDay) * covered), days: covered };
}

/** The page's count after a visit. */
export function afterVisit(page: ChangeCount, visit: Visit, prior: RatePrior): ChangeCount {
  const seen = countVisit(visit, changesPerDay(page, prior));
  return {
    changes: DISCOUNT * toAmount(page.changes) + seen.changes,
    days: DISCOUNT * toAmount(page.days) + seen.days,
  };
}

/** The probability that a page has changed after so many days, 0 to 1. */
export function changeProbability(days: number, perDay: number): number {
  return -Math.expm1(-boundRate(perDay) * Math.min(toAmount(days), MAX_DAYS));
}

/** A rate within the bounds of `changesPerDay`. */
function boundRate(perDay: number): number {
  return Number.isNaN(perDay) ? MIN_PER_DAY : Math.min(Math.max(perDay, MIN_PER_DAY), MAX_PER_DAY);
}

/** The value itself, or 0 where it is no finite number above 0. */
export function toAmount(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** l / (1 - e^-l): near 1 for small `l`, near `l` for large. */
function changesGivenAny(expected: number): number {
  return expected === 0 ? 1 : expected / -Math.expm1(-expected);
}
