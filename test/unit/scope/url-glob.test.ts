import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/scope/url-glob.ts";

describe("patterns", () => {
  test.each([
    // Against the entire URL.
    ["https://example.com/docs/**", "https://example.com/docs/a/b?c=d", true],
    ["https://example.com/docs/**", "https://example.com/docs/", true],
    ["https://example.com/docs/**", "https://example.com/docs", false],
    ["https://example.com/docs/**", "http://example.com/docs/a", false],
    ["https://example.com/docs/*", "https://example.com/docs/a", true],
    ["https://example.com/docs/*", "https://example.com/docs/a?b=c", true],
    ["https://example.com/docs/*", "https://example.com/docs/a/b", false],
    ["https://example.com/docs/*", "https://example.com/docs/a?b=/", false],
    ["https://example.com/*/edit", "https://example.com/a/edit", true],
    ["https://example.com/*/edit", "https://example.com/a/b/edit", false],
    ["https://example.com/**/edit", "https://example.com/a/b/edit", true],
    ["https://example.com/**/edit", "https://example.com/edit", false],
    ["https://*.example.com/**", "https://a.example.com/b", true],
    ["https://*.example.com/**", "https://a.b.example.com/b", true],
    ["https://*.example.com/**", "https://example.com/b", false],
    ["*://example.com/**", "http://example.com/", true],
    ["https://example.com/a", "https://example.com/a", true],
    ["https://example.com/a", "https://example.com/ab", false],
    ["https://example.com/", "https://example.com/a", false],
    ["https://example.com/A", "https://example.com/a", false],
    // All characters except the star are literal.
    ["https://example.com/a?b=[c].(d)+$", "https://example.com/a?b=[c].(d)+$", true],
    ["https://example.com/a?c", "https://example.com/abc", false],
    ["https://example.com/a.c", "https://example.com/abc", false],
    // From the path.
    ["/docs/**", "https://example.com/docs/a/b", true],
    ["/docs/**", "https://example.com:8080/docs/a", true],
    ["/docs/**", "https://example.com/a/docs/b", false],
    ["/docs/**", "https://docs/a/docs/", false],
    ["/a?b=*", "https://example.com/a?b=c", true],
    ["/", "https://example.com/", true],
    ["/", "https://example.com/a", false],
    // From the host.
    ["example.com/docs/**", "https://example.com/docs/a", true],
    ["example.com/docs/**", "http://example.com/docs/a", true],
    ["example.com/docs/**", "https://www.example.com/docs/a", false],
    ["*.example.com/**", "https://www.example.com/docs/a", true],
    ["**/docs/**", "https://example.com/docs/a", true],
    ["**.pdf", "https://example.com/a/b.pdf", true],
    ["*.pdf", "https://example.com/a/b.pdf", false],
    ["**", "https://example.com/", true],
    ["*", "https://example.com/", false],
    ["*/", "https://example.com/", true],
    ["***", "https://example.com/", true],
    ["", "https://example.com/", false],
    // Both stars at once.
    ["**/a*b/**c*d", "https://x.example/q/a1/ab/z/c/cxd", true],
    ["**/a*b/**c*d", "https://x.example/q/a1/b/z/c/cxd", false],
    ["**/a*b/**", "https://x.example/a/b/aab/", true],
    ["**aba*c**", "https://x.example/abab/abac", true],
  ])("%s against %s: %s", (pattern, url, matches) => expect(compileGlob(pattern)(url)).toBe(matches));
});

/** The definition as a regular expression, which is right but may be slow. */
function reference(pattern: string): RegExp {
  const source = pattern.replace(/\*{2,}|\*|[^*]/g, (token) =>
    token === "*" ? "[^/]*" : token.startsWith("*") ? "[^]*" : token.replace(/[\\^$.()[\]{}+?|/]/, "\\$&"),
  );
  return new RegExp(`^${source}$`);
}

test("agrees with its definition", () => {
  const PREFIX = "a://";
  const letters = fc.constantFrom("a", "a", "b", "/");
  const text = fc.array(letters, { maxLength: 14 }).map((parts) => PREFIX + parts.join(""));
  const pattern = fc
    .array(fc.constantFrom("a", "a", "b", "/", "*", "*", "**"), { maxLength: 9 })
    .map((parts) => PREFIX + parts.join(""));
  let matched = 0;
  fc.assert(
    fc.property(pattern, text, (glob, url) => {
      const expected = reference(glob).test(url);
      if (expected) matched++;
      expect(compileGlob(glob)(url)).toBe(expected);
    }),
    { numRuns: 30_000 },
  );
  expect(matched).toBeGreaterThan(500);
});

test("a compiled pattern keeps no state between URLs", () => {
  const matches = compileGlob("**/a*b**c*d**");
  const urls = ["x://e/ab/cd", "x://e/a/b/cd", "x://e/zzzzzz/ab/c/cd", "x://e/abcd", "x://e/"];
  const first = urls.map((url) => matches(url));
  expect(
    urls
      .toReversed()
      .map((url) => matches(url))
      .toReversed(),
  ).toEqual(first);
  expect(first).toEqual([true, false, true, true, false]);
});

describe("the worst patterns stay linear", () => {
  const n = 50_000;
  test.each([
    [`**${"a*".repeat(30)}b`, "a".repeat(n)],
    [`**${"a*".repeat(30)}b**c`, "a".repeat(n)],
    [`${"a*".repeat(30)}b`, "a".repeat(n)],
    [`${"**a".repeat(30)}**b`, "a".repeat(n)],
    [`${"*a**a".repeat(15)}**b**`, "a".repeat(n)],
    ["**a*b**", `${"a/".repeat(n / 2)}c`],
    ["**a*b**", `${"a/".repeat(n / 2)}b`],
    [`**${"a*".repeat(20)}b/c**`, `${"a".repeat(20)}/`.repeat(n / 21)],
    ["**/a*/a*/a*b**", "/a".repeat(n / 2)],
    ["**/a*/a*/a*b", "/a".repeat(n / 2)],
  ])("%s", (pattern, tail) => {
    const matches = compileGlob(`x://${pattern}`);
    // This takes a few milliseconds. With backtracking it would exceed the runner's timeout.
    expect(matches(`x://${tail}`)).toBe(false);
  });
});
