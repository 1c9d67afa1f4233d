/** What a URL is to a crawl. An asset is what pages show: an image, a style sheet, a script, a font. */
const URL_KINDS = ["page", "asset"] as const;
export type UrlKind = (typeof URL_KINDS)[number];

/** A page's priority is a whole number from 0 to this; the highest moves up first. */
export const MAX_PAGE_PRIORITY = 999;
/** Assets go before all pages, so that what a crawl has of a page is complete soon. */
export const ASSET_PRIORITY = MAX_PAGE_PRIORITY + 1;

/** Style sheets that lead to one another in a row, from the page on. */
export const MAX_ASSET_LEVELS = 5;
