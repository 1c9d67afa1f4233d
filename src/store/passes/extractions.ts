import { describeFields, type FieldChange } from "../../crawl/page/page-fields.ts";
import { type ModelGaps, NO_GAPS } from "../../crawl/page/model-spent.ts";
import { planWaitingChanges } from "../watches/told-changes.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** Which pages of which crawls a model is to be asked about, and what it found. */

/** A page as an extraction reads it. */
export interface ExtractionRow {
  url: string;
  /** The digest of its body. */
  sha256: string;
  /** What was found before, as JSON; null for nothing. */
  extracted: string | null;
  /** Whether a model was not asked about this body yet. */
  isDue: boolean;
}

/** A value of `extracted`. `isSettled`: nobody asks again while the page stays as it is. */
export interface ExtractedRow {
  url: string;
  sha256: string;
  extracted: string;
  isSettled: boolean;
  /** The values that are others than before; absent or empty if nothing is told. */
  changes?: readonly FieldChange[];
}

/** What the crawl has seen. Another crawl begins with no mark. */
const MARK = "iif(status = 'watching', 'w' || change_seq, 'e' || coalesce(finished_at, 0))";

const DUE = `
SELECT id FROM crawls INDEXED BY crawls_extract
WHERE options ->> '$.extract' IS NOT NULL AND deleting_at IS NULL AND status NOT IN ('running', 'paused')
  AND coalesce(notes ->> '$.extraction.after', 0) <= ?1 AND notes ->> '$.extraction.mark' IS NOT ${MARK}`;

/** A crawl whose model has failed is open no more, until its pages are asked about again. */
const OPEN = `
SELECT 1 AS open FROM crawls WHERE id = ?1 AND options ->> '$.extract' IS NOT NULL AND deleting_at IS NULL
  AND notes ->> '$.extraction.after' IS NULL AND notes ->> '$.extraction.mark' IS NOT ${MARK}`;

/** A crawl that has nothing to ask again has no time for it. */
const NOTE = "UPDATE crawls SET notes = json_set(notes, '$.extraction', json(?2)) WHERE id = ?1";

/** Bounded by the number of rows that are read, not by those that are due: most are not. */
const COLUMNS = `
url, body_sha256 AS sha256, extracted, status = 'completed' AND kind = 'page' AND body_sha256 IS NOT NULL
  AND extracted_of IS NOT body_sha256 AS isDue`;
const ROWS = `SELECT ${COLUMNS} FROM urls WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3`;
const ROW = `SELECT ${COLUMNS} FROM urls WHERE crawl = ?1 AND url = ?2 AND body_sha256 IS NOT NULL`;

const URLS = `
SELECT url FROM urls WHERE crawl = ?1 AND url > ?2 AND status = 'completed' AND kind = 'page' ORDER BY url LIMIT ?3`;

/** A page that was fetched meanwhile has another body, and is due. */
const WRITE = `
UPDATE urls SET extracted = ?4, extracted_of = iif(?5, ?3, extracted_of)
WHERE crawl = ?1 AND url = ?2 AND body_sha256 = ?3`;

/**
 * Gives the change a number, as the visits of a watch do (watches/visiting.ts). A page that was asked about meanwhile,
 * by this transaction too, tells nothing. Runs before WRITE.
 */
const TELL = `
INSERT INTO changes (crawl, seq, url, kind, at, detail, fields)
SELECT ?1, c.change_seq + 1, u.url, 'changed', ?4, ?5, ?6
FROM crawls c CROSS JOIN urls u ON u.crawl = ?1 AND u.url = ?2
WHERE c.id = ?1 AND c.watching_since IS NOT NULL AND u.status = 'completed' AND u.body_sha256 = ?3 AND u.extracted_of IS NOT ?3`;

const COUNT = `
UPDATE crawls SET change_seq = change_seq + 1
WHERE id = ?1 AND EXISTS (SELECT 1 FROM changes WHERE crawl = ?1 AND seq = change_seq + 1)`;

const ROW_OF_NEW =
  "SELECT 1 AS new FROM changes WHERE crawl = ?1 AND url = ?2 AND kind IN ('added', 'restored') LIMIT 1";

