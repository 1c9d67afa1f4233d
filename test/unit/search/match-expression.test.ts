import { expect, test } from "vitest";
import { toRanked } from "../../../src/search/match-expression.ts";
import { parseQuery } from "../../../src/search/query.ts";

const ranked = (query: string, beginnings: [string, string[]][] = []) =>
  toRanked(parseQuery(query), new Map(beginnings));

test.each([
  ["otter river", ['"otter"', '"river"']],
  ['"otter river" otter', ['"otter"', '"river"']],
  ['"otter river" "river otter"', ['"otter"', '"river"']],
  ['"otter otter"', ['"otter"']],
  ["otter river Otter", ['"otter"', '"river"']],
  ["otter -river", ['"otter"']],
  ["ott* ott*", ['"ott" *']],
])("%s is ranked by each word once", (query, words) => {
  expect(ranked(query)).toEqual({ words, trigrams: [] });
});

test("short terms of one beginning are ranked by each trigram once", () => {
  const beginnings: [string, string[]][] = [
    ["爬", ["爬虫很", "爬山去"]],
    ["爬虫", ["爬虫很"]],
  ];
  expect(ranked("爬 爬虫", beginnings)).toEqual({ words: [], trigrams: ['"爬虫很"', '"爬山去"'] });
});
