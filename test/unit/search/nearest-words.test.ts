import { expect, test } from "vitest";
import { mayBeMistyped, nearestWord, nearWords, splitNames } from "../../../src/search/nearest-words.ts";
import { parseQuery } from "../../../src/search/query.ts";

const pages = new Map([
  ["repositori", 40],
  ["commit", 90],
  ["tabl", 10],
  ["label", 30],
]);

test.each([
  ["a letter too few", "repositry", "repository"],
  ["a letter too many", "commmit", "commit"],
  ["another letter", "xommit", "commit"],
  ["two letters that changed places, before a more frequent word", "tabel", "table"],
  ["the case of letters", "COMMTI", "commit"],
  ["two slips", "comxxit", null],
  ["nothing near", "zebra", null],
])("the nearest word: %s", (_, word, by) => expect(nearestWord(word, pages)).toBe(by));

test("each word that is one slip away is tried once, and not the word itself", () => {
  const near = nearWords("abcd");
  expect(near.has("abcd")).toBe(false);
  for (const word of ["bcd", "abc", "abcde", "xabcd", "abxd", "bacd"]) expect(near.has(word), word).toBe(true);
  expect(near.size).toBeLessThan(4 + 3 + 4 * 26 + 5 * 26);
});

test.each([
  ["word", true],
  ["abc", false],
  ["-word", false],
  ["word*", false],
  ["wort9", false],
  ['"two words"', false],
  ["爬虫", false],
])("%j may be mistyped: %s", (query, expected) => expect(parseQuery(query).some(mayBeMistyped)).toBe(expected));

test.each([
  ["pg_dump options", "pg dump options"],
  ["os.path", "os path"],
  ['"a phrase" plain', null],
  ["-os.path plain", null],
])("the names of %j have the parts %j", (query, parts) => {
  const split = splitNames(parseQuery(query));
  expect(split === null ? null : split.map(({ text }) => text).join(" ")).toBe(parts);
});
