import { MAX_BATCH_URLS } from "../../crawl/bounds/batch-size.ts";
import { planTellingEnd, receiversOf } from "../notices/outbox.ts";
import { SITEMAPS_OPEN, WANTS_SITEMAPS } from "../records/sitemaps.ts";
import { isPart } from "./crawl-notes.ts";
import { nameTransaction, type Plan } from "./plan.ts";
import { PROMOTED, planPromotion, QUEUED_BY_TRANSACTION } from "./waiting/backlog.ts";
import { HAS_LOWERED } from "./waiting/lowered.ts";
import { WITHHELD_OPEN } from "./waiting/withheld-urls.ts";

/**
 * Moves waiting URLs up into the queue, and ends a crawl without open URLs. These are the last statements of every
 * transaction that changes rows.
 */

/** The state of the crawl after a transaction. */
interface CrawlState {
  status: string;
  epoch: number;
  /** URLs that wait for a place in the queue, and URLs that have one. */
  pending: number;
  queued: number;
  /** The same of pages. The page limit does not hold back assets. */
  pages_pending: number;
  pages_queued: number;
  /** Pages that count towards the limit: completed pages, and in a dry run those that would be fetched. */
  taken: number;
  page_limit: number;
  /** Whether any sitemap is pending or queued. */
  sitemaps_open: 0 | 1;
  /** Whether the crawl must look at URLs that rules hold back before it ends; 0 as long as any URL is open. */
  withheld_open: 0 | 1;
  /** Whether the links of any page are to be looked at again, because a nearer way to it was found. */
  has_lowered: 0 | 1;
  /** Whether this transaction ended the crawl, or the first crawl of a watch. */
  tx_ended: 0 | 1;
  /** A `Usage` in JSON. */
  usage: string;
  /** What it had used when this month began, for a watch. */
  month_usage: string | null;
  /** Bytes of the bodies of completed URLs, decompressed. */
  bytes: number;
  /** Whether it is a part of a crawl over several ledgers, which does not end by itself. */
  is_part: 0 | 1;
}

/**
 * Whether a crawl has reached its page limit and has pages or sitemaps left, which it will skip. A part that has used
 * up its grant may get another one.
 */
export function isFull(state: CrawlState): boolean {
  const { status, pages_pending, pages_queued, taken, page_limit, sitemaps_open, is_part } = state;
  const isLeft = pages_pending > 0 || sitemaps_open === 1;
  return is_part === 0 && status === "running" && taken >= page_limit && pages_queued === 0 && isLeft;
}

/** Whether a part has nothing left to do, or no room to do it, so that its crawl may end or divide its limit anew. */
export function mustAskHome(state: CrawlState): boolean {
  const { status, pending, queued, pages_pending, pages_queued, taken, page_limit, sitemaps_open, is_part } = state;
  if (is_part === 0 || status !== "running") return false;
  const isLeft = pages_pending > 0 || sitemaps_open === 1;
  return pending + queued === 0 || (isLeft && taken + pages_queued >= page_limit);
}

/** Whether nothing else is open in a crawl, and rules hold back URLs at which it must look before it ends. */
export function mustLookAtWithheld({ status, sitemaps_open, withheld_open }: CrawlState): boolean {
  return (status === "running" || status === "watching") && sitemaps_open === 0 && withheld_open === 1;
}

/** Waiting assets for which the queue has places. */
const ASSETS_UP = "CASE WHEN status = 'running' THEN max(0, min(assets_waiting, max_queued - moving)) ELSE 0 END";
/**
 * The maximum number of pages in motion, as SQL over the crawl's row. `row`: the name of the row with a dot, or
 * nothing. A crawl with a subject starts small, and stays so until its first relevant page, for 100 pages at most: what
 * it then finds goes before what it would have in motion.
 */
export const maxMoving = (row: "" | "c." = "") =>
  `CASE WHEN ${row}learns > 0 AND ${row}relevant = 0 AND ${row}taken_pages < 100
    THEN min(${row}max_moving, max(5, 2 * json_array_length(${row}hosts))) ELSE ${row}max_moving END`;

/** Pages within the page limit for which the queue has places beside all assets. */
const PAGE_PLACES = `CASE WHEN status = 'running'
  THEN max(0, min(page_limit - taken_pages - pages_moving, max_queued - assets_waiting - moving, (${maxMoving()}) - pages_moving)) ELSE 0 END`;

