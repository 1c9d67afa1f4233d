import {
  type Beginnings,
  type Expressions,
  type Matches,
  toMatches,
  toRanked,
  toTitleMatches,
} from "../../search/match-expression.ts";
import type { Term } from "../../search/query.ts";

/** The statements of a search, in SQLite's FTS5: https://www.sqlite.org/fts5.html */

/** A word in a title counts as ten in the text. */
const WEIGHTS = "10.0, 1.0";
/**
 * Maximum number of trigrams for the short words of a query together, the most frequent of each first. A word of two
 * characters seldom has so many. A single character may, and then pages that have it only in rare trigrams are not
 * found.
 */
export const MOST_BEGINNINGS = 500;
/** Maximum number of pages that are ranked. A query gives no more hits. */
export const MAX_RANKED = 1_000;

/**
 * FTS5 finds no term of less than three characters with trigrams, but its vocabulary is sorted:
 * https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
 */
export const BEGINNINGS = `
SELECT term FROM search_trigram_terms WHERE term >= ?1 AND term < ?2 ORDER BY doc DESC LIMIT ?3`;

/** The pages that have each of the stems in ?1, a JSON list. Each is looked up by itself. */
export const WORD_PAGES = `
SELECT t.term, t.doc AS pages FROM json_each(?1) j CROSS JOIN search_word_terms t ON t.term = j.value`;

/** Maximum number of matching pages that are looked at, the newest first. */
export const MOST_MATCHES = 20_000;
/**
 * What BM25 may cost: for each word that it counts, 1,500 of each page, half its bytes, and ten for each byte beyond
 * LONG_BYTES. It reads each place of each word in each page, which takes some 1.5 µs for a page of 5,000 bytes, and
 * 10 ms for one of half a megabyte that says nothing but these words (bench/search-load.ts). So a query of six words
 * ranks all pages that it looks at, if they are as long as most, and one of 32 words ranks 4,000. Shorter pages go
 * first; the others are ranked by their title, URL and PageRank.
 */
const MOST_RANKING = 500_000_000;
const LONG_BYTES = 50_000;
const RANKING = `1500 + octet_length(p.text) / 2 + 10 * max(0, octet_length(p.text) - ${LONG_BYTES})`;

type Index = "search_words" | "search_trigrams";

/**
 * Which pages may be hits: of crawl ?5 or any, not of one that is being deleted, and relevant enough (?10). The crawl
 * is looked up in the index of `search_pages` alone, because its rows hold the texts. With the sign before it, SQLite
 * does not match the expression anew for each page of the crawl.
 */
function allowedSql(index: Index, { notWords, notTrigrams }: Matches, isRelevant: boolean): string {
  return `
    (?5 IS NULL OR +${index}.rowid IN (SELECT id FROM search_pages WHERE crawl = ?5))
    AND +${index}.rowid NOT IN (
      SELECT id FROM search_pages WHERE crawl IN (SELECT id FROM crawls WHERE deleting_at IS NOT NULL))
    ${
      isRelevant
        ? `AND EXISTS (SELECT 1 FROM search_pages p CROSS JOIN urls r ON r.crawl = p.crawl AND r.url = p.url
      WHERE p.id = ${index}.rowid AND r.relevance >= ?10)`
        : ""
    }
    ${notWords === null ? "" : without(index, "search_words", "?3")}
    ${notTrigrams === null ? "" : without(index, "search_trigrams", "?4")}`;
}

const without = (index: Index, by: Index, match: string) =>
  `AND +${index}.rowid NOT IN (SELECT rowid FROM ${by} WHERE ${by} MATCH ${match})`;

/** A row for each of the expressions in the JSON list that a page matches, no older than the pages looked at. */
const matchingEach = (index: Index, list: string) => `
SELECT t.rowid AS id FROM json_each(${list}) j CROSS JOIN ${index} t ON t.${index} MATCH j.value
AND t.rowid >= (SELECT min(id) FROM matches)`;

/** The pages that both indexes find, or any of them. */
function foundSql(matches: Matches, needed: "all" | "any", isRelevant: boolean): string {
  const matching = (index: Index, match: string) => `
  SELECT * FROM (
    SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ${match} AND ${allowedSql(index, matches, isRelevant)}
    ORDER BY rowid DESC LIMIT ${MOST_MATCHES})`;
  const inWords = matching("search_words", "?1");
  const inTrigrams = matching("search_trigrams", "?2");
  if (matches.words === null) return inTrigrams;
  if (matches.trigrams === null) return inWords;
  return needed === "any"
    ? `${inWords} UNION ${inTrigrams}`
    : `SELECT w.id FROM (${inWords}) w JOIN (${inTrigrams}) t ON t.id = w.id`;
}

