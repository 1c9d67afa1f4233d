import { LedgerStore } from "../ledger/ledger-store.ts";

/** The lists of findings to ignore, by the seeds of a site's crawls, so that its next crawl has its list too. */

export class IgnoreLists extends LedgerStore {
  /** As it was written; null if there is none. */
  async of(seeds: string): Promise<string | null> {
    const row = await this.first<{ list: string }>("SELECT list FROM ignore_lists WHERE seeds = ?1", [seeds]);
    return row?.list ?? null;
  }

  /** Writes nothing if the list is the same. An empty one is removed. */
  async put(seeds: string, list: string, now: number): Promise<void> {
    if (list.trim() === "") await this.run("DELETE FROM ignore_lists WHERE seeds = ?1", [seeds]);
    else
      await this.run(
        `INSERT INTO ignore_lists (seeds, list, changed_at) VALUES (?1, ?2, ?3)
           ON CONFLICT (seeds) DO UPDATE SET list = ?2, changed_at = ?3 WHERE list <> ?2`,
        [seeds, list, now],
      );
  }
}
