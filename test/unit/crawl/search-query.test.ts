import fc from "fast-check";
import { expect, test } from "vitest";
import { readQuery } from "../../../src/crawl/search-query.ts";

test.each<[typed: string, words: string, trigrams: string, short: string[]]>([
  ["crawler", '("crawler")', "", []],
  ["polite crawler", '("polite" AND "crawler")', "", []],
  ['"polite crawler" edge', '("polite crawler" AND "edge")', "", []],
  ["crawl*", '("crawl*"*)', "", []],
  ["spider -web", '("spider") NOT "web"', "", []],
  ['spider -"black widow" -web', '("spider") NOT "black widow" NOT "web"', "", []],
  ["AND OR NOT NEAR(a)", '("AND" AND "OR" AND "NOT" AND "NEAR(a)")', "", []],
  ["title:x {a b}", '("title:x" AND "{a" AND "b}")', "", []],
  ['say "un closed', '("say" AND "un closed")', "", []],
  ["网络爬虫", "", '("网络爬虫")', []],
  ["爬虫", "", "", ["爬虫"]],
  ["爬虫 robots", '("robots")', "", ["爬虫"]],
  ["크롤러 -로봇이", "", '("크롤러") NOT "로봇이"', []],
  ["über", '("über")', "", []],
  ["c++ 🙂", '("c++")', "", []],
  ["O'Reilly", `("O'Reilly")`, "", []],
])("%s", (typed, words, trigrams, short) => expect(readQuery(typed)).toEqual({ words, trigrams, short }));

test.each([[""], ["   "], ["-only"], ['""'], ["* - ( )"], ["🙂"], ['-"a b" -c']])(
  "%j is nothing to look for",
  (typed) => expect(readQuery(typed)).toBeNull(),
);

test("whatever is typed, every quote is closed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (typed) => {
      const read = readQuery(typed);
      for (const expression of [read?.words ?? "", read?.trigrams ?? ""])
        expect((expression.match(/"/g) ?? []).length % 2).toBe(0);
    }),
  );
});