/**
 * BM25 of the shortest of the pages found, for each index that is asked. With a limit SQLite computes it where it reads
 * the index, and nowhere else can it.
 */
function ranksSql({ words, trigrams }: Expressions): string {
  const ranking = (index: Index, match: string) => `
  SELECT * FROM (
    SELECT c.id, bm25(${index}, ${WEIGHTS}) AS rank FROM ${index} CROSS JOIN counted c ON c.id = ${index}.rowid
    WHERE ${index} MATCH ${match} AND ${index}.rowid >= (SELECT min(id) FROM counted) LIMIT -1)`;
  return [
    ...(words.length === 0 ? [] : [ranking("search_words", "?6")]),
    ...(trigrams.length === 0 ? [] : [ranking("search_trigrams", "?7")]),
  ].join(" UNION ALL ");
}

/** The pages whose words BM25 counts. */
const countedSql = ({ words, trigrams }: Expressions) => `
SELECT id FROM (
  SELECT m.id, sum(${RANKING}) OVER (ORDER BY octet_length(p.text), m.id DESC ROWS UNBOUNDED PRECEDING) AS cost
  FROM matches m CROSS JOIN search_pages p ON p.id = m.id)
WHERE cost <= ${Math.floor(MOST_RANKING / (words.length + trigrams.length))}`;

export interface CandidateQuery {
  /** Null for all crawls. */
  crawl: string | null;
  /** Only pages at least so relevant to the subject of their crawl. */
  minRelevance?: number | undefined;
}

/** The statement for the pages to rank, with its values. Null if no page can match. */
export function askCandidates(
  terms: Term[],
  beginnings: Beginnings,
  needed: "all" | "any",
  { crawl, minRelevance }: CandidateQuery,
): { sql: string; values: (string | number | null)[] } | null {
  const matches = toMatches(terms, beginnings, needed);
  if (matches === null) return null;
  const ranked = toRanked(terms, beginnings);
  const titles = toTitleMatches(terms, beginnings);
  const { words, trigrams, notWords, notTrigrams } = matches;
  return {
    sql: candidatesSql(matches, ranked, needed, minRelevance !== undefined),
    values: [
      ...[words, trigrams, notWords, notTrigrams, crawl, ranked.words.join(" OR "), ranked.trigrams.join(" OR ")],
      ...[JSON.stringify(titles.words), JSON.stringify(titles.trigrams)],
      ...(minRelevance === undefined ? [] : [minRelevance]),
    ],
  };
}

/**
 * The pages to rank: ?1 to ?4 are the expressions in the order of `Matches`, ?5 the crawl or null, ?6 and ?7 what BM25
 * counts in each index, ?8 and ?9 JSON lists of the expressions for titles in each index. If there are too many, those
 * that have most of the words in their title are chosen, then the best by BM25. Of a page only its key is read.
 * `isRelevant`: only pages whose relevance to the subject of their crawl is at least ?10. `looked`: the number of pages
 * looked at, copies included.
 */
function candidatesSql(matches: Matches, ranked: Expressions, needed: "all" | "any", isRelevant: boolean): string {
  return `
WITH
  matches AS MATERIALIZED (${foundSql(matches, needed, isRelevant)}),
  titled AS MATERIALIZED (
    SELECT id, count(*) AS words
    FROM (${matchingEach("search_words", "?8")} UNION ALL ${matchingEach("search_trigrams", "?9")}) GROUP BY id
  ),
  counted AS MATERIALIZED (${countedSql(ranked)}),
  ranks AS MATERIALIZED (SELECT id, sum(rank) AS rank FROM (${ranksSql(ranked)}) GROUP BY id),
  copies AS (
    SELECT p.id, p.crawl, p.url, coalesce(r.rank, 0) AS rank, row_number() OVER (PARTITION BY p.url ORDER BY p.id DESC) AS copy
    FROM matches m CROSS JOIN search_pages p ON p.id = m.id LEFT JOIN ranks r ON r.id = m.id
  ),
  top AS MATERIALIZED (
    SELECT c.id, c.crawl, c.url, c.rank, coalesce(titled.words, 0) AS words, count(*) OVER () AS total
    FROM copies c LEFT JOIN titled ON titled.id = c.id
    WHERE c.copy = 1 ORDER BY words DESC, c.rank, c.id DESC LIMIT ${MAX_RANKED}
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
