/** The kind of a URL in a crawl. An asset is a part of pages: an image, a style sheet, a script, a font. */
const URL_KINDS = ["page", "asset"] as const;
export type UrlKind = (typeof URL_KINDS)[number];

/** A page's priority is a whole number from 0 to this; the highest moves up first. */
export const MAX_PAGE_PRIORITY = 999;
/** Assets go before all pages, so that a stored page soon has its assets. */
export const ASSET_PRIORITY = MAX_PAGE_PRIORITY + 1;

/** Maximum number of style sheets in a row that import one another, starting at the page. */
export const MAX_ASSET_LEVELS = 5;
