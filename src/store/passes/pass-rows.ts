import { type FactsBy, PASS_FACTS, type PassRow } from "../../crawl/url-facts.ts";
import { selectFacts } from "../ledger/fact-columns.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { writeFacts } from "../ledger/write-facts.ts";

/** What a pass reads and writes of the rows of its crawl. */

export interface SitemapList {
  url: string;
  /** Null if the list is not kept: an earlier version read the sitemap. */
  pack: string | null;
  offset: number | null;
  length: number | null;
}

const ROWS = `SELECT ${selectFacts(PASS_FACTS)} FROM urls WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3`;

export class PassRows extends LedgerStore {
  /** Up to `most` rows in the order of their URLs, from the one after `after` on. */
  async rows(crawl: string, after: string, most: number): Promise<PassRow[]> {
    return (await this.db.prepare(ROWS).bind(crawl, after, most).all<PassRow>()).results;
  }

  /** The sitemaps of a crawl: the pages that they list have them as `via`, unless a link led there before. */
  async sitemaps(crawl: string): Promise<string[]> {
    const statement = this.db.prepare("SELECT url FROM sitemaps WHERE crawl = ?1 ORDER BY url");
    return (await statement.bind(crawl).all<{ url: string }>()).results.map(({ url }) => url);
  }

  /** The sitemaps that were read, and where a pack has the URLs that each lists. Feeds and `llms.txt` are none. */
  async sitemapLists(crawl: string): Promise<SitemapList[]> {
    return this.all<SitemapList>(
      `SELECT url, links_pack AS pack, links_offset AS offset, links_length AS length FROM sitemaps
         WHERE crawl = ?1 AND status = 'completed' AND listed > 0 AND feed = 0 AND url NOT LIKE '%/llms%.txt' ORDER BY url`,
      [crawl],
    );
  }

  /** Writes the figures of these rows where they are others. */
  async writeFigures(crawl: string, rows: readonly FactsBy<"analysis">[]): Promise<void> {
    await writeFacts(this.db, "analysis", crawl, rows);
  }
}
