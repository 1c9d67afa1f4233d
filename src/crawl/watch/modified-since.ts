import { DAY_MS } from "../../core/clock.ts";
import type { CrawlOptions } from "../crawl-options.ts";

/** Decides by dates which pages a crawl with `modifiedSince` wants. */

/** A date without a time in a sitemap ends last in UTC−12, this long after it started in UTC. In milliseconds. */
export const END_OF_DAY_MS = DAY_MS + DAY_MS / 2;

/**
 * Whether a page with this date in a sitemap (milliseconds since the Unix epoch) is unchanged since `modifiedSince`.
 * False if the crawl does not set it.
 */
export function isUnchanged(lastmod: number, { modifiedSince }: Pick<CrawlOptions, "modifiedSince">): boolean {
  const latest = lastmod % DAY_MS === 0 ? lastmod + END_OF_DAY_MS : lastmod;
  return modifiedSince !== null && latest <= modifiedSince * 1000;
}

/**
 * Whether the request for a page may be conditional (RFC 9110, section 13.1.3). A 304 has no links, so it may be only
 * if the crawl would not follow the page's links. Otherwise, changed pages behind an unchanged page would not be found.
 */
export function isAskedOnCondition(pageDepth: number, { modifiedSince, source, depth }: CrawlOptions): boolean {
  return modifiedSince !== null && (source === "sitemaps" || pageDepth >= depth);
}
