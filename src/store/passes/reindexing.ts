import { toIndexText } from "../../search/index-text.ts";
import { BREAK, hasUnspaced } from "../../search/scripts.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { fitting } from "../records/fitting.ts";

/** Replaces texts in the search index of a crawl (search-index.ts) by shorter ones. */

/** A text of the index. */
export interface IndexedText {
  id: number;
  url: string;
  /** Settled visits of its page when it was read. */
  visits: number;
  title: string;
  /** As it was indexed, without the marks of the index. */
  text: string;
}

/** The next ?3 texts after URL ?2, as far as they have ?4 bytes together, and at least one. */
const READ = `
SELECT p.id, p.url, u.visits, p.title, p.text FROM (
  SELECT id, url, sum(octet_length(text)) OVER (ORDER BY url ROWS UNBOUNDED PRECEDING) - octet_length(text) AS before
  FROM (SELECT id, url, text FROM search_pages WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3)) c
CROSS JOIN search_pages p ON p.id = c.id CROSS JOIN urls u ON u.crawl = ?1 AND u.url = p.url
WHERE c.before < ?4 ORDER BY p.url`;

/** A visit that settled since has replaced the text, and may have given its id to another. */
const CHOSEN = `
json_each(?2) j CROSS JOIN search_pages p ON p.id = j.value ->> 'id' AND p.crawl = ?1 AND p.url = j.value ->> 'url'
CROSS JOIN urls u ON u.crawl = ?1 AND u.url = p.url AND u.visits = j.value ->> 'visits'`;

/** An index must get the same text as when the row was added, or it is corrupted. */
const forget = (index: "search_words" | "search_trigrams", which: string) => `
INSERT INTO ${index} (${index}, rowid, title, text)
SELECT 'delete', p.id, p.title, p.text FROM ${CHOSEN} WHERE ${which}`;

const tell = (index: "search_words" | "search_trigrams", which: string) => `
INSERT INTO ${index} (rowid, title, text) SELECT p.id, p.title, p.text FROM ${CHOSEN} WHERE ${which} ORDER BY p.id`;

const REPLACE = `
WITH c AS MATERIALIZED (SELECT p.id, j.value ->> 'text' AS text, j.value ->> 'unspaced' AS unspaced FROM ${CHOSEN})
UPDATE search_pages SET text = c.text, unspaced = c.unspaced FROM c WHERE search_pages.id = c.id`;

export class Reindexing extends LedgerStore {
  /** Up to `most` texts in the order of their URLs, after `after`, up to `bytes` together, and at least one. */
  async read(crawl: string, after: string, most: number, bytes: number): Promise<IndexedText[]> {
    const results = await this.all<IndexedText>(READ, [crawl, after, most, bytes]);
    return results.map((row) => ({ ...row, text: row.text.replaceAll(BREAK, "").trimEnd() }));
  }

  /** Replaces these texts, each in one transaction with its words. Pages that a visit has settled since stay. */
  async replace(crawl: string, texts: readonly IndexedText[]): Promise<void> {
    const rows = texts.map(({ id, url, visits, title, text }) => {
      const index = toIndexText(text);
      return { id, url, visits, text: index.text, unspaced: index.unspaced || hasUnspaced(title) ? 1 : 0 };
    });
    for (const part of fitting(rows)) {
      const json = JSON.stringify(part);
      const keys = JSON.stringify(part.map(({ id, url, visits }) => ({ id, url, visits })));
      const plan = (sql: string, list: string) => this.statement(sql, [crawl, list]);
      await this.db.batch([
        plan(forget("search_words", "1"), keys),
        plan(forget("search_trigrams", "p.unspaced"), keys),
        plan(REPLACE, json),
        plan(tell("search_words", "1"), keys),
        plan(tell("search_trigrams", "p.unspaced"), keys),
      ]);
    }
  }
}
