import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeContent } from "../../../../src/media/html/article/content.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { COSTLY_PAGES, PROSE } from "../../../sites/costly-pages.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { contentOf, PAGE_URL } from "./make-content.ts";
import { messyHtml } from "./messy-html.ts";

/** Pages made to cost as much as they can, or to come through as something that runs. */

const MOST_MS = 8_000;

test.each(COSTLY_PAGES)("%s", { timeout: 60_000 }, (_, write) => {
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
