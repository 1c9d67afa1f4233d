import { MAX_BATCH_URLS } from "../crawl/batch-size.ts";
import { nameTransaction, type Plan } from "./plan.ts";
import { SITEMAPS_OPEN } from "./sitemaps.ts";

/**
 * Moves pending URLs up into the queue, and ends a crawl without open URLs. These are the last statements of every
 * transaction that changes rows.
 */

/** The state of the crawl after a transaction. */
interface CrawlState {
  status: string;
  epoch: number;
  pending: number;
  queued: number;
  /** Pending pages. The page limit does not hold back assets. */
  pages_pending: number;
  pages_queued: number;
  /** Pages that count towards the limit: completed pages, and in a dry run those that would be fetched. */
  taken: number;
  page_limit: number;
  /** Whether any sitemap is pending or queued. */
  sitemaps_open: 0 | 1;
  /** Whether this transaction ended the crawl. */
  tx_ended: 0 | 1;
  /** A `Usage` in JSON. */
  usage: string;
}

/** Whether a crawl has reached its page limit and has pages or sitemaps left, which it will skip. */
export function isFull({ status, pages_pending, pages_queued, taken, page_limit, sitemaps_open }: CrawlState): boolean {
  const isLeft = pages_pending > 0 || sitemaps_open === 1;
  return status === "running" && taken >= page_limit && pages_queued === 0 && isLeft;
}

/** Pending assets for which the queue has places. */
const ASSETS_UP = "CASE WHEN status = 'running' THEN max(0, min(assets_pending, max_queued - queued)) ELSE 0 END";
/** Pages within the page limit for which the queue has places beside all assets. */
const PAGE_PLACES = `CASE WHEN status = 'running'
  THEN max(0, min(page_limit - taken_pages - pages_queued, max_queued - assets_pending - queued)) ELSE 0 END`;

/**
 * The maximum number of growing pages in motion, as SQL over the crawl's row. Growing pages have negative priorities:
 * they belong to patterns that grow (crawl/url-kind.ts). The number is for all patterns of the crawl together, because
 * a counter in the crawl's row gives it exactly without a write or an index, whereas a number for each pattern would
 * cost a row at each commit. `othersOpen`: other pages that are pending or queued. `left`: pages that the limit still
 * allows.
 *
 * While others are open, it is a batch for each host, and at most a fortieth of `left`: a long path of other pages,
 * which are found one after the other, comes to its end before the growing ones have used up the limit. Each host has
 * two at least, because hosts at the usual pace give a page a second. While no others are open, it is a twentieth of
 * `left`, because a URL that waits costs two written rows more; and at least a batch for each host, which does not slow
 * a crawl down, for a host has one lane at a time.
 */
export const growingPlaces = (othersOpen: string, left: string) => {
  const perHost = (most: number, share: number) => `min(${most} * json_array_length(hosts), (${left}) / ${share})`;
  return `CASE WHEN ${othersOpen} > 0 THEN max(5, ${perHost(2, 4)}, ${perHost(MAX_BATCH_URLS, 40)})
    ELSE max(${MAX_BATCH_URLS}, ${perHost(MAX_BATCH_URLS, 4)}, (${left}) / 20) END`;
};

/** Both are kept within the exact counters: code of before migration 0012 may still run, and does not change them. */
const GROWING_PENDING = "max(0, min(growing_pending, pages_pending))";
const GROWING_QUEUED = "max(0, min(growing_queued, pages_queued))";
const OTHERS_PENDING = `(pages_pending - ${GROWING_PENDING})`;
const OTHERS_UP = `min(${OTHERS_PENDING}, ${PAGE_PLACES})`;
const GROWING_PLACES = growingPlaces(
  `${OTHERS_PENDING} + pages_queued - ${GROWING_QUEUED}`,
  "page_limit - taken_pages",
);
const GROWING_UP = `max(0, min(${GROWING_PENDING}, ${PAGE_PLACES} - ${OTHERS_UP}, ${GROWING_PLACES} - ${GROWING_QUEUED}))`;
/**
 * A page moves up only if all assets do, and a growing page only if all others do. Assets have the highest priorities,
 * and growing pages the lowest. So the first URLs in order are the right ones.
 */
const ROOM = `(${ASSETS_UP} + ${OTHERS_UP} + ${GROWING_UP})`;

const PROMOTE = `
UPDATE urls SET status = 'queued', tx = ?2 WHERE crawl = ?1 AND url IN (
  SELECT url FROM urls WHERE crawl = ?1 AND status = 'pending' ORDER BY priority DESC, depth, seq
  LIMIT coalesce((SELECT ${ROOM} FROM crawls WHERE id = ?1), 0))
RETURNING url`;

/** Whether crawl ?1 wants more URLs than it knows. A crawl of ten pages does not read all sitemaps of an index. */
const WANTS_SITEMAPS = `EXISTS (
  SELECT 1 FROM crawls WHERE id = ?1 AND status = 'running' AND taken_pages + pages_queued + pages_pending < page_limit)`;

