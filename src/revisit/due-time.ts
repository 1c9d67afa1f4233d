import { DAY_MS } from "../core/clock.ts";

/**
 * When a page is due for its next visit.
 *
 * The aim is the least mean delay between a change and the visit that finds it. Changes that wait unseen for `t` days
 * since a visit cost rate * t^2 / 2 of delay, so all pages should be visited at the same cost: when rate * t^2 passes a
 * threshold. Intervals are then in proportion to 1 / sqrt(rate). Aiming at freshness would starve the pages that change
 * fastest (Cho and Garcia-Molina, "Effective Page Refresh Policies for Web Crawlers", 2003:
 * https://doi.org/10.1145/958942.958945).
 *
 * A signal of precision p adds 2 * p * t: the cost of one change that is known. Where changes are rare, a signalled
 * page is due nearly at once; where there are more changes than visits, the threshold shares the visits out.
 */
import { type ChangeCount, changesPerDay, type RatePrior } from "./change-rate.ts";
import type { SignalTrust } from "./signal-trust.ts";

export interface RevisitPolicy {
  /** The mean interval between visits of a page, in milliseconds, above 0. */
  everyMs: number;
  /** Visit all pages alike: signals and rates do not count. */
  isFixed: boolean;
  /** The factor of all intervals, moved by the controller (visit-budget.ts). */
  scale: number;
  prior: RatePrior;
}

export interface VisitedPage extends ChangeCount {
  /** The number of the page in its crawl, from 0: the order of discovery. */
  seq: number;
  /** The last visit, in milliseconds since the epoch. */
  visitedMs: number;
  /** False until the second visit. */
  isRevisited: boolean;
  /** Signalled as changed since the last visit. */
  isSignalled: boolean;
  /** The trust in the signals of its host, null if it gives none. */
  trust: SignalTrust | null;
}

/** What a query needs to leave out most rows that are not due, without a square root. Times are in days. */
interface DueTerms {
  leastDays: number;
  mostDays: number;
  /** The first revisits are spread over so many days. */
  firstDays: number;
  /** Due when rate * t^2 + 2 * precision * t reaches it. */
  threshold: number;
}

/** Multiples of the golden ratio, modulo 1, are spread evenly over every stretch of them. A query can compute them. */
const GOLDEN = 0.618_033_988_75;
/**
 * No page is due before this share of the mean interval. A page that is new at each visit has no rate that can be
 * known: so it costs at most as much as 32 others. Also, the scan looks at each row only some hundred times.
 */
const LEAST_SHARE = 1 / 32;
/**
 * Every page is due after so many mean intervals. The budget, the pace of its host and the rhythm of heartbeats hold it
 * back for a little longer: nine tenths of the pages are visited within 1.5 intervals, and none waits longer than 4.
 */
const MOST_INTERVALS = 1.45;
/** The same for a page without a signal, on a host whose signals tell all changes. */
const MOST_SILENT_INTERVALS = 3.5;
/** Pages without a signal are taken to change at least at this share of their rate, however good the signals were. */
const LEAST_SILENT_SHARE = 1 / 4;

export function dueTerms({ everyMs, isFixed, scale, prior }: RevisitPolicy): DueTerms {
  const everyDays = everyMs / DAY_MS;
  if (isFixed) return { leastDays: everyDays, mostDays: everyDays, firstDays: everyDays, threshold: 0 };
  const bounds = { leastDays: LEAST_SHARE * everyDays, mostDays: MOST_INTERVALS * everyDays };
  // A page at the mean rate is due after `scale` mean intervals.
  const firstDays = Math.min(boundDays(scale * everyDays, bounds), everyDays);
  return { ...bounds, firstDays, threshold: (scale * everyDays) ** 2 * prior.perDay };
}

/**
 * When the page is due, in milliseconds since the epoch. It follows from the row and today's policy alone, so nothing
 * that is stored becomes stale when the scale moves.
 *
 * First revisits are spread over at most one mean interval, pages that were found one after the other far apart. A
 * visit in the future tells that the clock was set back:
 * such a page is due now, and the budget spreads them.
 */
export function dueAt(page: VisitedPage, policy: RevisitPolicy, nowMs: number): number {
  const terms = dueTerms(policy);
  if (page.visitedMs > nowMs + terms.leastDays * DAY_MS) return nowMs;
  return page.visitedMs + Math.round(intervalDays(page, policy, terms) * DAY_MS);
}

function intervalDays(page: VisitedPage, { isFixed, prior }: RevisitPolicy, terms: DueTerms): number {
  const rate = changesPerDay(page, prior);
  const { precision, recall } = page.trust ?? { precision: 0, recall: 0 };
  const silent = page.isSignalled ? 1 : Math.max(1 - recall, LEAST_SILENT_SHARE);
  const { leastDays } = terms;
  const mostDays = terms.mostDays * (1 + recall * (MOST_SILENT_INTERVALS / MOST_INTERVALS - 1));
  const ordinary = isFixed
    ? terms.mostDays
    : boundDays(solveDays(silent * rate, 0, terms.threshold), { leastDays, mostDays });
  const days = page.isRevisited ? ordinary : ((page.seq * GOLDEN) % 1) * terms.firstDays;
  if (isFixed || !page.isSignalled || precision === 0) return days;
  return Math.min(days, boundDays(solveDays(rate, precision, terms.threshold), terms));
}

/** The root above 0 of rate * t^2 + 2 * precision * t = threshold, in a form that loses no digits. */
function solveDays(rate: number, precision: number, threshold: number): number {
  return threshold / (precision + Math.sqrt(precision ** 2 + rate * threshold));
}

function boundDays(days: number, { leastDays, mostDays }: { leastDays: number; mostDays: number }): number {
  return Math.min(Math.max(days, leastDays), mostDays);
}
