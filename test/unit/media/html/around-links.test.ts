import { expect, test } from "vitest";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

const linksOf = (html: string, aroundLinks = true) =>
  extractPage(parseHtml(html), "https://a.test/", canonicalize, { aroundLinks }).pageLinks;

test.each([
  ["<p>Otters swim <a href=/a>here</a> in the river.</p>", "Otters swim in the river."],
  ["<p>One paragraph.</p><p><a href=/a>here</a> is another</p><p>Third.</p>", "is another"],
  ["<ul><li><a href=/a>one</a>: the first<li><a href=/b>two</a>: the second</ul>", ": the first"],
  ["<dl><dt><a href=/a>otter</a><dd>An animal of the river.<dt>beaver</dl>", "An animal of the river."],
  ["<dl><dt><a href=/a>am</a><dd><p>Apply patches.</p><p>More.</p><dt>beaver</dl>", "Apply patches."],
  ["<h2>Otters</h2><p>x</p><p><a href=/a>4.1</a></p>", "Otters"],
  ["<h2>Old</h2><h2>Otters</h2><p>In <a href=/a>4.1</a></p>", "In Otters"],
  ["<p>About otters:</p><ul><li><a href=/a>4.1</a><li>4.2</ul>", "About otters:"],
  ["<ul><li>Otters<ul><li><a href=/a>4.1</a></ul><li>Beavers</ul>", "Otters"],
  ["<ul><li>Otters<ul><li>4.1</ul><li><a href=/a>Beavers</a></ul>", undefined],
  [`<h2>${"w ".repeat(200)}</h2><p><a href=/a>x</a>`, "w ".repeat(40).trim()],
  ["<table><tr><td>otter<td><a href=/a>more</a><tr><td>beaver</table>", "otter"],
  ["<p>many\n  lines\n<a href=/a>x</a>\nof text</p>", "many lines of text"],
  ["<p><a href=/a>one</a> and <a href=/b>two</a></p>", "and two"],
  ["<p>before <a href=/a>one<a href=/b>two</a></p>", "before two"],
  [`<p>${"w ".repeat(200)}<a href=/a>x</a>${" v".repeat(200)}</p>`, `${"w ".repeat(50)}${"v ".repeat(50)}`.trim()],
  ["<p>a <script>const b = 1;</script><a href=/a>x</a> c</p>", "a c"],
  ["<p>😀<a href=/a>x</a></p>", "😀"],
  [
    "<div><a href=/a>java.desktop</a></div><div><div>Swing and printing.</div></div><div><a href=/b>b</a></div>",
    "Swing and printing.",
  ],
  ["<div><h3><a href=/a>Otters</a></h3><p>They swim.</p><p>They dive.</p></div>", "They swim."],
  ["<div><a href=/a>x</a></div><p>On <a href=/b>beavers</a>.</p>", undefined],
  ["<ul><li><a href=/a>Last item</a></ul><p>The main text.</p>", undefined],
  ["<div><a href=/a>x</a></div><div><a href=/b>y</a></div><p>Text.</p>", undefined],
])("the text around the first link of %j", (html, around) => expect(linksOf(html)[0]?.around).toBe(around));

test.each([["<p><a href=/a>alone</a></p>"], ["<link rel=next href=/a>"], ["<map><area href=/a alt=An></map>"]])(
  "%j has no text around its link",
  (html) => expect(linksOf(html)[0]).not.toHaveProperty("around"),
);

test("nothing is read around links unless it is requested", () => {
  expect(linksOf("<p>Otters swim <a href=/a>here</a></p>", false)[0]).not.toHaveProperty("around");
});