/** Reads all rows of the crawl, as a pass does. */
const GAPS = `
SELECT count(*) FILTER (WHERE extracted ->> '$.tries' IS NOT NULL) AS failed,
       count(*) FILTER (WHERE extracted_of IS NOT body_sha256 AND extracted ->> '$.tries' IS NULL) AS "left"
FROM urls WHERE crawl = ?1 AND status = 'completed' AND kind = 'page' AND body_sha256 IS NOT NULL`;

const ASK_AGAIN = `
UPDATE urls SET extracted = json_set(extracted, '$.tries', 0), extracted_of = NULL
WHERE crawl = ?1 AND extracted ->> '$.tries' IS NOT NULL`;

export class Extractions extends LedgerStore {
  /** The crawls that have pages to ask about, as far as their marks tell. */
  async due(now: number): Promise<string[]> {
    return (await this.all<{ id: string }>(DUE, [now])).map(({ id }) => id);
  }

  /** Whether a model is still to be asked about a crawl that has ended. */
  async isOpen(crawl: string): Promise<boolean> {
    return (await this.value<number>("open", OPEN, [crawl])) !== null;
  }

  /** What the crawl has seen by now; null if it is gone. */
  async mark(crawl: string): Promise<string | null> {
    return this.value<string>("mark", `SELECT ${MARK} AS mark FROM crawls WHERE id = ?1`, [crawl]);
  }

  /** Notes that all pages were asked about that there were at this mark, but for those in `gaps`. */
  async finish(crawl: string, mark: string, gaps: ModelGaps): Promise<void> {
    await this.run(NOTE, [crawl, JSON.stringify({ mark, gaps })]);
  }

  /** No extraction of the crawl begins by itself before this time. */
  async postpone(crawl: string, until: number, gaps: ModelGaps): Promise<void> {
    await this.run(NOTE, [crawl, JSON.stringify({ after: until, gaps })]);
  }

  /** Counts the pages without an answer. */
  async gaps(crawl: string): Promise<Omit<ModelGaps, "why">> {
    const [found] = await this.all<Omit<ModelGaps, "why">>(GAPS, [crawl]);
    return found ?? NO_GAPS;
  }

  /** Has the next pass ask about the pages on which the server failed, also about those that were given up. */
  async askAgain(crawl: string): Promise<void> {
    await this.run(ASK_AGAIN, [crawl]);
  }

  /** Up to `most` rows in the order of their URLs, from the one after `after` on. */
  async rows(crawl: string, after: string, most: number): Promise<ExtractionRow[]> {
    const rows = await this.all<Omit<ExtractionRow, "isDue"> & { isDue: number }>(ROWS, [crawl, after, most]);
    return rows.map(({ isDue, ...row }) => ({ ...row, isDue: isDue === 1 }));
  }

  /** Up to `most` URLs of pages in their order, from the one after `after` on. */
  async urls(crawl: string, after: string, most: number): Promise<string[]> {
    return (await this.all<{ url: string }>(URLS, [crawl, after, most])).map(({ url }) => url);
  }

  /** The rows of these URLs. */
  async rowsOf(crawl: string, urls: readonly string[]): Promise<ExtractionRow[]> {
    const rows: ExtractionRow[] = [];
    for (const url of urls) {
      const found = await this.all<Omit<ExtractionRow, "isDue"> & { isDue: number }>(ROW, [crawl, url]);
      rows.push(...found.map(({ isDue, ...row }) => ({ ...row, isDue: isDue === 1 })));
    }
    return rows;
  }

  /** Whether the watch has told that the page is new, so that all of its values are news. */
  async isToldAsNew(crawl: string, url: string): Promise<boolean> {
    return (await this.value<number>("new", ROW_OF_NEW, [crawl, url])) !== null;
  }

  /** Writes what was found, and tells the values of a watch that have changed, in one transaction. */
  async write(crawl: string, row: ExtractedRow, now: number): Promise<void> {
    const { url, sha256, extracted, isSettled, changes = [] } = row;
    const write = this.statement(WRITE, [crawl, url, sha256, extracted, isSettled ? 1 : 0]);
    if (changes.length === 0) return void (await write.run());
    const told = [crawl, url, sha256, now, describeFields(changes), JSON.stringify(changes)];
    await this.db.batch([
      this.statement(TELL, told),
      this.statement(COUNT, [crawl]),
      planWaitingChanges(this.db, crawl, now),
      write,
    ]);
  }
}
