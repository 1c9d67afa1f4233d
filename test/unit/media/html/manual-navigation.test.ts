import { describe, expect, test } from "vitest";
import { chunkPage } from "../../../../src/chunks/chunk-page.ts";
import { contentOf, PAGE_URL } from "./make-content.ts";
import { CELLS, CODE, HEADINGS, LINKED, MANUAL_PAGES, NAVIGATION, SENTENCES, TITLE } from "./manual-pages.ts";

/** What surrounds the content of a manual is no text of it, and all of its content is. */

const linesOf = (text = "") => text.split("\n").map((line) => line.trim());

describe.each(Object.entries(MANUAL_PAGES))("%s", (_, html) => {
  const { text = "", markdown = "", metadata } = contentOf(html, ["text", "markdown"]);
  const chunks = chunkPage({ url: PAGE_URL, markdown, headings: metadata.headings }, 64);

  test("has no navigation", () => {
    expect(linesOf(text).filter((line) => NAVIGATION.test(line))).toEqual([]);
    expect(linesOf(markdown).filter((line) => NAVIGATION.test(line) || line.includes("!["))).toEqual([]);
    expect(chunks.filter((chunk) => NAVIGATION.test(`${chunk.headings.join(" ")} ${chunk.text}`))).toEqual([]);
    // No list of the page's own sections: each of their headings stands once.
    const sections = HEADINGS.slice(1);
    expect(linesOf(text).filter((line) => sections.some((heading) => line.endsWith(heading)))).toEqual(sections);
  });

  test("has all of its content", () => {
    for (const part of [...SENTENCES, ...LINKED, ...CELLS, "for silk", "for wool", ...CODE.split("\n")])
      expect(text).toContain(part.trim());
    expect(markdown).toContain(CODE);
    expect(markdown).toMatch(/^\| Option *\| Meaning *\|$/m);
    for (const heading of HEADINGS.slice(1)) expect(markdown).toMatch(new RegExp(`^## .*${heading}`, "m"));
  });

  test("has the path of its section in each chunk, and no note in it", () => {
    const paths = chunks.map(({ headings }) => headings.filter((heading) => heading !== TITLE).join("/"));
    expect([...new Set(paths)].filter((path) => path !== "")).toEqual(HEADINGS.slice(1));
    const noted = chunks.find((chunk) => chunk.text.includes(SENTENCES[3] ?? "?"));
    expect(noted?.headings.at(-1)).toBe(HEADINGS[1]);
    expect(chunks.find((chunk) => chunk.text.includes("--shuttles"))?.headings.at(-1)).toBe(HEADINGS[1]);
  });
});

const PROSE =
  "<p>A manual says in a few sentences, with commas, what its reader needs to know about a subject.</p>".repeat(3);
const MENU = ["Warp", "Weft", "Shuttles", "Dyes"].map((text) => `<li><a href="${text}.html">${text} of old</a></li>`);
const textOf = (body: string, generator = "Sphinx 7") =>
  contentOf(
    `<html><head><title>Looms</title><meta name="generator" content="${generator}"></head><body>${body}</body></html>`,
  ).text ?? "";

test.each<[what: string, body: string]>([
  [
    "links before the title",
    `<div class="x1"><ul>${MENU.join("")}</ul></div><div class="x2"><h1>Looms</h1>${PROSE}</div>`,
  ],
  [
    "links under headings before the title",
    `<div class="x1"><h3>Basics</h3><ul>${MENU.slice(0, 2).join("")}</ul><h3>More</h3><ul>${MENU.slice(2).join("")}</ul></div><div class="x2"><h1>Looms</h1>${PROSE}</div>`,
  ],
  [
    "many links before a short page",
    `<div class="x1"><ul>${Array.from({ length: 60 }, () => MENU.join("")).join("")}</ul></div><div class="x2"><h1>Looms</h1><p>A manual says it.</p></div>`,
  ],
  [
    "a menu after the content, with a link to this page",
    `<div class="x2"><h1>Looms</h1>${PROSE}</div><div class="x1"><ul>${MENU.join("")}<li><a href="page">Looms</a></li></ul></div>`,
  ],
  ["a list named a sidebar", `<div><h1>Looms</h1>${PROSE}</div><div id="sideBar-nav"><ul>${MENU.join("")}</ul></div>`],
  [
    "a bar whose links have names",
    `<div class="x2"><h1>Looms</h1>${PROSE}<p><a class="prev" href="a">Warp of old</a> <a class="next" href="b">Weft of old</a></p></div>`,
  ],
  [
    "the letters of an index, in a paragraph",
    `<div><h2>Looms</h2>${PROSE}<p>Letters of old: <a href="#A">A</a> | <a href="#B">B</a> | <a href="#W">W</a></p><h3 id="A">A</h3><p>apron</p><h3 id="B">B</h3><p>beam</p><h3 id="W">W</h3><p>weft</p></div>`,
  ],
  [
    "a menu in the cell of a table that arranges the page",
    `<table><tr><td><h1>Looms</h1></td></tr></table><table><tr><td width="200"><table><tr><td><b>Basics</b></td></tr><tr><td><ul>${MENU.join("")}<li><a href="page">Looms</a></li></ul></td></tr></table></td><td><h2>Looms</h2>${PROSE}<p>It has a warp.</p></td></tr></table>`,
  ],
])("goes, whatever it is called: %s", (_, body) => {
  const text = textOf(body);
  expect(text).not.toMatch(/of old|Basics|More/);
  expect(text).toContain("Looms");
  expect(text).toContain("A manual says");
});

