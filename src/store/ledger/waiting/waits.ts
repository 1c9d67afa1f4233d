import { fitting } from "../../records/fitting.ts";
import { LedgerStore } from "../ledger-store.ts";

/** Long waits: queued rows without a message, which the heartbeat sends when they are due. */

/** A queued row whose wait ends now or soon. */
interface DueRow {
  crawl: string;
  url: string;
  epoch: number;
  sitemap: boolean;
  dueAt: number;
  /** How often batches with it failed in a row before. */
  failures: number;
}

export class Waits extends LedgerStore {
  /** Stores when the heartbeat must send these queued rows. They get no message now. */
  async postpone(waits: Omit<DueRow, "epoch">[]): Promise<void> {
    const { page = [], sitemap = [] } = Object.groupBy(waits, (wait) => (wait.sitemap ? "sitemap" : "page"));
    const update = (table: "urls" | "sitemaps", rows: typeof waits) =>
      fitting(rows).map((part) =>
        this.statement(
          `WITH w AS MATERIALIZED (SELECT value ->> 'crawl' AS crawl, value ->> 'url' AS url, value ->> 'dueAt' AS due_at,
               nullif(value ->> 'failures', 0) AS failures FROM json_each(?1))
             UPDATE ${table} SET due_at = w.due_at, failures = w.failures FROM w
             WHERE ${table}.crawl = w.crawl AND ${table}.url = w.url AND ${table}.status = 'queued'`,
          [JSON.stringify(part)],
        ),
      );
    await this.db.batch([...update("urls", page), ...update("sitemaps", sitemap)]);
  }

  /** Claims up to `most` rows that are due before `before`. Only one caller gets each row. */
  async takeDue(before: number, most: number): Promise<DueRow[]> {
    const due = (table: "urls" | "sitemaps") =>
      `SELECT t.crawl, t.url FROM ${table} t JOIN crawls c ON c.id = t.crawl AND c.status = 'running'
       WHERE t.due_at < ?1 AND t.status = 'queued' ORDER BY t.due_at LIMIT ?2`;
    const take = (table: "urls" | "sitemaps") => [
      this.statement(
        `SELECT t.crawl, t.url, t.due_at AS dueAt, coalesce(t.failures, 0) AS failures, c.epoch, '${table}' = 'sitemaps' AS sitemap FROM ${table} t JOIN crawls c ON c.id = t.crawl
           WHERE (t.crawl, t.url) IN (${due(table)})`,
        [before, most],
      ),
      this.statement(`UPDATE ${table} SET due_at = NULL WHERE (crawl, url) IN (${due(table)})`, [before, most]),
    ];
    const [urls, , sitemaps] = await this.db.batch<Omit<DueRow, "sitemap"> & { sitemap: number }>([
      ...take("urls"),
      ...take("sitemaps"),
    ]);
    return [...(urls?.results ?? []), ...(sitemaps?.results ?? [])].map((row) => ({
      ...row,
      sitemap: row.sitemap === 1,
    }));
  }
}
