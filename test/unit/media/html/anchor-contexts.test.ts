import { describe, expect, test } from "vitest";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

const PROSE = `<p>${"Words of the page. ".repeat(20)}</p>`;
const extract = (html: string) =>
  extractPage(parseHtml(html), "https://a.test/", canonicalize, { scriptLinks: true }).links;
/** The links as `path place`. */
const places = (html: string) => extract(html).map(({ url, place }) => `${new URL(url).pathname} ${place}`);

describe("anchor text", () => {
  test.each([
    ["<a href=/a> One\n <b>two</b>  three </a> four", "One two three"],
    ["<a href=/a><img src=i.png alt=x></a>", ""],
    [`<a href=/a>${"x".repeat(100)}</a>`, "x".repeat(80)],
    [`<a href=/a>${"x".repeat(79)}😀</a>`, "x".repeat(79)],
    ["<a href=/a>one<a href=/b>two</a>three</a>", "one"],
    ["<a href=/a>one<script>two</script><style>three</style></a>", "one"],
    ["<a href=/a>A &amp; B</a>", "A & B"],
    ["<map><area href=/a alt=' An\narea '></map>", "An area"],
    ["<iframe src=/a></iframe>", ""],
    ["<!doctype html><title>T</title><a href=/a>one</a>", "one"],
  ])("%j", (html, text) => expect(extract(html)[0]).toMatchObject({ text }));
});

test.each([
  ["<a href=/a rel=' NoOpener\nnofollow '>x</a>", "noopener nofollow"],
  ["<link rel=canonical href=/a>", "canonical"],
  ["<a href=/a>x</a>", ""],
  [`<a href=/a rel='${"x".repeat(500)}'>x</a>`, "x".repeat(200)],
])("rel of %j", (html, rel) => expect(extract(html)[0]).toMatchObject({ rel }));

describe("place", () => {
  test.each([
    ["<p><a href=/a>x</a></p>", "content"],
    ["<nav><ul><li><a href=/a>x</a></ul></nav>", "navigation"],
    ["<aside><a href=/a>x</a></aside>", "navigation"],
    ["<header><a href=/a>x</a></header>", "navigation"],
    ["<footer><a href=/a>x</a></footer>", "navigation"],
    ["<article><header><a href=/a>x</a></header></article>", "content"],
    ["<div role=navigation><a href=/a>x</a></div>", "navigation"],
    ["<div role=complementary><a href=/a>x</a></div>", "navigation"],
    ["<div role=contentinfo><a href=/a>x</a></div>", "navigation"],
    ["<header role=banner><a href=/a>x</a></header>", "navigation"],
    ["<div class='left sidebar'><a href=/a>x</a></div>", "navigation"],
    ["<div id=breadcrumbs><a href=/a>x</a></div>", "navigation"],
    ["<div class=has-sidebar><a href=/a>x</a></div>", "content"],
    ["<main><a href=/a>x</a></main>", "content"],
    ["<nav>x</nav><a href=/a>x</a>", "content"],
    ["<link rel=next href=/a>", "navigation"],
    ["<meta http-equiv=refresh content='1; url=/a'>", "navigation"],
    ["<script>'/a'</script>", "navigation"],
  ])("%j", (html, place) => expect(places(`${html}${PROSE}`)).toEqual([`/a ${place}`]));

  test("surroundings by name that hold most of the text are content, a nav never", () => {
    expect(places(`<div class=menu><a href=/a>x</a>${PROSE}</div>`)).toEqual(["/a content"]);
    expect(places(`<div class=menu><div class=toc><a href=/a>x</a></div>${PROSE}</div>`)).toEqual(["/a navigation"]);
    expect(places(`<nav><a href=/a>x</a>${PROSE}</nav>`)).toEqual(["/a navigation"]);
  });
});

test("a URL has the details of its first link in content", () => {
  const html = `<nav><a href=/a rel=nofollow>Menu</a></nav><p><a href=/a rel=Help>Words</a><a href=/a>More</a>${PROSE}`;
  expect(extract(html)).toEqual([
    { url: "https://a.test/a", kind: "a", nofollow: false, rel: "help", text: "Words", place: "content" },
  ]);
});

test("links in links cost no more than others", () => {
  const links = extract("<a href=x>text".repeat(4_900) + Array.from({ length: 9_000 }, (_, i) => `<a href=${i}>y</a>`));
  expect(links).toHaveLength(9_001);
});
