import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";

/** Which part of a page is taken. */

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
      "each link of a list in a page that its theme calls an article",
      `<main itemscope itemtype="https://schema.org/Article"><h1>Examples</h1><p>They show how to use it, with commas, and at length; all modules are in the reference, which has a page for each of them.</p>
        <div><ul>${["one", "two", "three"].map((name) => `<li><a href=/${name}>The long example of ${name}, which shows a use of it</a>`).join("")}</ul></div></main>`,
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
      `${prose("one")}<div class="newsletter-box"><p>A remark by mail, every morning.</p><form><input type=email><button>Go</button></form></div>${prose("two")}`,
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

describe("comments", () => {
  const ARTICLE = "<meta property=og:type content=article>";
  const comment = (name: string) =>
    `<div class=comment><a class=author href=/u>${name}</a> <time>today</time>${prose(`remark ${name}`, 4)}</div>`;
  const many = ["a", "b", "c", "d", "e", "f", "g", "h"].map(comment).join("");
  const own = `<h1>Title</h1>${prose("one", 4)}${prose("two", 4)}`;

  test.each([
    [
      "a section longer than the article",
      `${ARTICLE}<article>${own}</article><section class=comments>${many}</section>`,
    ],
    [
      "a section within the article",
      `${ARTICLE}<article>${own}<div id=comments class="comments-area">${many}</div></article>`,
    ],
    ["a section that has only an id", `${ARTICLE}<div>${own}<div id=comments>${many}</div></div>`],
    ["comments without a section", `${ARTICLE}<div>${own}${many}</div>`],
    [
      "a form to answer",
      `${ARTICLE}<div>${own}<div id=respond>${prose("remark")}<form><textarea></textarea></form></div></div>`,
    ],
    [
      "comments below the posts of a blog",
      `<div>${["one", "two", "three"].map((name) => `<div class="wp-block post-type-post">${prose(name)}</div>`).join("")}<ol class=comments>${comment("a")}${comment("b")}</ol></div>`,
    ],
  ])("are left out: %s", (_, html) => {
    const found = text(NAV + html);
    expect(found).toContain("Of one");
    expect(found).toContain("Of two");
    expect(found).not.toContain("remark");
  });

  test.each([
    [
      "a page about comments",
      `<h1>Title</h1><section class=comments><h2>Comments</h2>${prose("one")}</section>${prose("two")}`,
    ],
    [
      "notes in a manual that calls itself an article",
      `${ARTICLE}${own}<div class=comment>Note: ${prose("one", 1)}</div><pre><span class=comment>// one</span></pre>`,
    ],
    [
      "the posts of a page that has little else",
      `${ARTICLE}<h1>Title</h1>${prose("two", 2)}${many.replaceAll("remark", "one")}`,
    ],
  ])("stay: %s", (_, html) => {
    const found = text(NAV + html);
    expect(found.match(/one/g)?.length).toBe(html.match(/one/g)?.length);
    expect(found).toContain("two");
  });
});

describe("a long technical page", () => {
  const part = (name: string, times: number) =>
    `<div class=part><div><h2>${name}</h2>${prose(name, 3).repeat(times)}<pre>run ${name}</pre></div></div>`;
  test.each([
    ["in parts of unequal length", `<div>${part("one", 9)}${part("two", 5)}${part("three", 1)}</div>`],
    [
      "in columns",
      `<table><tr><td>${part("one", 9)}</td></tr><tr><td>${part("two", 6)}${part("three", 2)}</td></tr></table>`,
    ],
    [
      "without headings",
      `<div><div>${prose("one", 9).repeat(5)}</div><div><div>${prose("two", 9).repeat(3)}</div><div>${prose("three", 9)}</div></div></div>`,
    ],
    ["in short parts", `<div>${part("one", 9)}${part("two", 2)}${part("three", 1)}</div>`],
    [
      "half of it in lists",
      `<div><div class=intro>${prose("one").repeat(8)}</div><div class=options><h2>Options</h2><ul>${`<li>${prose("two").slice(3, -4)}</li>`.repeat(7)}</ul></div></div>`,
    ],
    [
      "half of it in cells",
      `<div><div class=intro>${prose("one").repeat(8)}</div><div><table>${`<tr><td>-x</td><td>${prose("two").slice(3, -4)}</td></tr>`.repeat(7)}</table></div></div>`,
    ],
  ])("keeps all of its text: %s", (_, html) => {
    for (const head of ["", "<meta property=og:type content=article>"])
      for (const name of ["one", "two", "three"])
        expect(text(head + NAV + html).match(new RegExp(`Of ${name}`, "g"))?.length).toBe(
          html.match(new RegExp(`Of ${name}`, "g"))?.length,
        );
  });
});

test("of an article's lists of links, those that a colon announces stay", () => {
  const links = (name: string) => `<ul><li><a href=/1>${name} 1</a><li><a href=/2>${name} 2</a></ul>`;
  const found = text(
    `<meta property=og:type content=article><article><h1>T</h1>${prose("one")}<div class=x><a href=/f>Gone 1</a> <a href=/t>Gone 2</a></div>${prose("two")}<p>The tools:</p>${links("Tool")}${prose("three")}<p>Next.</p>${links("Gone")}</article>`,
  );
  for (const number of [1, 2]) expect(found).toContain(`Tool ${number}`);
  expect(found).not.toContain("Gone");
});
