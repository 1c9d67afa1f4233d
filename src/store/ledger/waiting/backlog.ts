import { MAX_PAGE_PRIORITY } from "../../../crawl/page/url-kind.ts";

/**
 * The backlog: URLs that wait for a place in the queue. A row of the backlog lists up to BACKLOG_CHUNK of them, which
 * were discovered together and had the same priority and depth. They move up from its beginning, and nothing is written
 * to their own rows, which have status `queued` from the start: so waiting costs no row for each URL. No message names
 * a URL that is in the backlog.
 *
 * Retried URLs wait otherwise, with status `pending` and an index, because their numbers have gaps. Promotion merges
 * both by priority, depth and order of discovery.
 */

/** URLs of a row. It may grow but not shrink: IN_BACKLOG would miss URLs in stored rows that are longer. */
export const BACKLOG_CHUNK = 100;

/** The order in which URLs move up, over `urls` and `backlog`. */
export const BEST_FIRST = "ORDER BY priority DESC, depth, seq";

/** SQL: whether row `u` of `urls` is in the backlog. */
export const IN_BACKLOG = `EXISTS (
  SELECT 1 FROM backlog b WHERE b.crawl = u.crawl AND b.priority = u.priority AND b.depth = coalesce(u.listed_depth, u.depth)
    AND b.seq BETWEEN u.seq - ${BACKLOG_CHUNK - 1} AND u.seq AND u.seq >= b.seq + b.taken AND u.seq < b.seq + b.count)`;

/** Adds the URLs that this transaction discovered (?2) and did not queue. It runs after they have rows. */
export const ADD_TO_BACKLOG = `
INSERT INTO backlog (crawl, priority, depth, seq, count, urls)
SELECT ?1, u.priority, u.depth, min(u.seq), count(*), json_group_array(u.url ORDER BY u.seq)
FROM crawls c CROSS JOIN json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE c.id = ?1 AND c.tx_fresh > c.tx_granted AND u.seq > c.discovered - c.tx_fresh + c.tx_granted
GROUP BY u.priority, u.depth, u.seq / ${BACKLOG_CHUNK}`;

/** The promotion of this transaction. */
const OWN = "at = ?2 AND tx = ?3";

/** A transaction that runs again promotes nothing again, and keeps the ranges of its first run. */
const RUNS_AGAIN = `
UPDATE promotions SET pending = 0, assets_pending = 0, growing_pending = 0, backlog = 0, assets_backlog = 0, growing_backlog = 0
WHERE ${OWN}`;

const inOrder = `${BEST_FIRST} LIMIT coalesce((SELECT n FROM room), 0)`;
const isAsset = `priority > ${MAX_PAGE_PRIORITY}`;
const isGrowing = "priority < 0";
const sum = (from: "pending" | "backlog", which = "1") =>
  `coalesce(sum(CASE WHEN chunk IS ${from === "pending" ? "" : "NOT "}NULL AND ${which} THEN n END), 0)`;

/** Chooses what moves up. `room`: the number of URLs that may, as SQL over the crawl's row. */
const choose = (room: string) => `
INSERT INTO promotions (at, tx, crawl, pending, assets_pending, growing_pending, backlog, assets_backlog, growing_backlog, ranges)
WITH
  room AS MATERIALIZED (SELECT ${room} AS n FROM crawls WHERE id = ?1),
  w AS (
    SELECT priority, depth, seq, 1 AS n, NULL AS chunk
    FROM (SELECT priority, depth, seq FROM urls INDEXED BY urls_pending WHERE crawl = ?1 AND status = 'pending' ${inOrder})
    UNION ALL
    SELECT priority, depth, seq + taken, count - taken, seq
    FROM (SELECT priority, depth, seq, taken, count FROM backlog WHERE crawl = ?1 ${inOrder})
  ),
  r AS (SELECT *, sum(n) OVER (${BEST_FIRST} ROWS UNBOUNDED PRECEDING) - n AS before FROM w),
  m AS (
    SELECT r.priority, r.depth, r.seq, r.chunk, min(r.n, room.n - r.before) AS n, r.n <= room.n - r.before AS is_rest
    FROM r CROSS JOIN room
    WHERE r.before < room.n
  )
SELECT ?2, ?3, ?1, ${sum("pending")}, ${sum("pending", isAsset)}, ${sum("pending", isGrowing)},
  ${sum("backlog")}, ${sum("backlog", isAsset)}, ${sum("backlog", isGrowing)},
  json_group_array(json_array(priority, depth, chunk, seq - chunk, n, is_rest)) FILTER (WHERE chunk IS NOT NULL)
FROM m HAVING count(*) > 0
ON CONFLICT DO NOTHING`;