test.each<[what: string, body: string, kept: string[]]>([
  [
    "the contents that a page is for",
    `<div class="book"><div class="titlepage"><h1>Looms</h1><p>By a weaver.</p></div><div class="toc"><p><b>Table of Contents</b></p><dl class="toc">${Array.from({ length: 20 }, (_, at) => `<dt><a href="${at}.html">Chapter ${at} of old</a></dt>`).join("")}</dl></div></div>`,
    ["Looms", "Chapter 0 of old", "Chapter 19 of old"],
  ],
  [
    "contents below the title in a Sphinx page",
    `<div class="body" role="main"><h1>Looms</h1><p>Contents:</p><div class="toctree-wrapper compound"><ul>${MENU.join("")}</ul></div></div>`,
    ["Warp of old", "Dyes of old"],
  ],
  [
    "links under the title",
    `<h1>Looms</h1><div class="x1"><ul>${MENU.join("")}</ul></div><div>${PROSE}</div>`,
    ["Warp of old"],
  ],
  [
    "links under a heading",
    `<div><h2>Looms of today</h2><ul>${MENU.join("")}</ul></div><div>${PROSE}</div>`,
    ["Warp of old"],
  ],
  [
    "links under a heading that end a text",
    `<div><h1>Looms</h1>${PROSE}</div><div class="x1"><h2>Read on</h2><ul>${MENU.join("")}</ul></div>`,
    ["Dyes of old"],
  ],
  ["a page of links", `<ul>${MENU.join("")}</ul>`, ["Warp of old", "Dyes of old"]],
  ["links above an imprint", `<div><ul>${MENU.join("")}</ul></div><div><p>© 2024 Looms</p></div>`, ["Warp of old"]],
  [
    "a list that a paragraph announces",
    `<div class="body" role="main"><h1>Looms</h1>${PROSE}<p>There are two parts:</p><ul><li><a href="#a">The warp</a></li><li><a href="#b">The weft</a></li></ul>${PROSE}<h2 id="a">The warp</h2>${PROSE}<h2 id="b">The weft</h2>${PROSE}</div>`,
    ["The warp\nThe weft\n"],
  ],
  [
    "signs in an index",
    `<main><h1>Looms</h1>${PROSE}<table><tr><td><ul><li><a href="o#a">&lt;</a></li><li><a href="o#b">&gt;&gt;</a>, <a href="o#c">[1]</a></li></ul></td></tr></table></main>`,
    ["<\n", ">>, [1]"],
  ],
  [
    "notes of a sentence, options and a list of names",
    `<main><h1>Looms</h1>${PROSE}<p id="1">One</p><p id="2">Two</p><p id="3">Three</p><p id="a">Four</p><p id="b">Five</p><p id="c">Six</p><p id="A">Seven</p><p id="B">Eight</p><p id="C">Nine</p><p>As weavers say <a href="#1">[1]</a>, <a href="#2">[2]</a>, <a href="#3">[3]</a></p><p>Options: <a href="#a">-a</a>, <a href="#b">-b</a>, <a href="#c">-c</a></p><ul><li><a href="#A">A</a></li><li><a href="#B">Bobbin</a></li><li><a href="#C">Carder</a></li></ul></main>`,
    ["As weavers say [1], [2], [3]", "Options: -a, -b, -c", "Bobbin"],
  ],
  [
    "links in a table of data beside text",
    `<main><h1>Looms</h1>${PROSE}<table><tr><th>Part</th><th>Page</th></tr><tr><td>Warp</td><td><a href="a.html">Warp of old</a></td></tr><tr><td>Weft</td><td><a href="page">Looms</a></td></tr></table></main>`,
    ["Warp of old"],
  ],
  [
    "code in tabs",
    `<main><h1>Looms</h1>${PROSE}<div role="tabpanel"><pre>npm run loom</pre></div><div role="tabpanel" hidden><pre>yarn loom</pre></div><div style="display: none"><div hidden><pre>pnpm loom</pre></div></div></main>`,
    ["npm run loom", "yarn loom", "pnpm loom"],
  ],
  [
    "sections with the names of bars",
    `<main><h1>Looms</h1>${PROSE}<section id="navigation" class="sidebar"><h2>Navigation</h2><ul>${MENU.join("")}</ul></section><div id="toc"><h2>The toc</h2>${PROSE}</div></main>`,
    ["Navigation", "Warp of old", "The toc"],
  ],
])("stays: %s", (_, body, kept) => {
  for (const text of kept) expect(textOf(body)).toContain(text);
});