/**
 * The maximum number of growing pages in motion, as SQL over the crawl's row. Growing pages have negative priorities:
 * they belong to patterns that grow (crawl/page/url-kind.ts). The number is for all patterns of the crawl together,
 * because a counter in the crawl's row gives it exactly without a write or an index, whereas a number for each pattern
 * would cost a row at each commit. `othersOpen`: other pages that wait or are queued. `left`: pages that the limit
 * still allows.
 *
 * While others are open, it is a batch for each host, and at most a fortieth of `left`: a long path of other pages,
 * which are found one after the other, comes to its end before the growing ones have used up the limit. Each host has
 * two at least, because hosts at the usual pace give a page a second. While no others are open, it is four batches for
 * each host, and at most a twentieth of `left`, so that a small pattern comes to its end beside a large one. That does
 * not slow a crawl down, for a host has one lane at a time.
 */
export const growingPlaces = (othersOpen: string, left: string) => {
  const perHost = (most: number, share: number) => `min(${most} * json_array_length(hosts), (${left}) / ${share})`;
  return `CASE WHEN ${othersOpen} > 0 THEN max(5, ${perHost(2, 4)}, ${perHost(MAX_BATCH_URLS, 40)})
    ELSE max(${MAX_BATCH_URLS}, ${perHost(4 * MAX_BATCH_URLS, 20)}) END`;
};

const OTHERS_WAITING = "(pages_waiting - growing_waiting)";
const OTHERS_UP = `min(${OTHERS_WAITING}, ${PAGE_PLACES})`;
const GROWING_PLACES = growingPlaces(`${OTHERS_WAITING} + pages_moving - growing_moving`, "page_limit - taken_pages");
const GROWING_UP = `max(0, min(growing_waiting, ${PAGE_PLACES} - ${OTHERS_UP}, ${GROWING_PLACES} - growing_moving))`;
/**
 * A page moves up only if all assets do, and a growing page only if all others do. Assets have the highest priorities,
 * and growing pages the lowest. So the first URLs in order are the right ones.
 */
const ROOM = `(${ASSETS_UP} + ${OTHERS_UP} + ${GROWING_UP})`;

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

/** A crawl that has all its pages has no room for a page that a rule holds back. */
const LOOKS_AT_WITHHELD = `iif(crawls.pending = 0 AND queued = 0 AND taken_pages < page_limit, ${WITHHELD_OPEN}, 0)`;

/** A part of a crawl over several ledgers ends when all parts have nothing to do (store/shards/parts.ts). */
const ENDS = `crawls.status = 'running' AND NOT ${isPart("crawls.")} AND crawls.pending = 0 AND queued = 0 AND NOT ${SITEMAPS_OPEN} AND NOT ${HAS_LOWERED} AND NOT ${LOOKS_AT_WITHHELD}`;

/** Pages that were read well, and match no pattern of pages to save. This reads all rows, as NOTHING_NEW does. */
const NOTHING_SAVED = "EXISTS (SELECT 1 FROM urls WHERE crawl = ?1 AND reason = 'not-saved')";

/** A watch stays. Its first crawl must have stored something, or have read pages that are not to be saved. */
const STAYS = `every_s IS NOT NULL AND (taken_pages > 0 OR watching_since IS NOT NULL OR ${NOTHING_SAVED})`;

/** A watch ends its first crawl once. What it reads later, such as new pages, ends nothing. */
const ENDS_CRAWL = `(${ENDS} AND NOT (${STAYS} AND watching_since IS NOT NULL))`;

/** A crawl of unchanged pages did not fail. This reads all rows, but only at the end of a crawl that stored nothing. */
export const NOTHING_NEW = "EXISTS (SELECT 1 FROM urls WHERE crawl = ?1 AND reason = 'not-modified')";

/**
 * Counts the URLs that moved up, and ends the crawl if no URL is open. Where neither is so, as in most transactions of
 * a watch, it writes no row. It does not change a crawl that is being deleted, because its counters no longer match its
 * rows.
 */
