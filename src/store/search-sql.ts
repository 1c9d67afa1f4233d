import type { Matches } from "../search/match-expression.ts";
import { HIT_END, HIT_START } from "../search/snippet.ts";

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

type Index = "search_words" | "search_trigrams";

const matching = (index: Index, match: string) =>
  `SELECT rowid AS id, bm25(${index}, ${WEIGHTS}) AS rank FROM ${index} WHERE ${index} MATCH ${match}`;

const without = (index: Index, match: string) =>
  `AND p.id NOT IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${match})`;

/** A row for each of the expressions in the JSON list that a page matches. */
const matchingEach = (index: Index, list: string) =>
  `SELECT t.rowid AS id FROM json_each(${list}) j CROSS JOIN ${index} t ON t.${index} MATCH j.value`;

/** The pages that both indexes find, or any of them. */
function foundSql({ words, trigrams }: Matches, needed: "all" | "any"): string {
  const inWords = matching("search_words", "?1");
  const inTrigrams = matching("search_trigrams", "?2");
  if (words === null) return inTrigrams;
  if (trigrams === null) return inWords;
  if (needed === "any") return `SELECT id, sum(rank) AS rank FROM (${inWords} UNION ALL ${inTrigrams}) GROUP BY id`;
  return `SELECT w.id, w.rank + t.rank AS rank FROM (${inWords}) w JOIN (${inTrigrams}) t ON t.id = w.id`;
}

/**
 * The pages to rank: ?1 to ?4 are the expressions in the order of `Matches`, ?5 the crawl or null, ?6 and ?7 JSON lists
 * of the expressions for titles in each index. If there are too many, those that have most of the words in their title
 * are chosen, then the best by BM25. Of a page only its key is read. `isRelevant`: only pages whose relevance to the
 * subject of their crawl is at least ?8.
 */
export function candidatesSql(matches: Matches, needed: "all" | "any", isRelevant = false): string {
  const { notWords, notTrigrams } = matches;
  return `
WITH
  matches AS MATERIALIZED (${foundSql(matches, needed)}),
  titled AS MATERIALIZED (
    SELECT id, count(*) AS words
    FROM (${matchingEach("search_words", "?6")} UNION ALL ${matchingEach("search_trigrams", "?7")}) GROUP BY id
  ),
  copies AS (
    SELECT p.id, p.crawl, p.url, m.rank, row_number() OVER (PARTITION BY p.url ORDER BY p.id DESC) AS copy
    FROM matches m CROSS JOIN search_pages p ON p.id = m.id
    WHERE (?5 IS NULL OR p.crawl = ?5) AND p.crawl NOT IN (SELECT id FROM crawls WHERE deleting_at IS NOT NULL)
    ${isRelevant ? "AND EXISTS (SELECT 1 FROM urls r WHERE r.crawl = p.crawl AND r.url = p.url AND r.relevance >= ?8)" : ""}
    ${notWords === null ? "" : without("search_words", "?3")} ${notTrigrams === null ? "" : without("search_trigrams", "?4")}
  ),
  top AS MATERIALIZED (
    SELECT c.id, c.crawl, c.url, c.rank, coalesce(titled.words, 0) AS words, count(*) OVER () AS total
    FROM copies c LEFT JOIN titled ON titled.id = c.id
    WHERE c.copy = 1 ORDER BY words DESC, c.rank, c.id DESC LIMIT ${MAX_CANDIDATES}
  )
SELECT top.id, top.crawl, top.url, u.title, u.fetched_at AS fetchedAt, u.rank, u.in_links AS inLinks,
  u.twin_of AS twinOf, -top.rank AS bm25, top.total
FROM top CROSS JOIN urls u ON u.crawl = top.crawl AND u.url = top.url
ORDER BY top.rank, top.id DESC`;
}

/** The beginnings of the texts of the pages in ?1, a JSON list of their ids; ?2 is their length. */
export const LEADS = `
SELECT p.id, substr(p.text, 1, ?2) AS lead FROM json_each(?1) j CROSS JOIN search_pages p ON p.id = j.value`;

const START = `char(${HIT_START.charCodeAt(0)})`;
const END = `char(${HIT_END.charCodeAt(0)})`;
/** Characters before the first hit in a page's window. */
const BEFORE_WINDOW = 120;
/** Characters of the window from which a snippet is cut, marks included. */
const WINDOW = 8_000;

/**
 * The window of a page's text that begins before its first hit. FTS5's snippet() compares each hit of a page with all
 * others of it: 31 s for 50,000 hits. highlight() takes 0.4 s for them, but it copies its result for each hit, so
 * 500,000 hits in a megabyte still take 29 s. The text is shown, because the title is anyway.
 */
const windowOf = (index: Index, match: string) => `(
  WITH marked AS MATERIALIZED (
    SELECT highlight(${index}, 1, ${START}, ${END}) AS text FROM ${index} WHERE ${index} MATCH ${match} AND rowid = j.value
  )
  SELECT iif(instr(text, ${START}) > ${BEFORE_WINDOW} + 1, '…', '')
    || substr(text, max(1, instr(text, ${START}) - ${BEFORE_WINDOW}), ${WINDOW}) FROM marked)`;

/**
 * The windows of the pages in ?3, a JSON list of their ids; ?1 and ?2 as in `candidatesSql`. Trigrams give only the
 * approximate place of a hit, so their marks are removed.
 */
export function windowsSql({ words, trigrams }: Matches): string {
  const windows = [
    ...(words === null ? [] : [windowOf("search_words", "?1")]),
    ...(trigrams === null ? [] : [`replace(replace(${windowOf("search_trigrams", "?2")}, ${START}, ''), ${END}, '')`]),
  ];
  return `SELECT j.value AS id, coalesce(${[...windows, "''"].join(", ")}) AS marked FROM json_each(?3) j`;
}
