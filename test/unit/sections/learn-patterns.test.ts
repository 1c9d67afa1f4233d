import fc from "fast-check";
import { expect, test } from "vitest";
import { learnPatterns, OTHER_ORIGINS } from "../../../src/sections/learn-patterns.ts";
import { findPattern } from "../../../src/sections/pattern-tree.ts";
import { at, DOCUMENTATION, FORUM, SHOP, slugs } from "./sites.ts";

/** The patterns of a site are those that its makers would name. */

function countByPattern(urls: readonly string[]): Record<string, number> {
  const tree = learnPatterns(urls);
  const counts: Record<string, number> = {};
  for (const url of urls) {
    const pattern = (tree.patterns[findPattern(url, tree)] ?? "none").replace("https://site.test", "");
    counts[pattern] = (counts[pattern] ?? 0) + 1;
  }
  return counts;
}

test.each([
  {
    site: "a shop with a blog",
    urls: SHOP,
    patterns: {
      "/": 1,
      "/*": 4,
      "/product/*": 60,
      "/category/*": 6,
      "/category/*?page=*": 18,
      "/blog/*/*/*/*": 40,
      "/tag/*/": 12,
      "/author/*": 5,
      "/**": 1,
    },
  },
  {
    site: "a forum",
    urls: FORUM,
    patterns: {
      "/": 1,
      "/board/news/*/": 20,
      "/board/news/*/page-2": 20,
      "/board/help/*/": 20,
      "/board/help/*/page-2": 20,
      "/board/off-topic/*/": 20,
      "/board/off-topic/*/page-2": 20,
      "/board/**": 3,
      "/members/*/": 15,
      "/members/*/*": 60,
      "/attachments/*": 12,
    },
  },
  {
    site: "documentation in versions and languages",
    urls: DOCUMENTATION,
    patterns: { "/": 1, "/docs/v*/guide/*.html": 48, "/docs/v*/api/*.html": 48, "/*/": 6, "/*/*": 24 },
  },
  {
    site: "a manual whose pages share a word",
    urls: at([
      ...["/index.html", "/glossary.html"],
      ...slugs(12).map((slug) => `/git-${slug}.html`),
      ...slugs(6, 5).map((slug) => `/howto/${slug.replaceAll("-", "")}.html`),
    ]),
    patterns: { "/index.html": 1, "/git-*.html": 12, "/howto/*.html": 6, "/**": 1 },
  },
  {
    site: "a flat manual whose names begin with their kind",
    urls: at([
      ...slugs(60).map((slug) => `/sql-${slug.replaceAll("-", "")}.html`),
      ...slugs(20, 3).map((slug) => `/catalog-pg-${slug.replaceAll("-", "")}.html`),
      ...slugs(5, 7).map((slug) => `/rare-${slug.replaceAll("-", "")}.html`),
      ...slugs(200, 9).map((slug) => `/${slug.replaceAll("-", "")}.html`),
    ]),
    patterns: { "/sql-*.html": 60, "/catalog-*.html": 20, "/*.html": 205 },
  },
  {
    site: "a flat reference whose names end with their kind, or have it at both ends",
    urls: at([
      ...slugs(40).flatMap((slug) => [
        `/${slug.replaceAll("-", "")}.html`,
        `/${slug.replaceAll("-", "")}-members.html`,
      ]),
      ...slugs(30, 3).map((slug) => `/ref_${slug.replaceAll("-", "")}_api.html`),
      ...slugs(20, 5).map((slug) => `/ref_${slug.replaceAll("-", "")}.html`),
      ...slugs(9, 7).map((slug) => `/libpq-${slug.replaceAll("-", "")}.html`),
    ]),
    patterns: { "/*.html": 40, "/*-members.html": 40, "/ref_*_api.html": 30, "/ref_*.html": 20, "/libpq-*.html": 9 },
  },
  {
    site: "a shop whose names all end with one word",
    urls: at(slugs(24).map((slug) => `/product/${slug.replaceAll("-", "")}-lamp`)),
    patterns: { "/product/*": 24 },
  },
  {
    site: "products whose names combine the same words",
    urls: at(
      ["red", "green", "blue", "black", "white", "grey"].flatMap((colour) =>
        ["shirt", "shoe", "hat", "scarf", "coat", "dress", "belt", "glove", "sock", "tie", "skirt", "jacket"].map(
          (thing) => `/${colour}-${thing}`,
        ),
      ),
    ),
    patterns: { "/*": 72 },
  },
  {
    site: "titles, many of which begin with the same word",
    urls: at([
      ...slugs(40).map(
        (slug, i) => `/the-${slug.replaceAll("-", "")}-of-all-${i % 7 === 0 ? "old" : "new"}-things.html`,
      ),
      ...slugs(160, 4).map((slug) => `/${slug.replaceAll("-", "")}.html`),
    ]),
    patterns: { "/*.html": 200 },
  },
  {
    site: "indexes, which join pages that they fit",
    urls: at(
      ["/a/", "/b/index.html", "/c/"].flatMap((index) => [
        index,
        ...slugs(8).map((slug) => index.replace(/[^/]*$/, `${slug}${index === "/c/" ? "" : ".html"}`)),
      ]),
    ),
    patterns: { "/a/*.html": 8, "/**": 1, "/b/*.html": 9, "/c/*": 9 },
  },
  {
    site: "numbers, from two on",
    urls: at([
      "/item/17",
      "/item/18",
      "/item/new",
      "/year/2019/x",
      "/year/2020/x",
      "/chapter-1",
      "/chapter-2",
      "/chapter-3",
    ]),
    patterns: { "/item/*": 3, "/year/*/x": 2, "/chapter-*": 3 },
  },
  {
    site: "names that objects have",
    urls: at(["/__proto__/a", "/__proto__/b", "/constructor?x=1", "/constructor?x=2"]),
    patterns: { "/__proto__/**": 2, "/constructor?x=*": 2 },
  },
])("patterns of $site", ({ urls, patterns }) => {
  expect(countByPattern(urls)).toEqual(patterns);
});

