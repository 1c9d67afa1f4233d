import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { beginningsOf, markHits } from "../../../src/search/mark-hits.ts";
import { toMatches } from "../../../src/search/match-expression.ts";
import { parseQuery } from "../../../src/search/query.ts";
import { HIT_END, HIT_START } from "../../../src/search/snippet.ts";

/** The hits that code marks are those that FTS5 has: its highlight() is asked about the same texts. */

const db = new DatabaseSync(":memory:");
db.exec(readFileSync(new URL("../../../migrations/0006_search.sql", import.meta.url), "utf8"));

/** The text with FTS5's marks; null if it does not match. */
function highlight(text: string, query: string): string | null {
  const words = toMatches(parseQuery(query), new Map(), "any")?.words ?? null;
  if (words === null) return null;
  db.exec("DELETE FROM search_pages");
  db.prepare("INSERT INTO search_pages VALUES (1, 'c', 'u', 0, '', ?)").run(text);
  db.exec("INSERT INTO search_words (search_words) VALUES ('rebuild')");
  const row = db
    .prepare("SELECT highlight(search_words, 1, ?, ?) AS marked FROM search_words WHERE search_words MATCH ?")
    .get(HIT_START, HIT_END, words);
  return (row?.["marked"] as string | undefined) ?? null;
}

const show = (marked: string) => marked.replaceAll(HIT_START, "[").replaceAll(HIT_END, "]");
const mark = (text: string, query: string) => show(markHits(text, parseQuery(query)));

test.each([
  ["crawling", "A crawler crawls, and keeps crawling.", "A crawler [crawls], and keeps [crawling]."],
  ["the", "The other of the", "[The] other of [the]"],
  ['"visits pages"', "It visits pages, and pages it visits.", "It [visits pages], and pages it visits."],
  ["crawl* -slow", "Crawlers are slow", "[Crawlers] are slow"],
  ["uber", "Über und ueber", "[Über] und ueber"],
  ["ёлка", "Елка и ёлка", "Елка и [ёлка]"],
  ["हिन्दी", "हिन्दी में", "[हिन्दी] में"],
  ["to-do", "a to-do list to do", "a [to-do] list [to do]"],
])("%s in %s", (query, text, marked) => {
  expect(mark(text, query)).toBe(marked);
  expect(mark(text, query)).toBe(show(highlight(text, query) ?? text));
});

const WORDS =
  "crawl crawler crawlers crawling relational relate conditional rational generalization generously hopping hoped agreed " +
  "plastered bled motoring sing conflated sky skies happy ponies caresses cats probate rate cease controlling roll " +
  "oscillators ties dying be is it a x2 2024 café naïve Über größere Ёлка страницы हिन्दी don't to-do C++ état ÉTATS " +
  "adjustment adoption electrical hopefulness goodness formalize triplicate revival allowance inference airliner";
const word = fc.constantFrom(...WORDS.split(" "));
const text = fc.array(fc.tuple(word, fc.constantFrom(" ", ", ", ".\n", "/", "_")), { minLength: 1, maxLength: 30 });

test("words are marked where FTS5 has its hits", () => {
  fc.assert(
    fc.property(text, word, fc.boolean(), (pieces, sought, prefix) => {
      const page = pieces.flat().join("");
      const query = prefix && /^\p{L}+$/u.test(sought) ? `${sought}*` : sought;
      expect(mark(page, query)).toBe(show(highlight(page, query) ?? page));
    }),
    { numRuns: 500 },
  );
});

test("where a word is, the text has one of the beginnings that are looked for", () => {
  fc.assert(
    fc.property(text, word, (pieces, sought) => {
      const page = pieces.flat().join("");
      const marked = mark(page, sought);
      const isAscii = /^[\w'+-]+$/.test(sought);
      if (!isAscii || marked === page) return;
      expect(beginningsOf(parseQuery(sought)).some((beginning) => page.toLowerCase().includes(beginning))).toBe(true);
    }),
  );
});
