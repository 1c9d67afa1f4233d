import type { DocumentAnswer } from "../../crawl/page/outcome.ts";
import { hostOf } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { planForgetting } from "./document-turns.ts";

/**
 * What the ledger knows of documents that lie in R2 and wait for the reader Worker. So a message for such a URL leads
 * to its document, and not to its host.
 */

/** ?2: hosts. Every canonical URL has a slash after its host, and "0" follows the slash in ASCII. */
const countOf = (scheme: string) => `
(SELECT count(*) FROM waiting_documents w CROSS JOIN urls u ON u.crawl = w.crawl AND u.url = w.url
  WHERE w.crawl = ?1 AND w.url >= '${scheme}://' || j.value || '/' AND w.url < '${scheme}://' || j.value || '0'
    AND w.visit IS NULL AND u.status = 'queued')`;

/** The answer of the document of row `u`, or NULL. `visit`: an expression for the visit that asks. */
export const documentOf = (visit: string) => `
(SELECT w.answer FROM waiting_documents w WHERE w.crawl = u.crawl AND w.url = u.url AND w.visit IS ${visit})`;

export function toDocument(answer: string | null): DocumentAnswer | null {
  return answer === null ? null : (JSON.parse(answer) as DocumentAnswer);
}

export class WaitingDocuments extends LedgerStore {
  /** `visit`: as in a hint. A second answer replaces the first, as their bodies do. */
  async add({ crawl, url, visit, failures, askAlone }: Waiting, answer: DocumentAnswer): Promise<void> {
    await this.db.batch([
      this.statement(
        `INSERT OR REPLACE INTO waiting_documents (crawl, url, visit, answer, host, failures, ask_alone)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
        [crawl, url, visit, JSON.stringify(answer), hostOf(url), failures, askAlone ? 1 : 0],
      ),
      planForgetting(this.db, { crawl, url, visit }),
    ]);
  }

  /** Adds a document whose message names it and no row does, as in earlier versions. */
  async adopt({ crawl, url, visit, failures }: Place & { failures: number }, answer: DocumentAnswer): Promise<void> {
    await this.run(
      `INSERT OR IGNORE INTO waiting_documents (crawl, url, visit, answer, host, failures)
         SELECT crawl, url, ?3, ?4, ?5, ?6 FROM urls
         WHERE crawl = ?1 AND url = ?2 AND iif(?3 IS NULL, status = 'queued', visits = ?3)`,
      [crawl, url, visit, JSON.stringify(answer), hostOf(url), failures],
    );
  }

  /** Makes documents free that wait for a time, unless they are being read. */
  async offer(documents: readonly Waiting[]): Promise<void> {
    await this.db.batch(
      documents.flatMap(({ crawl, url, visit, failures, askAlone }) => [
        this.statement(
          `UPDATE waiting_documents SET host = ?4, failures = ?5, ask_alone = ?6
             WHERE crawl = ?1 AND url = ?2 AND visit IS ?3`,
          [crawl, url, visit, hostOf(url), failures, askAlone ? 1 : 0],
        ),
        this.statement("UPDATE document_claims SET until = 0 WHERE crawl = ?1 AND url = ?2 AND claim IS NULL", [
          crawl,
          url,
        ]),
      ]),
    );
  }

  /** For a document that is lost, or that nobody wants any more. */
  async remove({ crawl, url, visit }: Place): Promise<void> {
    await this.db.batch([
      this.statement("DELETE FROM waiting_documents WHERE crawl = ?1 AND url = ?2 AND visit IS ?3", [
        crawl,
        url,
        visit,
      ]),
      planForgetting(this.db, { crawl, url, visit }),
    ]);
  }

  /** Whether a document waits there, for a URL that has not settled since. */
  async isWanted({ crawl, url, visit }: Place): Promise<boolean> {
    const row = await this.first(
      `SELECT 1 FROM waiting_documents w JOIN urls u ON u.crawl = w.crawl AND u.url = w.url
         WHERE w.crawl = ?1 AND w.url = ?2 AND w.visit IS ?3
           AND (CASE WHEN w.visit IS NULL THEN u.status IN ('pending', 'queued') ELSE u.visits = w.visit END)`,
      [crawl, url, visit],
    );
    return row !== null;
  }

  /** The number of new pages of each of these hosts (`URL.host`) that wait. */
  async count(crawl: string, hosts: readonly string[]): Promise<Map<string, number>> {
    const results = await this.all<{ host: string; count: number }>(
      `SELECT j.value AS host, ${countOf("https")} + ${countOf("http")} AS count FROM json_each(?2) j`,
      [crawl, JSON.stringify(hosts)],
    );
    return new Map(results.map(({ host, count }) => [host, count]));
  }
}

interface Place {
  crawl: string;
  url: string;
  visit: number | null;
}

/** With what its hint says. */
interface Waiting extends Place {
  failures: number;
  askAlone: boolean;
}

/** Plans the removal of the rows of these URLs, which the transaction settles. */
export function planRemoval(db: D1Database, crawl: string, urls: readonly string[]): D1PreparedStatement[] {
  if (urls.length === 0) return [];
  const remove = "DELETE FROM waiting_documents WHERE crawl = ?1 AND url IN (SELECT value FROM json_each(?2))";
  return [db.prepare(remove).bind(crawl, JSON.stringify(urls))];
}
