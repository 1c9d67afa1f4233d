import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";

/** Which part of a page is taken, where Readability alone would take too little or too much. */

const prose = (name: string, times = 6) =>
  `<p>${`Of ${name} there is much to say here, with commas, and at some length. `.repeat(times)}</p>`;
const text = (html: string) => contentOf(html, ["text"]).text ?? "";
const NAV = "<nav><a href=/>Home</a> <a href=/about>About</a></nav>";

describe("is kept", () => {
  test.each([
    [
      "each post of an index with microdata",
      ["one", "two", "three"]
        .map((name) => `<div itemscope itemtype="https://schema.org/BlogPosting"><h2>${name}</h2>${prose(name)}</div>`)
        .join(""),
    ],
    [
      "each article of an index",
      ["one", "two", "three"].map((name) => `<article><h2>${name}</h2>${prose(name)}</article>`).join(""),
    ],
    [
      "each post of a thread without names",
      ["one", "two", "three"]
        .map((name) => `<div class=row><div class=user>u</div><div class=post>${prose(name)}</div></div>`)
        .join(""),
    ],
    [
      "each part of a manual",
      `<meta name=generator content="Sphinx 7"><div class=section>${prose("one")}</div><dl><dt>two<dd>x</dl><pre>three</pre>`,
    ],
    [
      "a table between paragraphs",
      `${prose("one")}<table><thead><tr><th>a<th>b</thead><tr><td>two<td>2</table>${prose("three")}`,
    ],
    [
      "a page whose theme calls it a menu",
      `<body class="menu-open has-sidebar"><div class="page-with-sidebar">${prose("one")}${prose("two")}${prose("three")}</div>`,
    ],
  ])("%s", (_, html) => {
    const found = text(NAV + html);
    for (const name of ["one", "two", "three"]) if (html.includes(name)) expect(found).toContain(name);
    expect(found).not.toContain("About");
  });
});

describe("is left out", () => {
  const comments = ["a", "b", "c"].map((name) => `<li class=comment>${prose(`remark ${name}`, 2)}</li>`).join("");
  test.each([
    ["comments below an article", `${prose("one")}${prose("two")}<ol class=comments>${comments}</ol>`],
    [
      "comments of an article with answers to questions",
      `<script type=application/ld+json>{"@type":"FAQPage","mainEntity":[{"@type":"Question"}]}</script>${prose("one")}${prose("two")}<ol class=comments>${comments}</ol>`,
    ],
    [
      "a list of what to read next",
      `${prose("one")}${prose("two")}<div class=related-posts><ul><li><a href=/r>A remark</a></ul></div>`,
    ],
    [
      "a box to subscribe",
      `${prose("one")}<div class="newsletter-box"><p>A remark by mail, every morning.</p></div>${prose("two")}`,
    ],
    [
      "a banner about cookies",
      `<div id=cookie-banner>${prose("remark", 1)}</div><main>${prose("one")}${prose("two")}</main>`,
    ],
    ["who wrote it", `<div class=post-meta>A remark by Ann</div>${prose("one")}${prose("two")}`],
  ])("%s", (_, html) => {
    const found = text(`${NAV}<div>${html}</div>`);
    expect(found).toContain("one");
    expect(found).toContain("two");
    expect(found).not.toContain("remark");
  });
});

test("a home page is not cut to one article because it says that it is one", () => {
  const html = `<meta property=og:type content=article><base href=/>${["one", "two", "three", "four", "five"].map((name) => `<section><h2>${name}</h2>${prose(name, 4)}</section><section><ul><li><a href=/${name}>more of ${name}</a></ul></section>`).join("")}`;
  for (const name of ["one", "two", "three", "four", "five"]) expect(text(html)).toContain(`Of ${name}`);
});
