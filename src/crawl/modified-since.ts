import type { CrawlOptions } from "./crawl-options.ts";

/** Decides by dates which pages a crawl with `modifiedSince` wants. */

const DAY_MS = 86_400_000;
/** A day that a sitemap names without a time ends last where it is UTC−12, this long after it began in UTC. */
const END_OF_DAY_MS = DAY_MS + DAY_MS / 2;

/**
 * Whether a page with this date in a sitemap (milliseconds since the Unix epoch) has not changed since. False where the
 * crawl does not ask.
 */
export function isUnchanged(lastmod: number, { modifiedSince }: Pick<CrawlOptions, "modifiedSince">): boolean {
  const latest = lastmod % DAY_MS === 0 ? lastmod + END_OF_DAY_MS : lastmod;
  return modifiedSince !== null && latest <= modifiedSince * 1000;
}

/**
 * Whether a server may be asked for the page on condition that it has changed (RFC 9110, section 13.1.3): a 304 has no
 * links, so only where the crawl would follow none of them. Others are asked for whole: else what has changed behind an
 * unchanged page is never found.
 */
export function isAskedOnCondition(pageDepth: number, { modifiedSince, source, depth }: CrawlOptions): boolean {
  return modifiedSince !== null && (source === "sitemaps" || pageDepth >= depth);
}
