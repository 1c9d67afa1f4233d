import { MOST_MATCHES, type SearchHit } from "../crawl/search-hit.ts";
import { anyOf, isUnspaced, readQuery } from "../crawl/search-query.ts";
import { fitting } from "./fitting.ts";

/** The full-text index: the text of the completed pages of crawls that asked for it, and how it is looked through. docs/search.md */

/** What a page is found by. */
export interface PageText {
  url: string;
  title: string;
  text: string;
}

export interface SearchRequest {
  query: string;
  crawl: string | null;
  limit: number;
  offset: number;
}

/** A title says more than a word in a text. */
const TITLE_WEIGHT = 5;
const SNIPPET_TOKENS = 24;
/** Trigrams of a text are one character apart. */
const SNIPPET_TRIGRAMS = 60;
/** Trigrams that begin with a word too short to be one: the most frequent ones. */
const MOST_BEGINNINGS = 200;
/** Control characters, which no text keeps. */
const HIT = { start: "\u0002", end: "\u0003" };
/** What follows a text, so that each of its words begins a trigram. */
const END = "\n\n";

/** Guarded as the outcomes are: only what is about to be settled, so that a message that comes twice indexes once. */
const INDEX = `
INSERT OR IGNORE INTO search_pages (crawl, url, unspaced, title, text)
SELECT ?1, u.url, j.value ->> 'unspaced', j.value ->> 'title', j.value ->> 'text'
FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE u.status = 'queued'`;

/** Before the outcomes of these pages are settled, in the same transaction. */
export function planIndex(db: D1Database, crawl: string, texts: PageText[]): D1PreparedStatement[] {
  if (texts.length === 0) return [];
  const rows = texts.map(({ url, title, text }) => ({
    url,
    unspaced: isUnspaced(title) || isUnspaced(text) ? 1 : 0,
    title: clean(title),
    text: `${clean(text)}${END}`,
  }));
  return fitting(rows).map((part) => db.prepare(INDEX).bind(crawl, JSON.stringify(part)));
}

interface Match {
  id: number;
  crawl: string;
  url: string;
  title: string;
  rank: number;
}

export class SearchIndex {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Whether any crawl, or this one, has pages here. */
  async holdsAny(crawl: string | null): Promise<boolean> {
    const found = await this.#db
      .prepare("SELECT 1 AS found FROM search_pages WHERE ?1 IS NULL OR crawl = ?1 LIMIT 1")
      .bind(crawl)
      .first();
    return found !== null;
  }

  /** The best first, each URL once: of several crawls' copies the newest that fits. Null where there is nothing to look for. */
  async search({ query, crawl, limit, offset }: SearchRequest): Promise<{ hits: SearchHit[]; more: boolean } | null> {
    const read = readQuery(query);
    if (read === null) return null;
    const trigrams = await this.#withShort(read.trigrams, read.short);
    if (trigrams === null) return { hits: [], more: false };
    const matches = newestOfEach(await this.#matches(read.words, trigrams, crawl));
    const shown = matches.slice(offset, offset + limit);
    const snippets = await this.#snippets(shown, read.words, trigrams);
    return {
      hits: shown.map(({ id, crawl: of, url, title, rank }) => ({
        crawl: of,
        url,
        title,
        snippet: snippets.get(id)?.pieces ?? [],
        score: -rank,
        fetchedAt: snippets.get(id)?.fetchedAt ?? null,
      })),
      more: matches.length > offset + limit,
    };
  }

  /** With the trigrams that begin with each short term, or null where one of them begins none. */
  async #withShort(trigrams: string, short: string[]): Promise<string | null> {
    const expressions = trigrams === "" ? [] : [trigrams];
    for (const term of short) {
      const { results } = await this.#db
        .prepare(
          "SELECT term FROM search_trigram_terms WHERE term >= ?1 AND term < ?1 || ?2 ORDER BY doc DESC LIMIT ?3",
        )
        .bind(term.toLowerCase(), "\u{10ffff}", MOST_BEGINNINGS)
        .all<{ term: string }>();
      if (results.length === 0) return null;
      expressions.push(anyOf(results.map((row) => row.term)));
    }
    return expressions.join(" AND ");
  }

  async #matches(words: string, trigrams: string, crawl: string | null): Promise<Match[]> {
    const both = words !== "" && trigrams !== "";
    const rank = (table: string) => `bm25(${table}, ${TITLE_WEIGHT}, 1)`;
    const first = words === "" ? "search_trigrams" : "search_words";
    const sql = `
SELECT p.id, p.crawl, p.url, p.title, m.rank FROM (
  SELECT rowid AS id, ${rank(first)} AS rank FROM ${first} WHERE ${first} MATCH ?1
  ${both ? "AND rowid IN (SELECT rowid FROM search_trigrams WHERE search_trigrams MATCH ?4)" : ""}
) m CROSS JOIN search_pages p ON p.id = m.id
WHERE (?2 IS NULL OR p.crawl = ?2) AND EXISTS (SELECT 1 FROM crawls c WHERE c.id = p.crawl AND c.deleting_at IS NULL)
ORDER BY m.rank LIMIT ?3`;
    const values = [words === "" ? trigrams : words, crawl, MOST_MATCHES, ...(both ? [trigrams] : [])];
    return (
      await this.#db
        .prepare(sql)
        .bind(...values)
        .all<Match>()
    ).results;
  }

  async #snippets(matches: Match[], words: string, trigrams: string) {
    const found = new Map<number, { pieces: SearchHit["snippet"]; fetchedAt: number | null }>();
    if (matches.length === 0) return found;
    const [table, expression, tokens] =
      words === "" ? ["search_trigrams", trigrams, SNIPPET_TRIGRAMS] : ["search_words", words, SNIPPET_TOKENS];
    const { results } = await this.#db
      .prepare(
        `SELECT s.rowid AS id, snippet(${table}, 1, ?3, ?4, '…', ${tokens}) AS snippet, u.fetched_at AS fetchedAt
         FROM ${table} s JOIN search_pages p ON p.id = s.rowid JOIN urls u ON u.crawl = p.crawl AND u.url = p.url
         WHERE ${table} MATCH ?1 AND s.rowid IN (SELECT value FROM json_each(?2))`,
      )
      .bind(expression, JSON.stringify(matches.map(({ id }) => id)), HIT.start, HIT.end)
      .all<{ id: number; snippet: string; fetchedAt: number | null }>();
    for (const { id, snippet, fetchedAt } of results) found.set(id, { pieces: piecesOf(snippet), fetchedAt });
    return found;
  }
}

/** At the place of its best copy. */
function newestOfEach(matches: Match[]): Match[] {
  const newest = new Map<string, Match>();
  for (const match of matches) if ((newest.get(match.url)?.id ?? 0) < match.id) newest.set(match.url, match);
  const places = new Set<string>();
  return matches.flatMap(({ url }) => {
    if (places.has(url)) return [];
    places.add(url);
    return newest.get(url) ?? [];
  });
}

function piecesOf(marked: string): SearchHit["snippet"] {
  return marked
    .replace(/\s+/g, " ")
    .split(HIT.start)
    .flatMap((part, i) => {
      const [hit = "", rest = ""] = i === 0 ? ["", part] : part.split(HIT.end);
      return [
        { text: hit, hit: true },
        { text: rest, hit: false },
      ];
    })
    .filter(({ text }) => text !== "");
}

/** Of what marks a hit, and of what SQLite's JSON does not take. */
function clean(text: string): string {
  return ["\0", HIT.start, HIT.end].reduce((cleaned, mark) => cleaned.replaceAll(mark, " "), text.toWellFormed());
}
