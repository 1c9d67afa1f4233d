import { expect, test } from "vitest";
import { PAGE_KINDS, type PageKind } from "../../../../src/media/document.ts";
import { SECTION_KINDS } from "../../../../src/sections/section.ts";
import { contentOf } from "./make-content.ts";

/** The kinds of pages that say nothing of themselves: their shape tells. */

const SENTENCE = "A loom with two shuttles weaves faster, and it needs a warp that is tighter than usual.";
const prose = (count: number) => `<p>${`${SENTENCE} `.repeat(4)}</p>`.repeat(count);
const repeat = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join("");
const MENU = `<nav><ul>${repeat(8, (at) => `<li><a href="/m${at}">Menu ${at}</a></li>`)}</ul></nav>`;
const FOOTER = `<footer><p>© 2026 Weaver's Yard</p><a href="/imprint">Imprint</a></footer>`;
const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>Looms and shuttles</title></head><body><header>${MENU}</header>${body}${FOOTER}</body></html>`;

const PAGES: [kind: PageKind, what: string, body: string][] = [
  [
    "article",
    "prose under a headline",
    `<main><article><h1>Two shuttles</h1>${prose(6)}<h2>What came of it</h2>${prose(5)}</article></main>`,
  ],
  [
    "collection",
    "many things with prices",
    `<main><h1>Looms</h1><div class="grid">${repeat(60, (at) => `<div class="card"><a href="/p${at}"><img src="/${at}.jpg" alt=""><h3>Table loom with ${at} shafts</h3></a><p class="price">$${at + 20}.00</p></div>`)}</div></main>`,
  ],
  [
    "documentation",
    "code and headings",
    `<main><h1>weave</h1>${prose(1)}${repeat(8, (at) => `<h2 id="o${at}">Option ${at}</h2><p>${SENTENCE}</p><pre><code>weave --option ${at}</code></pre><pre><code>weave --check ${at}</code></pre>`)}</main>`,
  ],
];

test.each(PAGES)("%s: %s", (kind, _, body) => {
  expect(contentOf(page(body), []).metadata.kind).toBe(kind);
});

test("a stored kind keeps its number", () => {
  expect(PAGE_KINDS.slice(0, 9)).toEqual(
    "article documentation listing product forum home search error other".split(" "),
  );
  expect(SECTION_KINDS.slice(0, 11)).toEqual([...PAGE_KINDS.slice(0, 9), "asset", "file"]);
  expect([...SECTION_KINDS].sort()).toEqual([...PAGE_KINDS, "asset", "file"].sort());
});
