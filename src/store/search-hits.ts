import type { SearchHit } from "../crawl/search-hit.ts";
import { isShort, type Matches, toMatches } from "../search/match-expression.ts";
import type { Term } from "../search/query.ts";
import { HIT_END, HIT_START, toPieces } from "../search/snippet.ts";

/** Searches the index, best hits first. If several crawls have stored a URL, the newest copy that matches counts. */

interface SearchPage {
  hits: SearchHit[];
  /** URLs that match. */
  total: number;
}

interface SearchRequest {
  /** Null for all crawls. */
  crawl: string | null;
  limit: number;
  offset: number;
}

type HitRow = Omit<SearchHit, "snippet"> & { snippet: string; total: number };

/** A word in a title counts as ten in the text. */
const WEIGHTS = "10.0, 1.0";
/**
 * Maximum number of trigrams for a short word, the most frequent first. A word of two characters seldom has more. A
 * single character may, and then pages that have it only in rare trigrams are not found.
 */
const MOST_BEGINNINGS = 1_000;
const LAST_CHARACTER = "\u{10ffff}";

/**
 * FTS5 finds no term of less than three characters with trigrams, but its vocabulary is sorted:
 * https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module
 */
const BEGINNINGS = `
SELECT term FROM search_trigram_terms WHERE term >= ?1 AND term < ?2 ORDER BY doc DESC LIMIT ${MOST_BEGINNINGS}`;

const ranked = (index: string, match: string) =>
  `SELECT rowid AS id, bm25(${index}, ${WEIGHTS}) AS rank FROM ${index} WHERE ${index} MATCH ${match}`;

const without = (index: string, match: string) =>
  `AND p.id NOT IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${match})`;

/** The snippet comes from the text, because the title is shown anyway. */
const snippetOf = (index: string, match: string, start: string, end: string) =>
  `(SELECT snippet(${index}, 1, ${start}, ${end}, '…', 48) FROM ${index} WHERE ${index} MATCH ${match} AND rowid = top.id)`;

/**
 * ?1 to ?4 are the expressions in the order of `Matches`. Only the key of a page is read, until it is clear that the
 * page is shown.
 */
function hitsSql({ words, trigrams, notWords, notTrigrams }: Matches): string {
  const both = `SELECT w.id, w.rank + t.rank AS rank FROM (${ranked("search_words", "?1")}) w JOIN (${ranked("search_trigrams", "?2")}) t ON t.id = w.id`;
  const found =
    words !== null && trigrams !== null
      ? both
      : words !== null
        ? ranked("search_words", "?1")
        : ranked("search_trigrams", "?2");
  const snippet =
    words === null
      ? snippetOf("search_trigrams", "?2", "''", "''")
      : snippetOf("search_words", "?1", `char(${HIT_START.charCodeAt(0)})`, `char(${HIT_END.charCodeAt(0)})`);
  return `
WITH
  matches AS MATERIALIZED (${found}),
  copies AS (
    SELECT p.id, p.crawl, p.url, m.rank, row_number() OVER (PARTITION BY p.url ORDER BY p.id DESC) AS copy
    FROM matches m CROSS JOIN search_pages p ON p.id = m.id
    WHERE (?5 IS NULL OR p.crawl = ?5) AND p.crawl NOT IN (SELECT id FROM crawls WHERE deleting_at IS NOT NULL)
    ${notWords === null ? "" : without("search_words", "?3")} ${notTrigrams === null ? "" : without("search_trigrams", "?4")}
  ),
  top AS MATERIALIZED (
    SELECT id, crawl, url, rank, count(*) OVER () AS total FROM copies WHERE copy = 1 ORDER BY rank, id DESC LIMIT ?6 OFFSET ?7
  )
SELECT top.crawl, top.url, u.title, u.fetched_at AS fetchedAt, -top.rank AS score, top.total, ${snippet} AS snippet
FROM top CROSS JOIN urls u ON u.crawl = top.crawl AND u.url = top.url
ORDER BY top.rank, top.id DESC`;
}

export class SearchHits {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  async find(terms: Term[], { crawl, limit, offset }: SearchRequest): Promise<SearchPage> {
    const matches = toMatches(terms, await this.#beginnings(terms.filter(isShort)));
    if (matches === null) return { hits: [], total: 0 };
    const { words, trigrams, notWords, notTrigrams } = matches;
    const { results } = await this.#db
      .prepare(hitsSql(matches))
      .bind(words, trigrams, notWords, notTrigrams, crawl, limit, offset)
      .all<HitRow>();
    const unspaced = terms.filter((term) => term.unspaced && !term.excluded).map(({ text }) => text);
    return {
      hits: results.map(({ total: _, snippet, ...hit }) => ({ ...hit, snippet: toPieces(snippet, unspaced) })),
      total: results[0]?.total ?? 0,
    };
  }

  /** Whether the index is empty. */
  async isEmpty(): Promise<boolean> {
    return (await this.#db.prepare("SELECT 1 FROM search_pages LIMIT 1").first()) === null;
  }

  async #beginnings(short: Term[]): Promise<Map<string, string[]>> {
    if (short.length === 0) return new Map();
    const statement = this.#db.prepare(BEGINNINGS);
    const answers = await this.#db.batch<{ term: string }>(
      short.map(({ text }) => statement.bind(text.toLowerCase(), text.toLowerCase() + LAST_CHARACTER)),
    );
    return new Map(short.map(({ text }, i) => [text, (answers[i]?.results ?? []).map(({ term }) => term)]));
  }
}
