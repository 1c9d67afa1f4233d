import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";

/** Bars that turn the pages of a manual are no content, wherever they stand; what looks like them is. */

const TEXT =
  "<p>A manual says in a few sentences, with commas, what its reader needs to know about a subject.</p>".repeat(3);
const CHAPTER = `<div class="chapter"><h1>The chapter</h1>${TEXT}</div>`;
const textOf = (body: string) => contentOf(`<html><head><title>Manual</title></head><body>${body}</body></html>`).text;

const BARS: [generator: string, bar: string][] = [
  [
    "DocBook",
    `<div class="x1"><table width="100%"><tr><th colspan="3" align="center">Chapter 4. Upkeep of looms</th></tr><tr><td width="20%"><a accesskey="p" href="a.html">Prev</a> </td><th> </th><td> <a accesskey="n" href="b.html">Next</a></td></tr></table><hr></div>`,
  ],
  [
    "DocBook with pictures",
    `<div><table class="x2"><tr><td><a accesskey="p" href="a"><img src="p.png" alt="Prev"></a></td><td><a accesskey="u" href="i"><img src="u.png" alt="Up"></a></td><th>The manual of looms</th></tr></table></div>`,
  ],
  [
    "DocBook's foot",
    `<div><br><table><tr><td rowspan="2"><a accesskey="p" href="a">&lt;&lt; 12. Warp and weft</a></td><td><a accesskey="u" href="i">Up</a></td><td rowspan="2"><a accesskey="n" href="b">Shuttles &gt;&gt;</a></td></tr><tr><td><a accesskey="h" href="/">Home</a></td></tr></table></div>`,
  ],
  [
    "Texinfo",
    `<div><p>Previous: <a href="a" accesskey="p" rel="prev">Warp and weft</a>, Up: <a href="i" accesskey="u" rel="up">Weaving</a> &nbsp; [<a href="ix" title="Index" rel="index">Index</a>]</p></div><hr>`,
  ],
  [
    "Publican",
    `<ul class="x3"><li><a accesskey="p" href="a"><strong>Prev</strong></a></li><li>The handbook of weavers</li><li><a accesskey="n" href="b"><strong>Next</strong></a></li></ul>`,
  ],
  ["link types", `<div><a rel="prev" href="a">Warp and weft</a> | <a rel="next" href="b">Shuttles</a></div>`],
];

describe.each(BARS)("%s", (_, bar) => {
  test.each([
    ["above", `${bar}${CHAPTER}`],
    ["below", `${CHAPTER}${bar}`],
    ["on both sides, in a main", `<main>${bar}${CHAPTER}${bar}</main>`],
    ["in one element with the chapter", `<div>${bar}<h1>The chapter</h1>${TEXT}${bar}</div>`],
    ["beside a short page", `<div>${bar}<h1>The chapter</h1><p>It is short.</p></div>`],
  ])("%s", (place, body) => {
    const text = textOf(body) ?? "";
    for (const word of ["Prev", "Next", "Up", "Home", "Warp", "Shuttles", "Upkeep", "Index"])
      expect(text).not.toContain(word);
    expect(text).toContain("The chapter");
    expect(text).toContain(place === "beside a short page" ? "It is short." : "A manual says");
  });
});

test.each<[what: string, body: string, kept: string]>([
  [
    "a link in a sentence",
    `<h1>One</h1>${TEXT}<p>How a shuttle is thrown is told by <a rel="next" href="b">the next chapter</a>, and no other.</p>`,
    "the next chapter",
  ],
  [
    "a link in a short paragraph",
    `<h1>One</h1>${TEXT}<p>Then read about the throwing of shuttles <a rel="next" accesskey="n" href="b">over here</a>.</p>`,
    "over here",
  ],
  [
    "a table of contents whose first link is the next page",
    `<h1>Contents</h1>${TEXT}<ul><li><a rel="next" href="1">Warp</a></li>${Array.from({ length: 12 }, (_, at) => `<li><a href="${at}">Part ${at} of the weft</a></li>`).join("")}</ul>`,
    "Part 11 of the weft",
  ],
  [
    "a page in a table of layout",
    `<table><tr><td><a accesskey="n" href="b">Next</a></td></tr><tr><td><h1>One</h1>${TEXT}</td></tr></table>`,
    "A manual says",
  ],
  ["a page of a bar alone", `<ul><li><a accesskey="n" href="b">Shuttles</a></li></ul>`, "Shuttles"],
])("%s stays", (_, body, kept) => expect(textOf(body)).toContain(kept));

test("an access key is not in the HTML", () => {
  const { html } = contentOf(
    `<h1>One</h1>${TEXT}<p>Then read about shuttles <a accesskey="n" href="b">over here, soon</a>.</p>`,
  );
  expect(html).toContain("over here, soon");
  expect(html).not.toContain("accesskey");
});
