/**
 * The kind of a URL in a crawl. An asset is a part of pages: an image, a style sheet, a script, a font; or a media file
 * that is described.
 */
const URL_KINDS = ["page", "asset"] as const;
export type UrlKind = (typeof URL_KINDS)[number];

/**
 * A page's priority is a whole number from −999 to this; the highest moves up first. A negative number means that the
 * page gives way: it belongs to a pattern that grows, and the ledger limits how many of those are in motion.
 */
export const MAX_PAGE_PRIORITY = 999;
/** Seeds, and pages that the crawl prefers. In a crawl with a subject, preferred pages have up to 999. */
export const PREFERRED_PRIORITY = 900;
/** The best of the other pages, in a crawl with a subject. */
const BEST_PRIORITY = 880;
/** Steps of what is added or lost by a subject or a pattern: URLs that wait with the same priority share rows. */
const PRIORITY_STEP = 10;
export const ORDINARY_PRIORITY = 0;
/** Pages that test a learned rule at the end of a crawl. They go last, and give way to all others. */
export const TEST_PRIORITY = -1_000;
/** Assets go before all pages, so that a stored page soon has its assets. */
export const ASSET_PRIORITY = MAX_PAGE_PRIORITY + 1;

/** Steps that a pattern loses each time its number of URLs doubles. A million URLs lose 60, or 600. */
const STEPS_PER_DOUBLING = 3;
/** A preferred page stays before all others, however many there are of its kind. */
const MAX_LOSS = PREFERRED_PRIORITY - 1;

/** What speaks for a new page, and against it. */
export interface PageClaim {
  isPreferred: boolean;
  /** What its link says about the crawl's subject, 0 to 1; null in a crawl without a subject. */
  score: number | null;
  /**
   * Its number, from 1, among the URLs of a pattern that were found on pages of the same pattern; null if it belongs to
   * none.
   */
  nth: number | null;
}

/**
 * The priority of a new page. With the number of its kind it falls by the logarithm, so that a pattern gives way to the
 * rest of the site and is still read in the end.
 */
export function pagePriority({ isPreferred, score, nth }: PageClaim): number {
  const loss =
    nth === null ? 0 : Math.min(Math.ceil(STEPS_PER_DOUBLING * Math.log2(nth + 1)) * PRIORITY_STEP, MAX_LOSS);
  if (score === null) return (isPreferred ? PREFERRED_PRIORITY : ORDINARY_PRIORITY) - loss;
  if (isPreferred) return stepped(PREFERRED_PRIORITY + score * (MAX_PAGE_PRIORITY - PREFERRED_PRIORITY)) - loss;
  return stepped(score * BEST_PRIORITY) - loss;
}

function stepped(priority: number): number {
  return Math.floor(priority / PRIORITY_STEP) * PRIORITY_STEP;
}

/** The level of an asset that is described and not stored. Stored ones are one step or more from their page. */
export const DESCRIBED_LEVEL = 0;

/** In a crawl with `media`: whether a row stands for a media file that is described by ranges, and has no body. */
export function isDescribed({ kind, chain }: { kind: UrlKind; chain: number }): boolean {
  return kind === "asset" && chain === DESCRIBED_LEVEL;
}

/** Maximum number of style sheets in a row that import one another, starting at the page. */
export const MAX_ASSET_LEVELS = 5;
