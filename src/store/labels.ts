import { fitting } from "./fitting.ts";

/** The labels that a classification gives the pages of a crawl. */

/** Rows that one transaction compares: far below D1's limit of 30 s a query. */
const ROW_CHUNK = 2_000;

export interface LabelledRow {
  url: string;
  /** Null for what is no completed page. */
  label: string | null;
  /** 0 to 1. */
  confidence: number | null;
}

const COMPLETED = `
SELECT u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
WHERE u.status = 'completed' AND u.kind = 'page'`;

/** Materialized: otherwise the statement would read all rows of the crawl. */
const WRITE = `
WITH f AS MATERIALIZED (
  SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'label' AS label, value ->> 'confidence' AS confidence
  FROM json_each(?2)
)
UPDATE urls SET label = f.label, confidence = f.confidence FROM f
WHERE urls.crawl = f.crawl AND urls.url = f.url
  AND (urls.label IS NOT f.label OR urls.confidence IS NOT f.confidence)`;

export class Labels {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The URLs among these that are completed pages of the crawl. */
  async completedPages(crawl: string, urls: readonly string[]): Promise<Set<string>> {
    const { results } = await this.#db.prepare(COMPLETED).bind(crawl, JSON.stringify(urls)).all<{ url: string }>();
    return new Set(results.map(({ url }) => url));
  }

  /** Writes the labels of these rows where they are others. */
  async write(crawl: string, rows: readonly LabelledRow[]): Promise<void> {
    const statement = this.#db.prepare(WRITE);
    for (let i = 0; i < rows.length; i += ROW_CHUNK) {
      const lists = fitting(rows.slice(i, i + ROW_CHUNK));
      await this.#db.batch(lists.map((list) => statement.bind(crawl, JSON.stringify(list))));
    }
  }
}
