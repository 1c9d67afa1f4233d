import { MAX_PAGE_PRIORITY } from "../crawl/url-kind.ts";
import { planAdvance } from "./advance.ts";
import type { Plan } from "./plan.ts";

/** Ends the open URLs of a crawl that will not continue, one chunk per transaction. */

export interface Retirement {
  to: "skipped" | "cancelled";
  /** SQL over the crawl's row. */
  reason: string;
  /**
   * SQL over the crawl's row: the condition that each transaction tests, because the crawl may change between two
   * transactions.
   */
  holds: string;
  /** It leaves assets alone. */
  pagesAlone: boolean;
}

/** The crawl has reached its page limit. */
export const OVER_LIMIT: Retirement = {
  to: "skipped",
  reason: "'limit'",
  holds: "status = 'running' AND taken_pages >= page_limit AND pages_queued = 0",
  pagesAlone: true,
};

export const CANCELLED: Retirement = {
  to: "cancelled",
  reason: "CASE status WHEN 'cancelled_due_to_timeout' THEN 'time-limit' ELSE 'cancelled' END",
  holds: "status LIKE 'cancelled%'",
  pagesAlone: false,
};

/**
 * Ends up to `most` URLs of one open status, with their counters, and the open sitemaps. Then it ends the crawl, if no
 * URL is open. The result is the number of URLs that it ended.
 */
export function planRetire(
  db: D1Database,
  crawl: string,
  from: "pending" | "queued",
  retirement: Retirement,
  most: number,
  now: number,
): Plan<number> {
  const { to, reason, holds, pagesAlone } = retirement;
  const index = from === "pending" ? "INDEXED BY urls_pending" : "";
  const chosen = `FROM urls ${index} WHERE crawl = ?1 AND status = '${from}'${pagesAlone ? ` AND priority <= ${MAX_PAGE_PRIORITY}` : ""}
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${holds}) LIMIT ${most}`;
  return {
    statements: [
      db
        .prepare(
          `UPDATE crawls SET ${from} = ${from} - n.n, ${to} = ${to} + n.n, assets_${from} = assets_${from} - n.assets,
             growing_${from} = growing_${from} - n.growing
           FROM (SELECT count(*) AS n, coalesce(sum(kind = 'asset'), 0) AS assets, coalesce(sum(priority < 0), 0) AS growing
             FROM (SELECT kind, priority ${chosen})) n WHERE id = ?1`,
        )
        .bind(crawl),
      db
        .prepare(
          `UPDATE urls SET status = '${to}', reason = (SELECT ${reason} FROM crawls WHERE id = ?1), due_at = NULL
           WHERE crawl = ?1 AND url IN (SELECT url ${chosen})`,
        )
        .bind(crawl),
      retireSitemaps(db, crawl, retirement),
      ...planAdvance(db, crawl, now).statements,
    ],
    read: (results) => results[1]?.meta.changes ?? 0,
  };
}

/** Ends the sitemaps of a crawl that are still open. */
export function retireSitemaps(db: D1Database, crawl: string, { to, reason, holds }: Retirement): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE sitemaps INDEXED BY sitemaps_status SET status = '${to}', reason = (SELECT ${reason} FROM crawls WHERE id = ?1), due_at = NULL
       WHERE crawl = ?1 AND status IN ('pending', 'queued') AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${holds})`,
    )
    .bind(crawl);
}
