import type { Reason } from "../../crawl/page/reason.ts";
import type { FinalStatus } from "../../crawl/page/status.ts";
import { type Advance, planAdvance, urlsOf } from "./advance.ts";
import { noteProgress } from "./crawl-notes.ts";
import { REOPENED } from "./fact-columns.ts";
import type { Plan } from "./plan.ts";

/** Retries URLs that have ended. They wait in the ledger like new URLs, and a crawl that has ended runs again. */

export interface Retry {
  /** The status in which the URLs ended. A completed page is not fetched again. */
  status: Exclude<FinalStatus, "completed">;
  reason: Reason | null;
  /** The crawl's new page limit; null keeps the current one. */
  limit: number | null;
}

/** Whether it takes up the pages of a dry run, which count towards the page limit until then. */
export function isOfDryPages({ status, reason }: Omit<Retry, "limit">): boolean {
  return status === "skipped" && (reason === null || reason === "dry-run");
}

/** URLs that one transaction retries. */
export const RETRY_CHUNK = 2_000;

/** Up to `most` URLs after `after`, in order, so a URL that fails again meanwhile is not retried twice. */
interface RetryChunk extends Retry {
  crawl: string;
  after: string;
  most: number;
}

/** URLs that one transaction retries. */
export interface Retried extends Advance {
  /** URLs, in no order; empty if there are no more. */
  retried: string[];
  /** Number of sitemaps: the first chunk has all of them. */
  reopened: number;
  /** Number of pages whose links an ended crawl has still to look at again: the first chunk has all of them. */
  unlooked: number;
}

const ENDED = "status NOT IN ('running', 'paused')";

/**
 * Counts first, while the rows still show the coming changes. A crawl that has ended runs again, with a new epoch and
 * its entire time limit, which a watch has for its first crawl alone. Completed pages still count towards the page
 * limit, and `bytes` stays the same, because no other row has bytes. The first chunk retries the sitemaps.
 */
export function planRetry(db: D1Database, chunk: RetryChunk, now: number, stallAfterMs: number): Plan<Retried> {
  const { crawl, status, reason, limit, after, most } = chunk;
  const chosen = `FROM urls WHERE crawl = ?1 AND url > ?2 AND status = '${status}' AND (?3 IS NULL OR reason = ?3)
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL) ORDER BY url LIMIT ${most}`;
  const sitemaps = `FROM sitemaps WHERE crawl = ?1 AND status = '${status}' AND (?3 IS NULL OR reason = ?3) AND ?2 = ''
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)`;
  // An end may come between the commit that lowers a page and the look at its links (store/ledger/waiting/lowered.ts).
  const unlooked = `FROM lowered l JOIN crawls c ON c.id = l.crawl
    WHERE l.crawl = ?1 AND ?2 = '' AND '${status}' = 'cancelled' AND c.${ENDED} AND c.deleting_at IS NULL`;
  const revive = `
UPDATE crawls SET
  ${status} = ${status} - n.n, pending = pending + n.n, assets_pending = assets_pending + n.assets, growing_pending = growing_pending + n.growing,
  dry_pages = dry_pages - n.dry,
  epoch = epoch + (${ENDED}),
  paused_ms = paused_ms + CASE WHEN ${ENDED} THEN max(0, coalesce(?4 - max(finished_at, coalesce(started_at, ?4)), 0)) ELSE 0 END,
  finished_at = NULL,
  deadline_at = CASE WHEN ${ENDED} AND watching_since IS NULL AND options ->> 'maxDurationS' > 0 THEN ?4 + 1000 * (options ->> 'maxDurationS') ELSE deadline_at END,
  options = CASE WHEN ?6 IS NULL THEN options ELSE json_set(options, '$.limit', CAST(?6 AS INTEGER)) END,
  page_limit = coalesce(?6, page_limit),
  status = CASE WHEN ${ENDED} THEN 'running' ELSE status END,
  ${noteProgress()}, updated_at = ?4, patience_ms = CASE WHEN ${ENDED} THEN ?5 ELSE patience_ms END, wake_at = max(wake_at, ?4 + ?5)
FROM (SELECT count(*) AS n, coalesce(sum(kind = 'asset'), 0) AS assets, coalesce(sum(priority < 0), 0) AS growing,
    coalesce(sum(reason = 'dry-run'), 0) AS dry
  FROM (SELECT kind, priority, reason ${chosen})) n
WHERE id = ?1 AND (n.n > 0 OR EXISTS (SELECT 1 ${sitemaps}) OR EXISTS (SELECT 1 ${unlooked}))`;
  const release = `
UPDATE urls SET ${REOPENED}
WHERE crawl = ?1 AND url IN (SELECT url ${chosen}) RETURNING url`;
  const reopen = `
UPDATE sitemaps SET status = 'pending', reason = NULL, detail = NULL, attempts = 0, http_status = NULL, listed = NULL, fetched_at = NULL,
  due_at = NULL
WHERE crawl = ?1 AND url IN (SELECT url ${sitemaps}) RETURNING url`;
  const advance = planAdvance(db, crawl, now);
  return {
    statements: [
      db.prepare(`SELECT count(*) AS n ${unlooked}`).bind(crawl, after),
      db.prepare(revive).bind(crawl, after, reason, now, stallAfterMs, limit),
      db.prepare(release).bind(crawl, after, reason),
      db.prepare(reopen).bind(crawl, after, reason),
      ...advance.statements,
    ],
    read(results) {
      type Row = { url: string };
      const [counted, , released, reopened, ...rest] = results as [
        D1Result<{ n: number }>,
        D1Result,
        D1Result<Row>,
        D1Result<Row>,
        ...D1Result[],
      ];
      const unlooked = counted.results[0]?.n ?? 0;
      return { ...advance.read(rest), retried: urlsOf(released), reopened: reopened.results.length, unlooked };
    },
    recall: {
      statements: advance.recall.statements,
      read: (answer, results) => ({ ...answer, ...advance.recall.read(answer, results) }),
    },
  };
}