describe("on a page that is no manual", () => {
  const own = `<ul><li><a href="#a">The warp</a></li><li><a href="#b">The weft</a></li></ul>`;
  const sections = `<h2 id="a">The warp</h2>${PROSE.repeat(3)}<h2 id="b">The weft</h2>${PROSE.repeat(3)}`;
  test.each([
    ["a list of its own sections goes", `<div><p>Contents</p>${own}</div>${sections}`, 1],
    [
      "a list that is announced stays",
      `<p>What follows has two parts, of which each is said in a few words:</p>${own}${sections}`,
      2,
    ],
  ])("%s", (_, body, times) => {
    const text = textOf(`<article><h1>Looms</h1>${PROSE.repeat(2)}${body}</article>`, "Hugo 0.111");
    expect(text.match(/The warp/g)).toHaveLength(times);
    expect(text).toContain("A manual says");
  });
});

test("a label for screen readers goes, and so does the picture of a menu", () => {
  const text = `<main><h1>Looms</h1>${PROSE.repeat(4)}<form><label class="sr-only" for="q">Search looms</label><input id="q"></form><label for="m"><img src="m.svg" alt="Open it"></label><p><label for="n">Name</label>: the loom</p></main>`;
  const { markdown = "" } = contentOf(`<title>Looms</title>${text}`, ["markdown"]);
  expect(markdown).not.toMatch(/Search looms|Open it/);
  expect(markdown).toContain("Name: the loom");
});

test("an older page of Sphinx, whose theme names neither its generator nor an index, keeps its last words", () => {
  const described = ["Math", "VectorName", "Matrix"].map(
    (name) =>
      `<dl class="class"><dt><em>class</em> <code>looms.${name}</code>(<em>*</em>, <em>data=None</em>)<a class="reference internal" href="_modules/looms.html#${name}">[source]</a></dt><dd><p>Bases: <a class="reference internal" href="looms.html#Base"><code>looms.Base</code></a></p><p>A class representing a ${name}.</p><table><tr><th>Parameters:</th><td><ul><li><strong>data</strong> (<a href="https://docs.example/list"><em>list</em></a>) – Content of the container, in the order in which it was added.</li></ul></td></tr></table></dd></dl>`,
  );
  const last = `<p class="rubric">References</p><ul class="simple"><li><a class="reference external" href="https://wiki.example/Looms">https://wiki.example/Looms</a></li></ul><dl class="attribute"><dt><code class="descname">omit_if_empty</code><em class="property"> = False</em></dt><dd></dd></dl>`;
  const head = `<link rel="top" href="../index.html"><link rel="up" href="../api.html"><link rel="next" href="b.html">`;
  const { text = "" } = contentOf(
    `<html><head><title>looms.math — Looms</title>${head}</head><body><div role="main"><h1>looms.math</h1><p>This module has the classes that deal with math.</p>${described.join("").repeat(2)}${last}</div><footer>Built with Sphinx.</footer></body></html>`,
  );
  expect(text).toContain("omit_if_empty");
  expect(text).toContain("References");
});

test("items of a list that begin with headings are sections, and other lists stay lists", () => {
  const items = ["Warp", "Weft"].map((name) => `<li><h3>${name}</h3><p>The ${name} is explained here.</p></li>`);
  const body = `<main><h1>Looms</h1>${PROSE}<ul>${items.join("")}</ul><ul><li><p>Thread</p><h4>Needle</h4></li><li>Pin</li></ul><ol><li><h3>First</h3></li></ol></main>`;
  const { markdown = "" } = contentOf(`<meta name="generator" content="Sphinx 7">${body}`, ["markdown"]);
  expect(markdown).toMatch(/^### Warp$/m);
  expect(markdown).toMatch(/^- Thread$/m);
  expect(markdown).toMatch(/^1\. ### First$/m);
  expect(contentOf(`<body>${body}</body>`, ["markdown"]).markdown).toMatch(/^- ### Warp$/m);
});

test("a page of Javadoc is known by its bars, if nothing names its generator", () => {
  const bar = `<div class="topNav"><a name="navbar.top"></a><ul><li><a href="a.html">Overview of old</a></li></ul></div>`;
  const body = `${bar}<div class="header"><h2>Loom</h2></div><ul><li><h3>Methods</h3><dl><dt>Throws:</dt><dd>Thread</dd></dl></li></ul>`;
  const { markdown = "", metadata } = contentOf(`<title>Loom</title><body>${body}</body>`);
  expect(markdown).toMatch(/^## Loom\n\n### Methods\n\n- \*\*Throws:\*\*/);
  expect(metadata.kind).toBe("documentation");
});