const PROMOTE_PENDING = `
UPDATE urls SET status = 'queued', tx = ?3 WHERE crawl = ?1 AND url IN (
  SELECT url FROM urls INDEXED BY urls_pending WHERE crawl = ?1 AND status = 'pending' ${BEST_FIRST}
  LIMIT coalesce((SELECT pending FROM promotions WHERE ${OWN}), 0))
RETURNING url`;

/** The ranges of this transaction, as a list that has its own `crawl`, so that the planner looks up each row. */
const RANGES = `
SELECT ?1 AS crawl, j.value ->> 0 AS priority, j.value ->> 1 AS depth, j.value ->> 2 AS seq, j.value ->> 3 AS taken, j.value ->> 4 AS n,
  j.value ->> 5 AS is_rest
FROM promotions p CROSS JOIN json_each(p.ranges) j WHERE p.at = ?2 AND p.tx = ?3`;

/** Rows of which nothing is left. They are removed as they are: a row that is changed first is written twice. */
const TAKE_REST = `
DELETE FROM backlog WHERE (crawl, priority, depth, seq) IN (SELECT crawl, priority, depth, seq FROM (${RANGES}) WHERE is_rest)
RETURNING priority, depth, seq, taken AS "from", count AS until, urls`;

/** The beginnings of the others. */
const TAKE = `
WITH r AS MATERIALIZED (SELECT * FROM (${RANGES}) WHERE NOT is_rest)
UPDATE backlog SET taken_before = r.taken, taken = r.taken + r.n
FROM r WHERE backlog.crawl = r.crawl AND backlog.priority = r.priority AND backlog.depth = r.depth AND backlog.seq = r.seq
  AND backlog.taken = r.taken
RETURNING priority, depth, seq, taken_before AS "from", taken AS until, urls`;

/** What this transaction moved up: one row, of zeros if it moved nothing. */
export const PROMOTED = `
SELECT coalesce(sum(pending), 0) AS pending, coalesce(sum(assets_pending), 0) AS assets_pending,
  coalesce(sum(growing_pending), 0) AS growing_pending, coalesce(sum(backlog), 0) AS backlog,
  coalesce(sum(assets_backlog), 0) AS assets_backlog, coalesce(sum(growing_backlog), 0) AS growing_backlog
FROM promotions WHERE ${OWN}`;

/** The URLs that a transaction queued. It reads the crawl's rows, but only after a transient error of the database. */
export const QUEUED_BY_TRANSACTION = `
WITH r AS MATERIALIZED (${RANGES})
SELECT url FROM urls u WHERE u.crawl = ?1 AND u.status = 'queued' AND (u.tx = ?3
  OR EXISTS (SELECT 1 FROM r WHERE u.seq >= r.seq + r.taken AND u.seq < r.seq + r.taken + r.n))`;

/** Statements that move up the best of the URLs that wait, and their results. */
export function planPromotion(db: D1Database, crawl: string, now: number, tx: number, room: string) {
  const statements = [RUNS_AGAIN, choose(room), PROMOTE_PENDING, TAKE_REST, TAKE].map((sql) =>
    db.prepare(sql).bind(crawl, now, tx),
  );
  return {
    statements,
    /** The URLs that moved up. */
    read(results: D1Result[]): string[] {
      const [, , pending, emptied, taken] = results as [
        ...[D1Result, D1Result, D1Result<{ url: string }>],
        ...[D1Result<Taken>, D1Result<Taken>],
      ];
      const chunks = [...emptied.results, ...taken.results].toSorted(
        (a, b) => b.priority - a.priority || a.depth - b.depth || a.seq - b.seq,
      );
      return [
        ...pending.results.map(({ url }) => url),
        ...chunks.flatMap(({ urls, from, until }) => (JSON.parse(urls) as string[]).slice(from, until)),
      ];
    },
  };
}

interface Taken {
  priority: number;
  depth: number;
  seq: number;
  from: number;
  until: number;
  urls: string;
}
