import type { MessageSearch } from "../../crawl/report/message-search.ts";
import { LedgerStore } from "./ledger-store.ts";
import { IN_BACKLOG } from "./waiting/backlog.ts";

/**
 * Rows in motion: queued rows that a message should lead to. The heartbeat looks among them for lost messages.
 *
 * No index has them, for one would cost a write for each URL. So they are found by reading a crawl's rows, a portion at
 * a time: most rows of a large crawl wait in the backlog, and a query that reads them all stops the database for long.
 */

/** A row in motion. */
export interface MovingRow {
  url: string;
  sitemap: boolean;
  /** The order of discovery, among pages or among sitemaps. */
  seq: number;
  attempts: number;
}

/** Some of a crawl's rows in motion, and the URL after which the others are; null if there are no others. */
export interface MovingRows {
  rows: MovingRow[];
  last: string | null;
}

/** A running crawl whose search goes on now. */
interface SearchedCrawl {
  id: string;
  epoch: number;
  /** URLs that it has discovered. */
  size: number;
  /** Time without progress after which it counts as stalled: longer where the queue delivers late. */
  patienceMs: number;
}

/** Sitemaps that are read at a time. A crawl has at most one in motion for each host. */
const MOST_SITEMAPS = 5_000;

const NEXT = `
WITH p AS MATERIALIZED (
  SELECT crawl, url, seq, attempts, status, due_at, priority, depth, listed_depth FROM urls WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3)
SELECT url, seq, attempts, 0 AS last FROM p u WHERE status = 'queued' AND (due_at IS NULL OR due_at <= ?4) AND NOT ${IN_BACKLOG}
UNION ALL SELECT max(url), 0, 0, 1 FROM p HAVING count(*) = ?3`;

const SITEMAPS = `
SELECT url, seq, attempts FROM sitemaps INDEXED BY sitemaps_host
WHERE crawl = ?1 AND status = 'queued' AND due_at IS NULL ORDER BY seq LIMIT ${MOST_SITEMAPS}`;

export class Motion extends LedgerStore {
  /** The running crawls whose search goes on by `now`. Forgets the searches of crawls that run no more. */
  async searched(now: number): Promise<SearchedCrawl[]> {
    const [, crawls] = await this.db.batch<SearchedCrawl>([
      this.db.prepare(
        "DELETE FROM message_searches WHERE crawl NOT IN (SELECT id FROM crawls WHERE status = 'running')",
      ),
      this.statement(
        `SELECT c.id, c.epoch, c.discovered AS size, c.patience_ms AS patienceMs
           FROM crawls c LEFT JOIN message_searches m ON m.crawl = c.id
           WHERE c.status = 'running' AND c.deleting_at IS NULL AND coalesce(m.next_at, 0) <= ?1`,
        [now],
      ),
    ]);
    return crawls?.results ?? [];
  }

  /** Null before a crawl's first search. */
  async search(crawl: string): Promise<MessageSearch | null> {
    const query = this.statement("SELECT state FROM message_searches WHERE crawl = ?1", [crawl]);
    const state = await query.first<string>("state");
    return state === null ? null : (JSON.parse(state) as MessageSearch);
  }

  /** `nextAt`: when the search goes on. */
  async noteSearch(crawl: string, search: MessageSearch, nextAt: number): Promise<void> {
    await this.run(
      `INSERT INTO message_searches (crawl, next_at, state) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND status = 'running'
         ON CONFLICT (crawl) DO UPDATE SET next_at = ?2, state = ?3`,
      [crawl, nextAt, JSON.stringify(search)],
    );
  }

  /**
   * Reads the next `most` rows of pages after the URL `after`, and returns those in motion, in order. With `dueBy`,
   * rows that are due by that time are among them; the heartbeat sends them otherwise.
   */
  async pages(crawl: string, after: string, most: number, dueBy: number | null = null): Promise<MovingRows> {
    const results = await this.all<Omit<MovingRow, "sitemap"> & { last: number }>(NEXT, [crawl, after, most, dueBy]);
    const rows = results.filter(({ last }) => last === 0).map(({ last: _, ...row }) => ({ ...row, sitemap: false }));
    return { rows, last: results.find(({ last }) => last === 1)?.url ?? null };
  }

  /** The sitemaps in motion. */
  async sitemaps(crawl: string): Promise<MovingRow[]> {
    const results = await this.all<Omit<MovingRow, "sitemap">>(SITEMAPS, [crawl]);
    return results.map((row) => ({ ...row, sitemap: true }));
  }
}
