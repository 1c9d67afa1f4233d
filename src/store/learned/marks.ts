import type { Mark } from "../../crawl/subject/mark.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * The marks of a crawl's pages. `after` is for a crawl that learns while it goes: it keeps the number of the last mark
 * that it has read, beginning with 0, and asks for those after it. It gets each mark once, in the order of marking. A
 * page whose label changes comes again with its new label, and one that gets the same label again does not. A mark
 * that is removed does not come: what was learned from it stays learned.
 */

/** A crawl's marks fit into one answer. */
export const MAX_CRAWL_MARKS = 10_000;

const COLUMNS = "seq, url, label, marked_at AS markedAt";

/** Replaced, not updated: the number has to grow. */
const PUT = `
INSERT OR REPLACE INTO marks (crawl, url, label, marked_at)
SELECT u.crawl, u.url, ?3, ?4
FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
WHERE EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM marks m WHERE m.crawl = ?1 AND m.url = u.url AND m.label = ?3)
  AND (SELECT count(*) FROM marks WHERE crawl = ?1) + json_array_length(?2) <= ${MAX_CRAWL_MARKS}`;

const KNOWN = "SELECT u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value";

const REMOVE = "DELETE FROM marks WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))";

export class Marks extends LedgerStore {
  /**
   * Gives these canonical URLs a label, each at most one. URLs that the crawl does not have are returned. `isFull`: the
   * crawl would have more than MAX_CRAWL_MARKS, and nothing was marked.
   */
  async put(
    crawl: string,
    urls: readonly string[],
    label: string,
    now: number,
  ): Promise<{ missing: string[]; isFull: boolean }> {
    const list = JSON.stringify(urls);
    const [count, , known] = await this.db.batch<{ n: number; url: string }>([
      this.statement("SELECT count(*) AS n FROM marks WHERE crawl = ?1", [crawl]),
      this.statement(PUT, [crawl, list, label, now]),
      this.statement(KNOWN, [crawl, list]),
    ]);
    const found = new Set(known?.results.map(({ url }) => url));
    const missing = urls.filter((url) => !found.has(url));
    return { missing, isFull: (count?.results[0]?.n ?? 0) + urls.length > MAX_CRAWL_MARKS };
  }

  /** Removes the marks of these URLs. */
  async remove(crawl: string, urls: readonly string[]): Promise<void> {
    await this.run(REMOVE, [crawl, JSON.stringify(urls)]);
  }

  /** All marks of a crawl, in the order of URLs. */
  async list(crawl: string): Promise<Mark[]> {
    const statement = this.db.prepare(`SELECT ${COLUMNS} FROM marks WHERE crawl = ?1 ORDER BY url`);
    return (await statement.bind(crawl).all<Mark>()).results;
  }

  /** At most `most` marks with a number above `seq`, lowest first. */
  async after(crawl: string, seq: number, most: number): Promise<Mark[]> {
    const statement = this.db.prepare(
      `SELECT ${COLUMNS} FROM marks WHERE crawl = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3`,
    );
    return (await statement.bind(crawl, seq, most).all<Mark>()).results;
  }
}
