import type { Crawl } from "../../crawl/crawl.ts";
import { type CrawlRow, toCrawl } from "./crawl-row.ts";
import { LedgerStore } from "./ledger-store.ts";

/**
 * Crawls whose seeds come in portions. Such a crawl is paused and has the name of its list until all seeds are there:
 * nothing is sent for it, and no resume starts it.
 */

const TAKES_LIST = "status = 'paused' AND list IS NOT NULL AND deleting_at IS NULL";

/** The places of the hosts and of the seeds that stand for them keep their order. */
const JOIN = `
UPDATE crawls SET
  hosts = (SELECT json_group_array(value) FROM (SELECT value FROM json_each(crawls.hosts) UNION SELECT value FROM json_each(?2))),
  options = json_set(options, '$.urls', (SELECT json_group_array(value) FROM (
    SELECT value FROM json_each(crawls.options, '$.urls') UNION ALL
    SELECT value FROM json_each(?3) WHERE value NOT IN (SELECT value FROM json_each(crawls.options, '$.urls'))))),
  updated_at = ?4
WHERE id = ?1 AND ${TAKES_LIST}`;

export class Lists extends LedgerStore {
  /** The newest crawl that takes the list of this name; null if there is none. */
  async taking(list: string): Promise<Crawl | null> {
    const row = await this.first<CrawlRow>(
      `SELECT * FROM crawls WHERE list = ?1 AND ${TAKES_LIST} ORDER BY created_at DESC LIMIT 1`,
      [list],
    );
    return row === null ? null : toCrawl(row);
  }

  /** Adds hosts, and one seed for each new origin, to a crawl that takes its list. */
  async join(crawl: string, hosts: readonly string[], seeds: readonly string[], now: number): Promise<void> {
    await this.run(JOIN, [crawl, JSON.stringify(hosts), JSON.stringify(seeds), now]);
  }

  /** From now on the crawl may be resumed. */
  async close(crawl: string, now: number): Promise<void> {
    await this.run(`UPDATE crawls SET list = NULL, updated_at = ?2 WHERE id = ?1 AND ${TAKES_LIST}`, [crawl, now]);
  }
}
