import type { CrawlUrl } from "../../crawl/crawl.ts";
import type { FoundUrl, RecordDetail, WayStep } from "../../crawl/page/record-detail.ts";
import { URL_COLUMNS } from "../ledger/fact-columns.ts";
import { ALL_URLS, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";

/** Reads one record with the path to it and the URLs found on it. */

const MOST_STEPS = 100;
const MOST_FOUND = 200;

/**
 * Follows `via` backwards. Each step was discovered before the next, or is nearer to the seed if a nearer way was found
 * later. So a URL that is both a page and a sitemap causes no loop.
 */
const WAY = `
WITH RECURSIVE way (n, url, via, seq, depth, kind, title) AS (
  SELECT 0, url, via, seq, depth, 'page', title FROM urls WHERE crawl = ?1 AND url = ?2
  UNION ALL
  SELECT n + 1, way.via, CASE WHEN u.url IS NULL THEN s.via ELSE u.via END, coalesce(u.seq, way.seq), coalesce(u.depth, way.depth),
    CASE WHEN u.url IS NOT NULL THEN 'page' WHEN s.url IS NOT NULL THEN 'sitemap' ELSE 'robots.txt' END, u.title
  FROM way
    LEFT JOIN urls u ON u.crawl = ?1 AND u.url = way.via AND (u.seq < way.seq OR u.depth < way.depth)
    LEFT JOIN sitemaps s ON s.crawl = ?1 AND s.url = way.via
  WHERE way.via IS NOT NULL AND n < ${MOST_STEPS}
)
SELECT url, kind, title FROM way ORDER BY n DESC`;

/** Reads the crawl's rows: an index by `via` would be one more billed row for every URL. */
const FOUND = `SELECT url, status, title FROM urls WHERE ${IN_WINDOW} AND via = ?4 ORDER BY url LIMIT ?5`;

/** Null if the crawl has no row for it. */
export async function readRecordDetail(db: D1Database, crawl: string, url: string): Promise<RecordDetail | null> {
  const [records, way] = (await db.batch([
    db.prepare(`SELECT ${URL_COLUMNS} FROM urls WHERE crawl = ?1 AND url = ?2`).bind(crawl, url),
    db.prepare(WAY).bind(crawl, url),
  ])) as [D1Result<CrawlUrl>, D1Result<WayStep>];
  const record = records.results[0];
  if (record === undefined) return null;
  const found: FoundUrl[] = [];
  const read = ({ above, upTo }: UrlRange) =>
    db
      .prepare(FOUND)
      .bind(crawl, above, upTo, url, MOST_FOUND + 1 - found.length)
      .all<FoundUrl>();
  for await (const { results } of readInWindows(db, crawl, ALL_URLS, read))
    if (found.push(...results) > MOST_FOUND) break;
  return {
    record,
    way: way.results,
    found: found.slice(0, MOST_FOUND),
    hasMore: found.length > MOST_FOUND,
  };
}
