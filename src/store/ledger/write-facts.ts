import { type FactsBy, factsBy } from "../../crawl/url-facts.ts";
import { fitting } from "../records/fitting.ts";
import { assignFacts, columnOf, readFacts } from "./fact-columns.ts";

/** Rows that one transaction compares: far below D1's limit of 30 s a query. */
const ROW_CHUNK = 2_000;

/** Writes the facts of a pass into rows where they are others. */
export async function writeFacts<By extends "analysis" | "classification">(
  db: D1Database,
  writer: By,
  crawl: string,
  rows: readonly FactsBy<By>[],
): Promise<void> {
  const names = factsBy(writer);
  // Materialized: otherwise the statement would read all rows of the crawl.
  const statement = db.prepare(`
WITH f AS MATERIALIZED (SELECT ?1 AS crawl, value ->> 'url' AS url, ${readFacts(names)} FROM json_each(?2))
UPDATE urls SET ${assignFacts(names, "f")} FROM f
WHERE urls.crawl = f.crawl AND urls.url = f.url
  AND (${names.map((name) => `urls.${columnOf(name)} IS NOT f.${columnOf(name)}`).join(" OR ")})`);
  for (let i = 0; i < rows.length; i += ROW_CHUNK) {
    const lists = fitting(rows.slice(i, i + ROW_CHUNK));
    await db.batch(lists.map((list) => statement.bind(crawl, JSON.stringify(list))));
  }
}
