import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FINDING_KINDS, type FindingKind } from "../../../src/graph/problems/finding.ts";
import { compileIgnoreList, readIgnoreList, tellIgnored } from "../../../src/graph/problems/ignore-list.ts";

const NOW = Date.UTC(2027, 2, 31, 23, 59);

describe("a line of the list", () => {
  const RULES: [line: string, rule: object | null][] = [
    ["", null],
    ["   # broken-link https://a.test/ # a comment", null],
    [
      "broken-link https://a.test/x # gone",
      { kind: "broken-link", urls: "https://a.test/x", until: null, reason: "gone" },
    ],
    ["* /old/** #moves", { kind: "*", urls: "/old/**", until: null, reason: "moves" }],
    [
      "*\t/a#b   until 2027-03-31 # C# is not #1",
      { kind: "*", urls: "/a#b", until: "2027-03-31", reason: "C# is not #1" },
    ],
    [
      "\uFEFF* /x # with the mark of an editor",
      { kind: "*", urls: "/x", until: null, reason: "with the mark of an editor" },
    ],
  ];
  test.each(RULES)("%j is read", (line, rule) => {
    expect(readIgnoreList(line)).toEqual({ rules: rule === null ? [] : [rule], problems: [] });
  });

  const PROBLEMS: [line: string, problem: string][] = [
    ["broken-link https://a.test/", "it has no “KIND URL # reason”"],
    ["broken-link https://a.test/ #", "it has no “KIND URL # reason”"],
    ["broken-links https://a.test/ # gone", "there is no kind of finding “broken-links”"],
    ["constructor https://a.test/ # gone", "there is no kind of finding “constructor”"],
    ["* /x until tomorrow # gone", "“tomorrow” is no day"],
    ["* /x until 2027-02-30 # gone", "“2027-02-30” is no day"],
    ["* /x until # gone", "it has no “KIND URL # reason”"],
  ];
  test.each(PROBLEMS)("%j is refused", (line, problem) => {
    expect(readIgnoreList(`* /ok # fine\n${line}`)).toEqual({
      rules: [expect.objectContaining({ urls: "/ok" })],
      problems: [expect.stringContaining(`Line 2: ${problem}`)],
    });
  });
});

test("a rule names kinds, pages and targets, until its day is over", () => {
  const { rules } = readIgnoreList(
    "broken-link https://a.test/old/** # one\n* /legacy/* until 2027-03-31 # two\n* https://b.test/** until 2027-03-30 # three",
  );
  const isIgnored = compileIgnoreList(rules, NOW);
  const find = (kind: FindingKind, page: string, target?: string) =>
    isIgnored({ kind, page, ...(target === undefined ? {} : { target }) });
  expect(find("broken-link", "https://a.test/old/1/2")).toBe(true);
  expect(find("broken-link", "https://a.test/new", "https://a.test/old/1")).toBe(true);
  expect(find("redirect", "https://a.test/old/1")).toBe(false);
  expect(find("redirect", "https://a.test/legacy/1")).toBe(true);
  expect(find("redirect", "https://b.test/1")).toBe(false);
  expect(tellIgnored(rules, 1_200, NOW)).toEqual([
    "1,200 of the findings are on the list to ignore.",
    "Of the list to ignore, this holds no more: * https://b.test/** (until 2027-03-30).",
  ]);
  expect(tellIgnored(rules.slice(0, 1), 0, NOW)).toEqual([]);
});

test("whatever is written is read in a moment, and a rule that is written again is the same", () => {
  const kinds = fc.constantFrom("*", ...Object.keys(FINDING_KINDS));
  const word = fc.stringMatching(/^[a-z/*.:-]{1,40}$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, word, word), { maxLength: 20 }), fc.string(), (lines, other) => {
      const text = lines.map(([kind, urls, reason]) => `${kind} ${urls} # ${reason}`).join("\n");
      expect(readIgnoreList(text).rules.map(({ kind, urls, reason }) => [kind, urls, reason])).toEqual(lines);
      readIgnoreList(other);
    }),
  );
});
