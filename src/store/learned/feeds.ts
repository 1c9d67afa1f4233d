import { LedgerStore } from "../ledger/ledger-store.ts";

/** The keys of the feeds of changes. A key is random, reads one crawl's feeds and nothing else, and can be replaced. */

export class Feeds extends LedgerStore {
  /** Null if the crawl has no key. */
  async key(crawl: string): Promise<string | null> {
    return this.value("feed_key", "SELECT feed_key FROM crawls WHERE id = ?1", [crawl]);
  }

  /** Gives the crawl this key. The one before no longer reads anything. */
  async replaceKey(crawl: string, key: string): Promise<void> {
    await this.run("UPDATE crawls SET feed_key = ?2 WHERE id = ?1", [crawl, key]);
  }
}
