/**
 * What the visits of all pages tell of each page: the prior of its rate.
 *
 * Its mean is the mean rate of the pages. Its weight says how alike they are: on a site whose pages change alike, a
 * page is best taken for the mean, and visits stay uniform; on a site with few busy pages, one change tells much. Each
 * visit is a forecast that some weights make better than others. The watch keeps the loss of each, and takes the best
 * one: an empirical Bayes estimate. docs/freshness.md says what it gains over a weight of 1.
 */
import {
  type ChangeCount,
  changeProbability,
  changesPerDay,
  countVisit,
  type RatePrior,
  toAmount,
  type Visit,
} from "./change-rate.ts";

/** Totals of a watch. All are sums over visits, so batches may add to them in any order. */
export interface SiteKnowledge extends ChangeCount {
  /** The logarithmic loss of the forecasts by each of `PRIOR_WEIGHTS`. */
  losses: readonly number[];
}

const PRIOR_WEIGHTS = [1 / 16, 1 / 4, 1, 4, 16];
/** The loss by which another weight must be better than 1, for each factor of 4 between them. */
const LOSS_PER_STEP = 2;
/** Before anything is known, a page is expected to change once in so many mean intervals. */
const INTERVALS_PER_CHANGE = 4;
/** Totals are halved when they cover so many mean intervals of each page. */
const MEMORY_INTERVALS = 64;
/** A forecast is never taken for certain. */
const LEAST_PROBABILITY = 0.001;

export const NOTHING_KNOWN: SiteKnowledge = { changes: 0, days: 0, losses: PRIOR_WEIGHTS.map(() => 0) };

/** The prior of a watch whose pages are visited every `everyDays` on average. */
export function priorOf({ changes, days, losses }: SiteKnowledge, everyDays: number): RatePrior {
  const perDay = (toAmount(changes) + 1) / (toAmount(days) + INTERVALS_PER_CHANGE * everyDays);
  let best = { weight: 1, loss: Number.POSITIVE_INFINITY };
  for (const [i, weight] of PRIOR_WEIGHTS.entries()) {
    const loss = toAmount(losses[i] ?? 0) + LOSS_PER_STEP * Math.abs(Math.log(weight) / Math.log(4));
    if (loss < best.loss) best = { weight, loss };
  }
  return { perDay, weight: best.weight };
}

/** What a visit adds to the totals. `page` is the page's count before the visit. */
export function learnFrom(page: ChangeCount, visit: Visit, prior: RatePrior): SiteKnowledge {
  const losses = PRIOR_WEIGHTS.map((weight) => {
    // Without earlier visits, all weights forecast the same.
    if (toAmount(page.days) === 0) return 0;
    const forecast = changeProbability(visit.days, changesPerDay(page, { ...prior, weight }));
    return -Math.log(Math.max(visit.changed ? forecast : 1 - forecast, LEAST_PROBABILITY));
  });
  return { ...countVisit(visit, changesPerDay(page, prior)), losses };
}

/** Whether the totals are to be halved, so that they stay bounded and follow the site. */
export function isFull(known: SiteKnowledge, pages: number, everyDays: number): boolean {
  return known.days > MEMORY_INTERVALS * everyDays * Math.max(pages, 1);
}
