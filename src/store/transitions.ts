import type { CrawlOptions } from "../crawl/crawl-options.ts";
import type { Plan } from "./plan.ts";
import { CANCELLED, retireSitemaps } from "./retiring.ts";

/**
 * Requested changes of a crawl's status. Each happens once: its statement changes the row only while its guard holds.
 * Rows that belong to a change are written before it in the same batch, by statements with the same guard.
 */

export type CancelledStatus = "cancelled_by_user" | "cancelled_due_to_timeout" | "cancelled_due_to_limits";

/** Whether the crawl changed. `change`: the guarded statement; `others` follow it. */
function transition(change: D1PreparedStatement, ...others: D1PreparedStatement[]): Plan<boolean> {
  return { statements: [change, ...others], read: ([changed]) => (changed?.meta.changes ?? 0) > 0 };
}

const OPEN = "status IN ('running', 'paused')";

/** Raises the epoch, so messages in flight are dropped when they arrive. */
export function planPause(db: D1Database, crawl: string, now: number): Plan<boolean> {
  const sql = `
UPDATE crawls SET status = 'paused', epoch = epoch + 1, updated_at = ?2 WHERE id = ?1 AND status = 'running'`;
  return transition(db.prepare(sql).bind(crawl, now));
}

/** Starts a crawl that has not ended with a new epoch. `stalled`: only if it runs and is stalled at `now`. */
export function planRenew(
  db: D1Database,
  crawl: string,
  which: "open" | "stalled",
  now: number,
  wakeAt: number,
): Plan<boolean> {
  const guard = which === "open" ? OPEN : "status = 'running' AND wake_at <= ?2";
  const sql = `
UPDATE crawls SET status = 'running', epoch = epoch + 1, updated_at = ?2, wake_at = ?3 WHERE id = ?1 AND ${guard}`;
  return transition(db.prepare(sql).bind(crawl, now, wakeAt));
}

/** Changes the limits of a crawl that has not ended. */
export function planAmend(
  db: D1Database,
  crawl: string,
  limits: Partial<Pick<CrawlOptions, "limit" | "maxCostUsd">>,
  now: number,
): Plan<boolean> {
  const sql = `
UPDATE crawls SET options = json_patch(options, ?2), page_limit = coalesce(?2 ->> 'limit', page_limit), updated_at = ?3
WHERE id = ?1 AND ${OPEN} AND deleting_at IS NULL`;
  return transition(db.prepare(sql).bind(crawl, JSON.stringify(limits), now));
}

/** Ends a crawl and its sitemaps. Its open URLs end later, in chunks. */
export function planCancel(db: D1Database, crawl: string, as: CancelledStatus, now: number): Plan<boolean> {
  const sql = `
UPDATE crawls SET status = ?2, epoch = epoch + 1, updated_at = ?3, finished_at = ?3 WHERE id = ?1 AND ${OPEN}`;
  return transition(db.prepare(sql).bind(crawl, as, now), retireSitemaps(db, crawl, CANCELLED));
}
