import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isShort, toMatches, toRanked, toTitleMatches } from "../../../src/search/match-expression.ts";
import { parseQuery } from "../../../src/search/query.ts";

/** The meaning of queries. No query is an error in FTS5. */

const CASES: [query: string, words: string | null, trigrams: string | null][] = [
  ["crawler", '"crawler"', null],
  ["  polite   crawler ", '"polite" AND "crawler"', null],
  ['"polite crawler"', '"polite crawler"', null],
  ["“polite crawler”", '"polite crawler"', null],
  ['"polite crawler', '"polite crawler"', null],
  ["crawl*", '"crawl" *', null],
  ['"polite crawl*"', '"polite crawl" *', null],
  ["same same", '"same"', null],
  ["don't well-known C++ a.b", `"don't" AND "well-known" AND "C++" AND "a.b"`, null],
  ["NEAR(a b) AND OR NOT", '"NEAR(a" AND "b)" AND "AND" AND "OR" AND "NOT"', null],
  ["title:secret ^first {a b}: +c", '"title:secret" AND "^first" AND "{a" AND "b}:" AND "+c"', null],
  ["foo * ** - -- 🕷 !? ()", '"foo"', null],
  ["網路爬蟲", null, '"網路爬蟲"'],
  ["网络爬虫、搜索引擎。", null, '"网络爬虫" AND "搜索引擎"'],
  ["用户指南Python", '"Python"', '"用户指南"'],
  ["polite 크롤러를", '"polite"', '"크롤러를"'],
  ["ページランキング", null, '"ページランキング"'],
  ['"我们的 Python 指南"', null, '"我们的 Python 指南"'],
  ['"我们的Python"', null, '"我们的\u200bPython"'],
  ["การค้นหา*", null, '"การค้นหา"'],
  ["über ΑΘΉΝΑ हिन्दी שלום", '"über" AND "ΑΘΉΝΑ" AND "हिन्दी" AND "שלום"', null],
  ["u\u0308ber \u1112\u1161\u11ab\u1100\u1173\u11af\u110b\u1175", '"über"', '"한글이"'],
];

test.each(CASES)("%s", (query, words, trigrams) => {
  expect(toMatches(parseQuery(query), new Map())).toEqual({ words, trigrams, notWords: null, notTrigrams: null });
});

test.each([
  ["crawler -robots", '"robots"', null],
  ['crawler -"no robots" -spam*', '"no robots" OR "spam" *', null],
  ["crawler -搜索引擎", null, '"搜索引擎"'],
  ["crawler -用户指南Python", null, '"用户指南\u200bPython"'],
])("%s leaves out", (query, notWords, notTrigrams) => {
  expect(toMatches(parseQuery(query), new Map())).toEqual({
    words: '"crawler"',
    trigrams: null,
    notWords,
    notTrigrams,
  });
});

test.each([
  ["polite crawler -robots", '"polite" OR "crawler"', null],
  ["用户指南Python 爬虫", '"Python"', '"用户指南"'],
])("any word of %s", (query, words, trigrams) => {
  // No page has 爬虫.
  expect(toMatches(parseQuery(query), new Map(), "any")).toMatchObject({ words, trigrams });
});

test("titles are searched for each wanted word", () => {
  expect(toTitleMatches(parseQuery('"a b" crawl* -robots 爬虫 用户指南'), new Map([["爬虫", ["爬虫是"]]]))).toEqual({
    words: ['title : ("a" AND "b")', 'title : ("crawl" *)'],
    trigrams: ['title : (("爬虫是"))', 'title : ("用户指南")'],
  });
});

test.each([
  ['"a b" to-do crawl* -robots', ['"a"', '"b"', '"to"', '"do"'], []],
  ["crawl* pre*", ['"crawl" *', '"pre" *'], []],
  ["crawl* 用户指南 爬虫", [], ['"用户指南"', '"爬虫是"', '"爬虫的"']],
])("BM25 counts words: %s", (query, words, trigrams) => {
  const beginnings = new Map([["爬虫", ["爬虫是", "爬虫的"]]]);
  const ranked = toRanked(parseQuery(query), beginnings);
  expect([ranked.words, ranked.trigrams.toSorted()]).toEqual([words, trigrams.toSorted()]);
});

test.each(["", " ", "-crawler", '""', "!!", "🕷️", "*", '-"', "\ud83d"])("%j finds no page", (query) => {
  expect(toMatches(parseQuery(query), new Map())).toBeNull();
});

describe("a word of one or two characters", () => {
  test("is found by the trigrams that begin with it", () => {
    const terms = parseQuery('爬虫 -"虫"');
    expect(terms.filter(isShort).map(({ text }) => text)).toEqual(["爬虫", "虫"]);
    const beginnings = new Map([
      ["爬虫", ["爬虫是", '爬虫"']],
      ["虫", ["虫\n\n"]],
    ]);
    expect(toMatches(terms, beginnings)).toMatchObject({
      trigrams: '("爬虫是" OR "爬虫""")',
      notTrigrams: '("虫\n\n")',
    });
  });

  test("that is on no page finds none and excludes none", () => {
    expect(toMatches(parseQuery("crawler 爬虫"), new Map())).toBeNull();
    expect(toMatches(parseQuery("crawler -爬虫"), new Map())).toMatchObject({ words: '"crawler"', notTrigrams: null });
  });
});

test("no typed text gives an invalid expression", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(readFileSync("migrations/0006_search.sql", "utf8"));
  const ask = (index: string, expression: string | null | undefined) => {
    if (typeof expression !== "string") return;
    db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH ?`).all(expression);
  };
  const bits = [
    '"',
    "*",
    "-",
    "(",
    ")",
    "NEAR",
    "AND",
    "NOT",
    ":",
    "^",
    "+",
    "{",
    "}",
    " ",
    "爬虫",
    "a",
    "é",
    "🕷",
    "\0",
    "\ud800",
    "'",
  ];
  const typed = fc.oneof(
    fc.array(fc.constantFrom(...bits), { maxLength: 30 }).map((parts) => parts.join("")),
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }),
    fc.constantFrom(...bits).map((bit) => bit.repeat(10_000)),
    fc.constantFrom("", "-").map((minus) => Array.from({ length: 2_000 }, (_, i) => `${minus}w${i}`).join(" ")),
  );
  fc.assert(
    fc.property(typed, (query) => {
      const terms = parseQuery(query);
      const beginnings = new Map(terms.filter(isShort).map(({ text }) => [text, [`${text}"x`, `${text}\n\n`]]));
      const matches = toMatches(terms, beginnings);
      ask("search_words", matches?.words);
      ask("search_words", matches?.notWords);
      ask("search_trigrams", matches?.trigrams);
      ask("search_trigrams", matches?.notTrigrams);
      ask("search_words", toMatches(terms, beginnings, "any")?.words);
      ask("search_trigrams", toMatches(terms, beginnings, "any")?.trigrams);
      const inTitles = toTitleMatches(terms, beginnings);
      // Two thousand words take too long one by one.
      for (const expression of inTitles.words.slice(0, 40)) ask("search_words", expression);
      for (const expression of inTitles.trigrams.slice(0, 40)) ask("search_trigrams", expression);
    }),
    { numRuns: 500 },
  );
});
