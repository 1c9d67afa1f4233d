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
/** Seeds, and pages that the crawl prefers. */
export const PREFERRED_PRIORITY = 900;
export const ORDINARY_PRIORITY = 0;
/** Assets go before all pages, so that a stored page soon has its assets. */
export const ASSET_PRIORITY = MAX_PAGE_PRIORITY + 1;

/** Priority that a pattern loses each time its number of URLs doubles. A million URLs lose 598. */
const LOSS_PER_DOUBLING = 30;
/** A preferred page stays before all others, however many there are of its kind. */
const MAX_LOSS = PREFERRED_PRIORITY - 1;

/**
 * The priority of the `nth` URL (from 1) of a pattern that was found on a page of the same pattern. It falls with the
 * logarithm of the number, so that the pattern gives way to the rest of the site and is still read in the end.
 */
export function growingPriority(priority: number, nth: number): number {
  return priority - Math.min(Math.ceil(LOSS_PER_DOUBLING * Math.log2(nth + 1)), MAX_LOSS);
}

/** The level of an asset that is described and not stored. Stored ones are one step or more from their page. */
export const DESCRIBED_LEVEL = 0;

/** In a crawl with `media`: whether a row stands for a media file that is described by ranges, and has no body. */
export function isDescribed({ kind, chain }: { kind: UrlKind; chain: number }): boolean {
  return kind === "asset" && chain === DESCRIBED_LEVEL;
}

/** Maximum number of style sheets in a row that import one another, starting at the page. */
export const MAX_ASSET_LEVELS = 5;
