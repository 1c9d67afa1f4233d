import type { Matches } from "../search/match-expression.ts";

/** The statements of a search, in SQLite's FTS5: https://www.sqlite.org/fts5.html */

/** A word in a title counts as ten in the text. */
const WEIGHTS = "10.0, 1.0";
/**
 * Maximum number of trigrams for a short word, the most frequent first. A word of two characters seldom has more. A
 * single character may, and then pages that have it only in rare trigrams are not found.
 */
const MOST_BEGINNINGS = 1_000;
/** Maximum number of pages that are ranked. A query gives no more hits. */
export const MAX_CANDIDATES = 1_000;

/**
 * FTS5 finds no term of less than three characters with trigrams, but its vocabulary is sorted:
 * https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
 */
export const BEGINNINGS = `
SELECT term FROM search_trigram_terms WHERE term >= ?1 AND term < ?2 ORDER BY doc DESC LIMIT ${MOST_BEGINNINGS}`;

/**
 * Maximum number of matching pages that are looked at, the newest first. BM25 reads each place of a word in each page:
 * 0.2 s for so many, 1.1 s for 100,000 (bench/search-load.ts).
 */
export const MOST_MATCHES = 20_000;

type Index = "search_words" | "search_trigrams";

/** Which pages may be hits: of crawl ?5 or any, not of one that is being deleted, and relevant enough (?8). */
function allowedSql({ notWords, notTrigrams }: Matches, isRelevant: boolean): string {
  return `
    (?5 IS NULL OR p.crawl = ?5) AND p.crawl NOT IN (SELECT id FROM crawls WHERE deleting_at IS NOT NULL)
    ${isRelevant ? "AND EXISTS (SELECT 1 FROM urls r WHERE r.crawl = p.crawl AND r.url = p.url AND r.relevance >= ?8)" : ""}
    ${notWords === null ? "" : without("search_words", "?3")} ${notTrigrams === null ? "" : without("search_trigrams", "?4")}`;
}

const without = (index: Index, match: string) =>
  `AND p.id NOT IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${match})`;

/** A row for each of the expressions in the JSON list that a page matches, no older than the pages looked at. */
const matchingEach = (index: Index, list: string) => `
SELECT t.rowid AS id FROM json_each(${list}) j CROSS JOIN ${index} t ON t.${index} MATCH j.value
AND t.rowid >= (SELECT min(id) FROM matches)`;

/** The pages that both indexes find, or any of them. */
function foundSql(matches: Matches, needed: "all" | "any", isRelevant: boolean): string {
  const matching = (index: Index, match: string) => `
  SELECT * FROM (
    SELECT p.id, bm25(${index}, ${WEIGHTS}) AS rank FROM ${index} CROSS JOIN search_pages p ON p.id = ${index}.rowid
    WHERE ${index} MATCH ${match} AND ${allowedSql(matches, isRelevant)}
    ORDER BY ${index}.rowid DESC LIMIT ${MOST_MATCHES})`;
  const inWords = matching("search_words", "?1");
  const inTrigrams = matching("search_trigrams", "?2");
  if (matches.words === null) return inTrigrams;
  if (matches.trigrams === null) return inWords;
  if (needed === "any") return `SELECT id, sum(rank) AS rank FROM (${inWords} UNION ALL ${inTrigrams}) GROUP BY id`;
  return `SELECT w.id, w.rank + t.rank AS rank FROM (${inWords}) w JOIN (${inTrigrams}) t ON t.id = w.id`;
}

/**
 * The pages to rank: ?1 to ?4 are the expressions in the order of `Matches`, ?5 the crawl or null, ?6 and ?7 JSON lists
 * of the expressions for titles in each index. If there are too many, those that have most of the words in their title
 * are chosen, then the best by BM25. Of a page only its key is read. `isRelevant`: only pages whose relevance to the
 * subject of their crawl is at least ?8. `looked`: the number of pages looked at, copies included.
 */
export function candidatesSql(matches: Matches, needed: "all" | "any", isRelevant = false): string {
  return `
WITH
  matches AS MATERIALIZED (${foundSql(matches, needed, isRelevant)}),
  titled AS MATERIALIZED (
    SELECT id, count(*) AS words
    FROM (${matchingEach("search_words", "?6")} UNION ALL ${matchingEach("search_trigrams", "?7")}) GROUP BY id
  ),
  copies AS (
    SELECT p.id, p.crawl, p.url, m.rank, row_number() OVER (PARTITION BY p.url ORDER BY p.id DESC) AS copy
    FROM matches m CROSS JOIN search_pages p ON p.id = m.id
  ),
  top AS MATERIALIZED (
    SELECT c.id, c.crawl, c.url, c.rank, coalesce(titled.words, 0) AS words, count(*) OVER () AS total
    FROM copies c LEFT JOIN titled ON titled.id = c.id
    WHERE c.copy = 1 ORDER BY words DESC, c.rank, c.id DESC LIMIT ${MAX_CANDIDATES}
  )
SELECT top.id, top.crawl, top.url, u.title, u.fetched_at AS fetchedAt, u.rank, u.in_links AS inLinks,
  u.twin_of AS twinOf, -top.rank AS bm25, top.total, (SELECT count(*) FROM matches) AS looked
FROM top CROSS JOIN urls u ON u.crawl = top.crawl AND u.url = top.url
ORDER BY top.rank, top.id DESC`;
}

/** The beginnings of the texts of the pages in ?1, a JSON list of their ids; ?2 is their length. */
export const LEADS = `
SELECT p.id, substr(p.text, 1, ?2) AS lead FROM json_each(?1) j CROSS JOIN search_pages p ON p.id = j.value`;

/** Characters before the first word in a page's window. */
const BEFORE_WINDOW = 120;
/** Characters of the window from which a snippet is cut. */
const WINDOW = 8_000;

/**
 * The windows of the pages in ?1, a JSON list of their ids: from before the first place of any of the words in ?2, a
 * JSON list in lower case, within the first ?3 characters; without one, the beginning.
 */
export const WINDOWS = `
WITH
  beginnings AS MATERIALIZED (
    SELECT p.id, lower(substr(p.text, 1, ?3)) AS text FROM json_each(?1) j CROSS JOIN search_pages p ON p.id = j.value
  ),
  places AS MATERIALIZED (
    SELECT b.id, (SELECT min(nullif(instr(b.text, w.value), 0)) FROM json_each(?2) w) AS place FROM beginnings b
  )
SELECT p.id, iif(place > ${BEFORE_WINDOW} + 1, '…', '')
  || substr(p.text, max(1, coalesce(place, 1) - ${BEFORE_WINDOW}), ${WINDOW}) AS window
FROM places CROSS JOIN search_pages p ON p.id = places.id`;