/**
 * Queues the first pending sitemap of each host without a queued one. It looks up the hosts one by one in the index:
 * an index of sitemaps may list 50,000 of one host.
 */
const PROMOTE_SITEMAPS = `
WITH RECURSIVE h (host) AS (
  SELECT min(host) FROM sitemaps INDEXED BY sitemaps_host WHERE crawl = ?1 AND status = 'pending' AND ${WANTS_SITEMAPS}
  UNION ALL
  SELECT (SELECT min(s.host) FROM sitemaps s INDEXED BY sitemaps_host WHERE s.crawl = ?1 AND s.status = 'pending' AND s.host > h.host)
  FROM h WHERE h.host IS NOT NULL
)
UPDATE sitemaps SET status = 'queued', tx = ?2 WHERE crawl = ?1 AND url IN (
  SELECT (SELECT p.url FROM sitemaps p INDEXED BY sitemaps_host
    WHERE p.crawl = ?1 AND p.status = 'pending' AND p.host = h.host ORDER BY p.seq LIMIT 1)
  FROM h WHERE h.host IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM sitemaps q INDEXED BY sitemaps_host WHERE q.crawl = ?1 AND q.status = 'queued' AND q.host = h.host))
RETURNING url`;

const ENDS = `status = 'running' AND pending = 0 AND queued = 0 AND NOT ${SITEMAPS_OPEN}`;

/** A crawl of unchanged pages did not fail. This reads all rows, but only at the end of a crawl that stored nothing. */
const NOTHING_NEW = "EXISTS (SELECT 1 FROM urls WHERE crawl = ?1 AND reason = 'not-modified')";

/**
 * Counts the URLs that PROMOTE moved, and ends the crawl if no URL is pending or queued. It does not change a crawl
 * that is being deleted, because its counters no longer match its rows.
 */
const FINISH = `
UPDATE crawls SET
  queued = queued + ${ROOM},
  pending = pending - ${ROOM},
  assets_queued = assets_queued + ${ASSETS_UP},
  assets_pending = assets_pending - ${ASSETS_UP},
  growing_queued = ${GROWING_QUEUED} + ${GROWING_UP},
  growing_pending = ${GROWING_PENDING} - ${GROWING_UP},
  status = CASE WHEN ${ENDS} THEN CASE WHEN taken_pages > 0 OR ${NOTHING_NEW} THEN 'completed' ELSE 'errored' END ELSE status END,
  tx_ended = ${ENDS} OR (tx_ended AND tx IS ?3),
  tx = CASE WHEN ${ENDS} THEN ?3 ELSE tx END,
  finished_at = CASE WHEN ${ENDS} THEN ?2 ELSE finished_at END
WHERE id = ?1 AND deleting_at IS NULL
RETURNING status, epoch, pending, queued, pages_pending, pages_queued, taken_pages AS taken, page_limit, ${SITEMAPS_OPEN} AS sitemaps_open, tx_ended, usage`;

/** The messages to send after a transaction. */
export interface Advance {
  /** URLs to send now. */
  queued: string[];
  /** Sitemaps to send now. */
  sitemaps: string[];
  /** Null if the crawl is deleted or is being deleted. */
  state: CrawlState | null;
}

/** The queued rows of a transaction. It reads the crawl's rows, but only after a transient error of the database. */
const QUEUED_BY = (table: "urls" | "sitemaps") =>
  `SELECT url FROM ${table} WHERE crawl = ?1 AND status = 'queued' AND tx = ?2`;

/** `tx`: the name of the transaction. */
export function planAdvance(
  db: D1Database,
  crawl: string,
  now: number,
  tx = nameTransaction(),
): Required<Plan<Advance>> {
  return {
    statements: [
      db.prepare(PROMOTE).bind(crawl, tx),
      db.prepare(PROMOTE_SITEMAPS).bind(crawl, tx),
      db.prepare(FINISH).bind(crawl, now, tx),
    ],
    read(results) {
      const [promoted, sitemaps, finished] = results as [D1Result<UrlRow>, D1Result<UrlRow>, D1Result<CrawlState>];
      return { queued: urlsOf(promoted), sitemaps: urlsOf(sitemaps), state: finished.results[0] ?? null };
    },
    recall: {
      statements: (["urls", "sitemaps"] as const).map((table) => db.prepare(QUEUED_BY(table)).bind(crawl, tx)),
      read({ state }, results) {
        const [queued, sitemaps] = results as [D1Result<UrlRow>, D1Result<UrlRow>];
        return { queued: urlsOf(queued), sitemaps: urlsOf(sitemaps), state };
      },
    },
  };
}

type UrlRow = { url: string };

export function urlsOf({ results }: D1Result<UrlRow>): string[] {
  return results.map(({ url }) => url);
}
