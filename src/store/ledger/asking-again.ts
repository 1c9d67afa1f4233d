import { fitting } from "../records/fitting.ts";
import { toStoredJson } from "../records/stored-text.ts";
import { REOPENED } from "./fact-columns.ts";

/**
 * Requests redirects again, with the cookies that their chain has set since. A site may set a cookie and lead back to
 * the URL that was asked for; the row of that URL has ended as a redirect by then.
 */

/** A redirect that leads back into its own chain. */
export interface AskAgain {
  /** The URL to request again: the target. */
  url: string;
  /** The URL that leads back to it, and when it was fetched. Its outcome is committed in the same transaction. */
  page: string;
  fetchedAt: number;
  /** Redirects in a row up to this request. */
  redirects: number;
  /** A stored jar. */
  cookies: string;
}

/** The list has its own `crawl`, so that the planner looks up each row by the primary key. */
const LIST = `
SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'page' AS page, value ->> 'fetchedAt' AS fetched_at,
  value ->> 'redirects' AS redirects, value ->> 'cookies' AS cookies
FROM json_each(?2) WHERE EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND status IN ('running', 'paused') AND deleting_at IS NULL)`;

const isRedirect = (row: string) => `${row}.status = 'skipped' AND ${row}.reason = 'redirected'`;

/** Whether this transaction settled the page that leads back. */
const IS_SETTLED = `EXISTS (
  SELECT 1 FROM urls p WHERE p.crawl = j.crawl AND p.url = j.page AND ${isRedirect("p")} AND p.fetched_at = j.fetched_at)`;

const COUNT = `
WITH j AS MATERIALIZED (${LIST})
UPDATE crawls SET skipped = skipped - n.n, pending = pending + n.n, assets_pending = assets_pending + n.assets,
  growing_pending = growing_pending + n.growing
FROM (
  SELECT count(*) AS n, coalesce(sum(u.kind = 'asset'), 0) AS assets, coalesce(sum(u.priority < 0), 0) AS growing
  FROM j CROSS JOIN urls u ON u.crawl = j.crawl AND u.url = j.url WHERE ${isRedirect("u")} AND ${IS_SETTLED}) n
WHERE id = ?1 AND n.n > 0`;

const RELEASE = `
WITH j AS MATERIALIZED (${LIST})
UPDATE urls SET ${REOPENED}, redirects = j.redirects, cookies = j.cookies
FROM j WHERE urls.crawl = j.crawl AND urls.url = j.url AND ${isRedirect("urls")} AND ${IS_SETTLED}`;

/**
 * Statements for a commit, after the outcomes. The rows wait like retried ones. `askAgain`: each URL once. Run again at
 * once, they change nothing; counters hold in any case.
 */
export function planAskAgain(db: D1Database, crawl: string, askAgain: readonly AskAgain[]): D1PreparedStatement[] {
  if (askAgain.length === 0) return [];
  return fitting(askAgain)
    .map(toStoredJson)
    .flatMap((list) => [COUNT, RELEASE].map((sql) => db.prepare(sql).bind(crawl, list)));
}

/** A redirect that may lead back into its own chain. */
export interface Return {
  url: string;
  target: string;
}

const CHAIN = `
WITH RECURSIVE chain (page, target, url, via, redirects) AS (
  SELECT u.url, j.value ->> 'target', u.url, u.via, u.redirects
  FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
  UNION
  SELECT c.page, c.target, u.url, u.via, u.redirects
  FROM chain c CROSS JOIN urls u ON u.crawl = ?1 AND u.url = c.via WHERE c.redirects > 0
)
SELECT c.page, u.cookies FROM chain c CROSS JOIN urls u ON u.crawl = ?1 AND u.url = c.url WHERE c.url = c.target`;

/**
 * For each redirect whose target is itself or a URL that redirected to it, the cookies with which that was asked for.
 */
export async function findReturns(
  db: D1Database,
  crawl: string,
  returns: readonly Return[],
): Promise<Map<string, string | null>> {
  const { results } = await db
    .prepare(CHAIN)
    .bind(crawl, JSON.stringify(returns))
    .all<{ page: string; cookies: string | null }>();
  return new Map(results.map(({ page, cookies }) => [page, cookies]));
}