test("a URL that was not in the sample has the pattern of its like, and any other one the rest", () => {
  const tree = learnPatterns(SHOP);
  const patternOf = (url: string) => tree.patterns[findPattern(url, tree)];
  expect(
    [
      "https://site.test/product/new-thing",
      "https://site.test/blog/2031/01/02/new",
      "https://site.test/a/b/c",
      `https://site.test/${"d/".repeat(30)}`,
      "https://site.test/product/new-thing?ref=1",
      "http://other.test/",
    ].map(patternOf),
  ).toEqual([
    "https://site.test/product/*",
    "https://site.test/blog/*/*/*/*",
    "https://site.test/**",
    "https://site.test/**",
    "https://site.test/**",
    OTHER_ORIGINS,
  ]);
});

const segment = fc.oneof(
  fc.constantFrom("a", "blog", "index.html", "", "page-1", "page-2", "__proto__", "2024", "%D0%9F", "git-add.html"),
  fc.stringMatching(/^[a-z0-9._-]{0,12}$/),
);
const page = fc.nat(40).map((i) => `${"abcdefgh"[i % 8]}${"xyz"[i % 3]}.html`);
const url = fc
  .tuple(
    fc.constantFrom("https://a.test", "http://b.test:81"),
    fc.oneof(
      fc.array(segment, { maxLength: 11 }),
      page.map((name) => ["docs", name]),
      fc.constant(["docs", ""]),
    ),
    fc.constantFrom("", "?q=1", "?b=2&a"),
  )
  .map(([origin, segments, query]) => `${origin}/${segments.join("/")}${query}`);

/** A pattern as a regular expression. */
function expressionOf(pattern: string): RegExp {
  const [path = "", query] = pattern.split("?");
  const source = path.replace(/\*\*|\*|[^*]+/g, (part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^/]*" : part.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source}${query === undefined ? "" : "\\?.*"}$`);
}

test("each URL has one pattern that fits it, whatever the order of the URLs", () => {
  fc.assert(
    fc.property(fc.uniqueArray(url, { minLength: 1, maxLength: 60 }), (urls) => {
      const sorted = [...urls].sort();
      const tree = learnPatterns(sorted);
      expect(JSON.stringify(learnPatterns([...sorted]))).toBe(JSON.stringify(tree));
      expect(new Set(tree.patterns).size).toBe(tree.patterns.length);
      for (const each of urls) {
        const pattern = tree.patterns[findPattern(each, tree)] ?? "none";
        expect([each, pattern, expressionOf(pattern).test(each)]).toEqual([each, pattern, true]);
      }
    }),
  );
});