const FINISH = `
UPDATE crawls SET
  pending = crawls.pending - p.pending,
  queued = queued + p.pending,
  backlog = crawls.backlog - p.backlog,
  assets_pending = crawls.assets_pending - p.assets_pending,
  assets_queued = assets_queued + p.assets_pending,
  assets_backlog = crawls.assets_backlog - p.assets_backlog,
  growing_pending = max(0, crawls.growing_pending - p.growing_pending),
  growing_queued = max(0, growing_queued) + p.growing_pending,
  growing_backlog = crawls.growing_backlog - p.growing_backlog,
  status = CASE WHEN ${ENDS} THEN CASE WHEN ${STAYS} THEN 'watching' WHEN taken_pages > 0 OR ${NOTHING_NEW} THEN 'completed' ELSE 'errored' END ELSE status END,
  tx_ended = ${ENDS_CRAWL} OR (tx_ended AND tx IS ?3),
  tx = CASE WHEN ${ENDS} THEN ?3 ELSE tx END,
  finished_at = CASE WHEN ${ENDS} AND NOT (${STAYS}) THEN ?2 ELSE finished_at END,
  watching_since = CASE WHEN ${ENDS} AND ${STAYS} THEN coalesce(watching_since, ?2) ELSE watching_since END,
  deadline_at = CASE WHEN ${ENDS} AND ${STAYS} THEN NULL ELSE deadline_at END
FROM (${PROMOTED}) p
WHERE id = ?1 AND deleting_at IS NULL AND (p.pending > 0 OR p.backlog > 0 OR ${ENDS})`;

/** Runs after FINISH. ?2: the name of the transaction. */
const STATE = `
SELECT status, epoch, waiting AS pending, moving AS queued, pages_waiting AS pages_pending, pages_moving AS pages_queued,
  taken_pages AS taken, page_limit, ${SITEMAPS_OPEN} AS sitemaps_open, ${LOOKS_AT_WITHHELD} AS withheld_open, ${HAS_LOWERED} AS has_lowered,
  tx_ended AND tx IS ?2 AS tx_ended, usage, month_usage, bytes, ${isPart()} AS is_part
FROM crawls WHERE id = ?1 AND deleting_at IS NULL`;

/** The messages to send after a transaction. */
export interface Advance {
  /** The receivers of the notices that it wrote. */
  told: string[];
  /** URLs to send now. */
  queued: string[];
  /** Sitemaps to send now. */
  sitemaps: string[];
  /** Null if the crawl is deleted or is being deleted. */
  state: CrawlState | null;
}

/** The sitemaps that a transaction queued. */
const QUEUED_SITEMAPS = "SELECT url FROM sitemaps WHERE crawl = ?1 AND status = 'queued' AND tx = ?2";

/** `tx`: the name of the transaction. */
export function planAdvance(
  db: D1Database,
  crawl: string,
  now: number,
  tx = nameTransaction(),
): Required<Plan<Advance>> {
  const promotion = planPromotion(db, crawl, now, tx, ROOM);
  return {
    statements: [
      ...promotion.statements,
      db.prepare(PROMOTE_SITEMAPS).bind(crawl, tx),
      db.prepare(FINISH).bind(crawl, now, tx),
      db.prepare(STATE).bind(crawl, tx),
      planTellingEnd(db, crawl, "c.tx_ended AND c.tx = ?5", tx, now),
    ],
    read(results) {
      const [sitemaps, , states, told] = results.slice(-4) as [
        D1Result<UrlRow>,
        D1Result,
        D1Result<CrawlState>,
        D1Result,
      ];
      const state = states.results[0] ?? null;
      return { queued: promotion.read(results), sitemaps: urlsOf(sitemaps), state, told: receiversOf(told) };
    },
    recall: {
      statements: [db.prepare(QUEUED_BY_TRANSACTION).bind(crawl, now, tx), db.prepare(QUEUED_SITEMAPS).bind(crawl, tx)],
      read({ state, told }, results) {
        const [queued, sitemaps] = results as [D1Result<UrlRow>, D1Result<UrlRow>];
        return { queued: urlsOf(queued), sitemaps: urlsOf(sitemaps), state, told };
      },
    },
  };
}

type UrlRow = { url: string };

export function urlsOf({ results }: D1Result<UrlRow>): string[] {
  return results.map(({ url }) => url);
}
