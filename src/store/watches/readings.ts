import type { SitemapReading } from "../../crawl/page/outcome.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { fitting } from "../records/fitting.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { TAKES_VISITS } from "./settling-visits.ts";

/**
 * Sitemaps and feeds of a watch that are read again. Like a visit, a reading is no state of its row: an outcome settles
 * only while the row's number of readings is the one that the reading began with.
 */

export const IS_READ_AGAIN = "status IN ('completed', 'errored')";

/** What is known stays where a reading failed. A sitemap that could not be read at first may come to be read. */
const settleWhere = (recovers: boolean) => `
WITH again AS MATERIALIZED (
  SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'reading' AS reading, value ->> 'isRead' AS is_read,
    value ->> 'detail' AS detail, value ->> 'httpStatus' AS http_status, value ->> 'listed' AS listed,
    value ->> 'etag' AS etag, value ->> 'lastModified' AS last_modified, value ->> 'readAt' AS read_at
  FROM json_each(?2)
)
UPDATE sitemaps SET ${recovers ? "status = 'completed', reason = NULL," : ""}
  detail = iif(again.is_read, again.detail, sitemaps.detail),
  http_status = iif(again.is_read, again.http_status, sitemaps.http_status), listed = iif(again.is_read, again.listed, sitemaps.listed),
  etag = again.etag, last_modified = again.last_modified, readings = readings + 1, read_at = again.read_at, asked_at = NULL
FROM again WHERE sitemaps.crawl = ${TAKES_VISITS} AND sitemaps.url = again.url AND sitemaps.readings = again.reading
  AND ${recovers ? "sitemaps.status = 'errored' AND again.is_read" : `sitemaps.${IS_READ_AGAIN}`}`;

/** The status is left alone where it stays, because an index has it. */
const RECOVER = settleWhere(true);
const SETTLE = settleWhere(false);

export function planReadings(
  db: D1Database,
  crawl: string,
  readings: readonly SitemapReading[],
): D1PreparedStatement[] {
  if (readings.length === 0) return [];
  const all = toStoredJson(readings);
  return [RECOVER, SETTLE].map((sql) => db.prepare(sql).bind(crawl, all));
}

/** A watch whose sitemaps may be due. */
export interface ReadingWatch {
  id: string;
  epoch: number;
  everyMs: number;
  /** Completed pages. */
  pages: number;
  /** Sitemaps and feeds that are read again. */
  sources: number;
}

export class Readings extends LedgerStore {
  /** The watches at which to look now. */
  async watches(now: number): Promise<ReadingWatch[]> {
    return this.all<ReadingWatch>(
      `SELECT id, epoch, every_s * 1000 AS everyMs, completed AS pages,
           (SELECT count(*) FROM sitemaps s WHERE s.crawl = c.id AND s.${IS_READ_AGAIN}) AS sources
         FROM crawls c WHERE every_s IS NOT NULL AND watching_since IS NOT NULL AND status IN ('running', 'watching')
           AND deleting_at IS NULL AND coalesce(readings_at, 0) <= ?1`,
      [now],
    );
  }

  /**
   * For each host, up to `most`, the sitemap that was read the longest ago, if that was before `before`. None for a
   * host where a reading was sent after `sentAfter` that has not settled.
   */
  async due(
    crawl: string,
    { before, sentAfter, most }: { before: number; sentAfter: number; most: number },
  ): Promise<{ url: string; reading: number }[]> {
    const results = await this.all<{ url: string; reading: number }>(
      `SELECT url, readings AS reading, min(coalesce(read_at, fetched_at, 0)) AS lastAt FROM sitemaps
         WHERE crawl = ?1 AND ${IS_READ_AGAIN} AND coalesce(read_at, fetched_at, 0) <= ?2
           AND host NOT IN (SELECT host FROM sitemaps WHERE crawl = ?1 AND ${IS_READ_AGAIN} AND asked_at > ?3)
         GROUP BY host ORDER BY lastAt LIMIT ?4`,
      [crawl, before, sentAfter, most],
    );
    return results.map(({ url, reading }) => ({ url, reading }));
  }

  /** Notes that readings were sent, and when to look again. */
  async note(crawl: string, sent: readonly string[], now: number, nextAt: number): Promise<void> {
    await this.db.batch([
      ...fitting(sent).map((part) =>
        this.statement(
          "UPDATE sitemaps SET asked_at = ?3 WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))",
          [crawl, JSON.stringify(part), now],
        ),
      ),
      this.statement("UPDATE crawls SET readings_at = ?2 WHERE id = ?1", [crawl, nextAt]),
    ]);
  }
}
