import type { FactsBy } from "../../crawl/url-facts.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { writeFacts } from "../ledger/write-facts.ts";

/** The labels that a classification gives the pages of a crawl. */

/** Null for what is no completed page. */
export type LabelledRow = FactsBy<"classification">;

const COMPLETED = `
SELECT u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
WHERE u.status = 'completed' AND u.kind = 'page'`;

export class Labels extends LedgerStore {
  /** The URLs among these that are completed pages of the crawl. */
  async completedPages(crawl: string, urls: readonly string[]): Promise<Set<string>> {
    const results = await this.all<{ url: string }>(COMPLETED, [crawl, JSON.stringify(urls)]);
    return new Set(results.map(({ url }) => url));
  }

  /** Writes the labels of these rows where they are others. */
  async write(crawl: string, rows: readonly LabelledRow[]): Promise<void> {
    await writeFacts(this.db, "classification", crawl, rows);
  }
}
