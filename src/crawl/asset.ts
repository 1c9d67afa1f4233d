/**
 * Assets: the images, styles, scripts and fonts of pages, where a crawl keeps them. They are queued before pages, so that what is kept of a
 * page is whole soon; and as they alone have this priority, the index of what is pending tells them from pages without a column more.
 */
export const ASSET_PRIORITY = 2;

/** Style sheets that lead to one another in a row, from the page on. */
export const MAX_ASSET_LEVELS = 5;
