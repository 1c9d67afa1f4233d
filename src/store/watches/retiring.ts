import { TOPIC_EXHAUSTED } from "../../crawl/page/status.ts";
import { MAX_PAGE_PRIORITY } from "../../crawl/page/url-kind.ts";
import { planAdvance } from "../ledger/advance.ts";
import type { Plan } from "../ledger/plan.ts";
import { ALL_URLS, IN_WINDOW, type UrlRange } from "../ledger/row-windows.ts";
import { BACKLOG_CHUNK, BEST_FIRST } from "../ledger/waiting/backlog.ts";
import { receiversOf } from "../notices/outbox.ts";
import { FINISHED_IN, listFinishing } from "../records/finished-urls.ts";

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

/** SQL over a row of `urls` or `backlog`. */
const IS_PAGE = `priority <= ${MAX_PAGE_PRIORITY}`;

/** The crawl has reached its page limit. */
export const OVER_LIMIT: Retirement = {
  to: "skipped",
  reason: "'limit'",
  holds: "status = 'running' AND taken_pages >= page_limit AND pages_moving = 0",
  pagesAlone: true,
};

export const CANCELLED: Retirement = {
  to: "cancelled",
  reason: `CASE status WHEN 'cancelled_due_to_timeout' THEN 'time-limit' WHEN '${TOPIC_EXHAUSTED}' THEN 'topic-exhausted'
    ELSE 'cancelled' END`,
  holds: "status LIKE 'cancelled%'",
  pagesAlone: false,
};

interface Retired {
  /** Whether there may be more. */
  isMore: boolean;
  /** The receivers of the notices that it wrote. */
  told: string[];
}

/** Where open URLs are. The backlog comes before `queued`, because its rows have that status. */
export type OpenPlace = "backlog" | "pending" | "queued";

/**
 * Ends up to `most` open URLs, with their counters, and the open sitemaps. Then it ends the crawl, if no URL is open.
 * Only queued URLs have a range: no index finds them.
 */
export function planRetire(
  db: D1Database,
  crawl: string,
  from: OpenPlace,
  retirement: Retirement,
  most: number,
  now: number,
  { above, upTo }: UrlRange = ALL_URLS,
): Plan<Retired> {
  if (from === "backlog") return planRetireBacklog(db, crawl, retirement, Math.ceil(most / BACKLOG_CHUNK), now);
  const { to, reason, holds, pagesAlone } = retirement;
  const index = from === "pending" ? "INDEXED BY urls_pending" : "";
  const chosen = `FROM urls ${index} WHERE ${IN_WINDOW} AND status = '${from}'${pagesAlone ? ` AND ${IS_PAGE}` : ""}
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${holds}) LIMIT ${most}`;
  return {
    statements: [
      db.prepare(listFinishing(`SELECT url ${chosen}`)).bind(crawl, above, upTo),
      db
        .prepare(
          `UPDATE crawls SET ${from} = ${from} - n.n, ${to} = ${to} + n.n, assets_${from} = assets_${from} - n.assets,
             growing_${from} = growing_${from} - n.growing
           FROM (SELECT count(*) AS n, coalesce(sum(kind = 'asset'), 0) AS assets, coalesce(sum(priority < 0), 0) AS growing
             FROM (SELECT kind, priority ${chosen})) n WHERE id = ?1`,
        )
        .bind(crawl, above, upTo),
      db
        .prepare(
          `UPDATE urls SET status = '${to}', reason = (SELECT ${reason} FROM crawls WHERE id = ?1), due_at = NULL,
             finished_in = ${FINISHED_IN}
           WHERE crawl = ?1 AND url IN (SELECT url ${chosen})`,
        )
        .bind(crawl, above, upTo),
      retireSitemaps(db, crawl, retirement),
      ...planAdvance(db, crawl, now).statements,
    ],
    read: (results) => ({ isMore: results[2]?.meta.changes === most, told: receiversOf(results.at(-1)) }),
  };
}

/**
 * The same for the first chunks of the backlog. Their rows count as they are, should one of them have ended already.
 */
function planRetireBacklog(
  db: D1Database,
  crawl: string,
  retirement: Retirement,
  chunks: number,
  now: number,
): Plan<Retired> {
  const { to, reason, holds, pagesAlone } = retirement;
  const chosen = `FROM backlog WHERE crawl = ?1${pagesAlone ? ` AND ${IS_PAGE}` : ""}
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${holds}) ${BEST_FIRST} LIMIT ${chunks}`;
  const listed = `(SELECT priority, taken, urls ${chosen}) b CROSS JOIN json_each(b.urls) j`;
  const open = `${listed} CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value WHERE j.key >= b.taken AND u.status = 'queued'`;
  return {
    statements: [
      db.prepare(listFinishing(`SELECT u.url FROM ${open}`)).bind(crawl),
      db
        .prepare(
          `UPDATE crawls SET queued = queued - n.n, ${to} = ${to} + n.n, assets_queued = assets_queued - n.assets,
             growing_queued = growing_queued - n.growing, backlog = backlog - n.listed,
             assets_backlog = assets_backlog - n.listed_assets, growing_backlog = growing_backlog - n.listed_growing
           FROM (SELECT count(*) AS listed, coalesce(sum(b.priority > ${MAX_PAGE_PRIORITY}), 0) AS listed_assets,
               coalesce(sum(b.priority < 0), 0) AS listed_growing, coalesce(sum(u.status = 'queued'), 0) AS n,
               coalesce(sum(u.status = 'queued' AND u.kind = 'asset'), 0) AS assets,
               coalesce(sum(u.status = 'queued' AND u.priority < 0), 0) AS growing
             FROM ${listed} CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value WHERE j.key >= b.taken) n
           WHERE id = ?1`,
        )
        .bind(crawl),
      db
        .prepare(
          `UPDATE urls SET status = '${to}', reason = (SELECT ${reason} FROM crawls WHERE id = ?1), due_at = NULL,
             finished_in = ${FINISHED_IN}
           WHERE crawl = ?1 AND status = 'queued' AND url IN (SELECT j.value FROM ${listed} WHERE j.key >= b.taken)`,
        )
        .bind(crawl),
      db
        .prepare(
          `DELETE FROM backlog WHERE (crawl, priority, depth, seq) IN (SELECT crawl, priority, depth, seq ${chosen})`,
        )
        .bind(crawl),
      retireSitemaps(db, crawl, retirement),
      ...planAdvance(db, crawl, now).statements,
    ],
    read: (results) => ({ isMore: results[3]?.meta.changes === chunks, told: receiversOf(results.at(-1)) }),
  };
}

/** Ends the sitemaps of a crawl that are still open. */
export function retireSitemaps(db: D1Database, crawl: string, { to, reason, holds }: Retirement): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE sitemaps INDEXED BY sitemaps_host SET status = '${to}', reason = (SELECT ${reason} FROM crawls WHERE id = ?1), due_at = NULL
       WHERE crawl = ?1 AND (status = 'pending' OR status = 'queued') AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${holds})`,
    )
    .bind(crawl);
}
