import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/scope/url-glob.ts";
import { compileUrlPattern, patternProblem } from "../../../src/scope/url-pattern.ts";
import { cpuMsOf } from "../cpu-time.ts";

const matches = (pattern: string, url: string) => compileUrlPattern(pattern)(url);

test.each<[string, string, boolean]>([
  ["regex:^/docs/", "https://a.test/docs/one", true],
  ["regex:^/docs/", "https://a.test/old/docs/one", false],
  ["regex:docs", "https://a.test/old/docs/one", true],
  ["regex:docs", "https://docs.test/", false],
  ["regex:one$", "https://a.test/docs/one?page=2", true],
  ["regex:page=2", "https://a.test/docs/one?page=2", false],
  ["regex:^/$", "https://a.test/?q", true],
  ["regex:(?i)DOCS", "https://a.test/docs", true],
  ["regex:\\d{4}/\\d\\d", "https://a.test/2026/11/", true],
  ["regex-url:page=2$", "https://a.test/docs/one?page=2", true],
  ["regex-url:^https://(a|b)\\.test/", "https://b.test/x", true],
  ["regex-url:^https://(a|b)\\.test/", "https://c.test/x", false],
  ["/docs/*", "https://a.test/docs/one", true],
])("%s and %s: %s", (pattern, url, expected) => {
  expect(matches(pattern, url)).toBe(expected);
});

describe("a pattern that cannot be used", () => {
  test.each<[string, string]>([
    ["regex:", "names no regular expression"],
    ["regex:(", "missing closing )"],
    ["regex:(?=x)", "neither lookarounds nor backreferences"],
    ["regex:(a)\\1", "neither lookarounds nor backreferences"],
    ["regex-url:[", "missing closing ]"],
    [`regex:${"a".repeat(501)}`, "longer than 500"],
    ["regex:(a{30}){30}|(b{30}){30}", "repeats too much"],
    ["regex:((a{30}){30}){2}", "invalid repeat count"],
    ["regex:a{2000}", "invalid repeat count"],
  ])("%s", (pattern, words) => {
    expect(patternProblem(pattern)).toContain(words);
  });

  test("is no glob, whatever it says", () => {
    fc.assert(fc.property(fc.string(), (glob) => glob.startsWith("regex") || patternProblem(glob) === null));
  });
});

/** Expressions that RE2 and the language's own engine read alike. */
const { expression } = fc.letrec<{ expression: string; term: string }>((tie) => ({
  term: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "b", "/", "-", ".", "\\.", "\\d", "[a-c]", "[^/]", "^", "$"),
    tie("expression").map((inner) => `(?:${inner})`),
    tie("expression").map((inner) => `(${inner})*`),
    fc.tuple(fc.constantFrom("a", "[ab]", "."), fc.constantFrom("*", "+", "?", "{1,3}")).map((pair) => pair.join("")),
  ),
  expression: fc.oneof(
    { maxDepth: 3 },
    fc.array(tie("term"), { minLength: 1, maxLength: 4 }).map((terms) => terms.join("")),
    fc.tuple(tie("expression"), tie("expression")).map((both) => both.join("|")),
  ),
}));

test("finds what the language's own expressions find", () => {
  const path = fc.array(fc.constantFrom("a", "b", "c", "/", "-", ".", "1"), { maxLength: 12 });
  fc.assert(
    fc.property(expression, path, (source, letters) => {
      fc.pre(patternProblem(`regex:${source}`) === null);
      const where = `/${letters.join("")}`;
      expect(matches(`regex:${source}`, `https://a.test${where}`)).toBe(new RegExp(source).test(where));
    }),
  );
});

test("a glob stays a glob", () => {
  const glob = fc
    .array(fc.constantFrom("a", "*", "**", "/", "?"), { maxLength: 8 })
    .map((parts) => `/${parts.join("")}`);
  fc.assert(
    fc.property(glob, (pattern) => {
      expect(matches(pattern, "https://a.test/a/aa?a")).toBe(compileGlob(pattern)("https://a.test/a/aa?a"));
    }),
  );
});

test.each(["(a+)+$", "(a|aa)+$", "(.*a){20}$", "(a|a?)+$"])(
  "%s takes no time that grows with more than the URL",
  (source) => {
    const find = compileUrlPattern(`regex:${source}`);
    const url = `https://a.test/${"a".repeat(2_000)}!`;
    find(url);
    expect(cpuMsOf(() => void find(url))).toBeLessThan(500);
  },
);
