import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeContent } from "../../../../src/media/html/content.ts";
import { parseHtml } from "../../../../src/media/html/linkedom.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { contentOf, PAGE_URL } from "./make-content.ts";
import { messyHtml } from "./messy-html.ts";

/** Pages made to cost as much as they can, or to come through as something that runs. */

const MOST_MS = 8_000;
const PROSE = "This is prose, with commas, and it is long enough to count as text. ";

const PAGES: [string, () => string][] = [
  ["240,000 paragraphs", () => "<p>a</p>".repeat(240_000)],
  ["ten million characters", () => `<p>${"word ".repeat(2_000_000)}`],
  ["text below 4,900 elements", () => "<div>".repeat(4_900) + "text here ".repeat(100_000)],
  ["4,900 quotes", () => "<blockquote>x ".repeat(4_900)],
  ["2,400 lists in lists", () => "<ul><li>x".repeat(2_400)],
  ["4,900 links in links", () => "<a href=x>text".repeat(4_900)],
  ["4,900 headings in headings", () => "<h2>text more".repeat(4_900)],
  ["1,500 tables in tables", () => "<table><tr><td>".repeat(1_500)],
  ["a list of 100,000", () => `<ol>${"<li>abc def".repeat(100_000)}</ol>`],
  ["a row of 100,000 cells", () => `<table><tr>${"<td>abc".repeat(100_000)}</table>`],
  ["cells over a thousand columns each", () => `<table><tr>${"<td colspan=1000>abc".repeat(3_000)}</table>`],
  [
    "cells over a thousand rows and columns each",
    () => `<table>${`<tr>${`<td rowspan=1000 colspan=1000>${"abc ".repeat(50)}`.repeat(40)}`.repeat(400)}</table>`,
  ],
  [
    "code in cells of tables in tables",
    () => `<table><tr><th>a<th>b<tr><td>c<td><pre>${"x\n\n".repeat(10)}</pre>`.repeat(1_000),
  ],
  ["mathematics 5,000 deep", () => `<math>${"<msup><mi>x</mi><mrow>".repeat(2_400)}`],
  ["a formula of 100,000 signs", () => `<math>${"<mo>×</mo><mi>abc</mi>".repeat(50_000)}</math>`],
  [
    "TeX of five million spaces",
    () => `<p>a<script type=math/tex>{\\displaystyle ${" %\n".repeat(1_500_000)}</script>`,
  ],
  ["boxes named menu at all depths", () => `${"<div class=menu>".repeat(140)}<p>${PROSE}`.repeat(20)],
  [
    "comments in comments",
    () => `<p>${PROSE.repeat(9)}${"<div class='comment comments'><time>x</time>".repeat(4_000)}${PROSE}`,
  ],
  ["a table of 50,000 rows", () => `<table>${"<tr><td>a<td>b".repeat(50_000)}</table>`],
  ["60,000 pairs of line breaks", () => `<div>${"x<br><br>".repeat(60_000)}`],
  ["9,000 paragraphs of prose", () => `<p>${PROSE.repeat(5)}</p>`.repeat(9_000)],
  ["prose at all depths", () => `${"<div class=comment>".repeat(100)}<p>${PROSE}`.repeat(20)],
  ["5 MB of spaces", () => `<p>a${" ".repeat(5_000_000)}b</p><b>${"\n\t ".repeat(1_000_000)}x</b>`],
  ["marks to escape", () => `<p>${"_*[`".repeat(500_000)}`],
  ["backticks in code", () => `<pre>${"```\n".repeat(500_000)}</pre><code>${"` ".repeat(300_000)}</code>`],
  [
    "a heading of 200,000 words and a title like it",
    () => `<title>${"t ".repeat(250)}</title><h1>${"word ".repeat(200_000)}</h1><p>${PROSE.repeat(50)}`,
  ],
  [
    "long srcsets",
    () => `<p>x<img srcset='${"a ".repeat(1_000_000)}'>${`<img srcset='${"a, b ".repeat(700)}'>`.repeat(1_000)}`,
  ],
  [
    "a long base before 60,000 links",
    () => `<base href='/${"x".repeat(1_900)}/'>${"<a href=q>text of a link</a> and ".repeat(60_000)}`,
  ],
  [
    "JSON-LD 45,000 deep",
    () => `<script type=application/ld+json>${"[".repeat(45_000)}${"]".repeat(45_000)}</script><p>x`,
  ],
  ["4,000 classes of 100 names", () => `<div class='${"aB ".repeat(100)}'>`.repeat(4_000) + PROSE.repeat(20)],
];

test.each(PAGES)("%s", { timeout: 60_000 }, (_, write) => {
  const html = write();
  const document = parseHtml(html);
  const page = extractPage(document, PAGE_URL, canonicalize);
  let content = {};
  const ms = cpuMsOf(() => {
    content = makeContent(document, page, ["html", "markdown", "text"]);
  });
  expect(ms).toBeLessThan(MOST_MS);
  // A long text can become longer, but not without bounds.
  expect(JSON.stringify(content).length).toBeLessThan(6 * html.length + 10_000_000);
});

test("of a page with more elements than are kept, the text is kept", { timeout: 60_000 }, () => {
  const { text = "", markdown = "" } = contentOf("<p>a</p>".repeat(150_000));
  expect(text.match(/a/g)).toHaveLength(150_000);
  expect(markdown.match(/a/g)).toHaveLength(150_000);
});

describe("html that comes through", () => {
  test.each([
    ["<p onclick=x style='color:red' id=a class=b data-x=y>a</p>", "<p>a</p>"],
    [
      "<p><a href='javascript:x'>a</a><a href=' java\tscript:x'>b</a><a href='vbscript:x'>c</a></p>",
      "<p><a>a</a><a>b</a><a>c</a></p>",
    ],
    ["<p>a<script>b</script><style>c</style><iframe src=d>e</iframe><object>f</object><embed src=g></p>", "<p>a</p>"],
    ["<p>a<svg onload=x><script>b</script></svg><math><mi>x</mi></math></p>", "<p>a$x$</p>"],
    [
      "<p>a<img src=x onerror=y><img src='data:image/svg+xml,x'></p>",
      '<p>a<img src="https://example.com/dir/x"><img></p>',
    ],
    ["<p>&lt;script&gt;a&lt;/script&gt; &amp;lt;</p>", "<p>&lt;script&gt;a&lt;/script&gt; &amp;lt;</p>"],
    [
      "<p>a<img alt='\"><script>b</script>' src=c></p>",
      '<p>a<img alt="&quot;&gt;&lt;script&gt;b&lt;/script&gt;" src="https://example.com/dir/c"></p>',
    ],
    ["<form action=x><p>a<input value=b><button>c</button></p></form>", "<p>a</p>"],
    ["<xmp><script>a</script></xmp><p>b", "<pre>&lt;script&gt;a&lt;/script&gt;</pre><p>b</p>"],
    ["<p>a</p><noscript><p>b</p></noscript>", "<p>a</p>"],
    ["<x-y onclick=z><p>a</p></x-y>b", "<p>a</p>b"],
    [
      "<p>a<video src=b poster=c autoplay onplay=d></video></p>",
      '<p>a<video src="https://example.com/dir/b" poster="https://example.com/dir/c"></video></p>',
    ],
    [
      "<p>a<img src=b srcset='c 1x,d 2x, javascript:e 3x'></p>",
      '<p>a<img src="https://example.com/dir/b" srcset="https://example.com/dir/c 1x, https://example.com/dir/d 2x"></p>',
    ],
    ["<noscript>only here</noscript>", "only here"],
  ])("%j", (html, expected) => expect(contentOf(html, ["html"]).html).toBe(expected));
});

const messyBody = fc
  .array(
    fc.oneof(
      messyHtml,
      fc.constantFrom(
        "<table>",
        "<tr>",
        "<td>",
        "</td>",
        "<ul>",
        "<li>",
        "<pre>",
        "<code>",
        "<br>",
        "<body onload=x>",
        "</body>",
        "<html>",
        "<head>",
      ),
      fc.constantFrom(
        "<p onclick=x style=y>",
        "<img src=",
        "<img onerror=z srcset='",
        "<main>",
        "<article>",
        "<blockquote>",
        "<h1>",
        "<details>",
        PROSE,
      ),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(""));

test("no page throws, and none brings in what runs", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(messyBody, (html) => {
      const content = contentOf(html);
      const { html: shown = "", markdown = "" } = content;
      expect(markdown).not.toMatch(/\n{3}|\]\(javascript:/i);
      for (const { localName, attributes } of parseHtml(shown).all) {
        expect(localName).not.toMatch(/^(?:script|style|iframe|frame|object|embed|template|link|meta|base|svg|form)$/);
        for (const { name, value } of attributes) {
          expect(name).not.toMatch(/^on|^style$|^srcdoc$/);
          if (/^(?:href|src|poster|cite)$/.test(name)) expect(value).toMatch(/^(?:https?|mailto|tel|ftp):/);
        }
      }
      expect(JSON.parse(JSON.stringify(content))).toEqual(content);
    }),
    { numRuns: 1_000 },
  );
});
