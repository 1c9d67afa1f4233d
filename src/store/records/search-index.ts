import { toIndexText } from "../../search/index-text.ts";
import { SETTLING, TAKES_VISITS } from "../watches/settling-visits.ts";
import { fitting } from "./fitting.ts";

/**
 * The full-text index in D1. It has exactly the completed pages of crawls with search. The transaction that completes a
 * page adds it, a visit that settles something else replaces it, and the deletion of its crawl removes it.
 * docs/search.md
 */

/** The searchable text of a completed page. */
export interface PageText {
  url: string;
  title: string | null;
  text: string;
  /** The visit that read it; null for a URL that was queued. */
  visit: number | null;
}

/**
 * Like every part of a commit, it adds only what settles in this transaction. So it runs before the rows are settled.
 */
const IS_SETTLING = `CASE WHEN j.value ->> 'visit' IS NULL THEN u.status = 'queued'
  ELSE u.crawl = ${TAKES_VISITS} AND u.visits = j.value ->> 'visit' AND u.status NOT IN ('pending', 'queued', 'cancelled') END`;

const INSERT = `
INSERT INTO search_pages (crawl, url, unspaced, title, text)
SELECT ?1, j.value ->> 'url', j.value ->> 'unspaced', j.value ->> 'title', j.value ->> 'text'
FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE ${IS_SETTLING}
ON CONFLICT DO NOTHING`;

/**
 * A row whose URL settles now was added in this transaction. One statement adds all rows to an index, which writes them
 * together.
 */
const tell = (index: "search_words" | "search_trigrams", which: string) => `
INSERT INTO ${index} (rowid, title, text)
SELECT p.id, p.title, p.text
FROM json_each(?2) j CROSS JOIN search_pages p ON p.crawl = ?1 AND p.url = j.value ->> 'url'
CROSS JOIN urls u ON u.crawl = ?1 AND u.url = p.url
WHERE ${IS_SETTLING} AND ${which} ORDER BY p.id`;

/** An index must get the same text as when the row was added, or it is corrupted. So the row itself is removed last. */
const forget = (index: "search_words" | "search_trigrams", which: string, chosen: string) => `
INSERT INTO ${index} (${index}, rowid, title, text)
SELECT 'delete', id, title, text FROM search_pages WHERE id IN (${chosen}) AND ${which}`;

/** Up to ?2 pages of crawl ?1 and ?3 bytes of text, and at least one. A text's size is known without reading it. */
const CHOSEN = `
SELECT id FROM (
  SELECT id, sum(octet_length(text)) OVER (ORDER BY url ROWS UNBOUNDED PRECEDING) - octet_length(text) AS before
  FROM (SELECT id, url, text FROM search_pages WHERE crawl = ?1 ORDER BY url LIMIT ?2))
WHERE before < ?3`;

/** Statements that add pages to the index; none for no pages. */
export function planIndexing(db: D1Database, crawl: string, pages: PageText[]): D1PreparedStatement[] {
  if (pages.length === 0) return [];
  const rows = pages.map(({ url, ...page }) => {
    const title = toIndexText(page.title ?? "");
    const text = toIndexText(page.text);
    const isUnspaced = title.unspaced || text.unspaced;
    return { url, visit: page.visit, unspaced: isUnspaced ? 1 : 0, title: title.text, text: text.text };
  });
  const told = new Map(pages.map(({ url, visit }) => [url, { url, visit }]));
  const urls = JSON.stringify([...told.values()]);
  return [
    ...fitting(rows).map((part) => db.prepare(INSERT).bind(crawl, JSON.stringify(part))),
    db.prepare(tell("search_words", "1")).bind(crawl, urls),
    ...(rows.some(({ unspaced }) => unspaced)
      ? [db.prepare(tell("search_trigrams", "p.unspaced")).bind(crawl, urls)]
      : []),
  ];
}

/** The pages of visits that settle something else. */
const REPLACED = `
SELECT p.id FROM ${SETTLING} CROSS JOIN search_pages p ON p.crawl = ?1 AND p.url = u.url WHERE j.value ->> '$.outcome' IS NOT NULL`;

/** Removes the pages that visits replace, before `planIndexing` adds what they read. `visits`: as JSON. */
export function planReplacing(db: D1Database, crawl: string, visits: string): D1PreparedStatement[] {
  return [
    forget("search_words", "1", REPLACED),
    forget("search_trigrams", "unspaced", REPLACED),
    `DELETE FROM search_pages WHERE id IN (${REPLACED})`,
  ].map((sql) => db.prepare(sql).bind(crawl, visits));
}

/** Removes some of a crawl's pages from the index, limited by rows and by bytes of text. */
export function planForgetting(db: D1Database, crawl: string, rows: number, bytes: number): D1PreparedStatement[] {
  return [
    forget("search_words", "1", CHOSEN),
    forget("search_trigrams", "unspaced", CHOSEN),
    `DELETE FROM search_pages WHERE id IN (${CHOSEN})`,
  ].map((sql) => db.prepare(sql).bind(crawl, rows, bytes));
}
