import { describe, expect, test } from "vitest";
import { chunkPage } from "../../../../src/chunks/chunk-page.ts";
import { contentOf, PAGE_URL } from "./make-content.ts";

/** The heading of a note is no section: what follows the note belongs to the section around it. */

const sentence = (what: string) => `The ${what} of a loom is described here in a few words, so that nobody misses it.`;
const DOCBOOK = `<meta name="generator" content="DocBook XSL Stylesheets V1.79.1">`;

function chunksOf(body: string, head = "") {
  const html = `<html><head><title>Looms</title>${head}</head><body><div class="chapter"><h1>Looms</h1><p>${sentence("frame")}</p>${body}</div></body></html>`;
  const { html: written = "", markdown = "", metadata } = contentOf(html);
  return {
    written,
    markdown,
    chunks: chunkPage({ url: PAGE_URL, markdown, headings: metadata.headings }, 64).map(
      ({ headings, text, anchor }) => ({
        path: headings.join("/"),
        text,
        anchor,
      }),
    ),
  };
}

const BOXES: [what: string, write: (title: string, text: string) => string][] = [
  [
    "DocBook",
    (title, text) =>
      `<div class="note" style="margin-left: 0.5in;"><h3 class="title">${title}</h3><p>${text}</p></div>`,
  ],
  [
    "DocBook's warning",
    (title, text) => `<div class="warning"><h3 class="title">${title}</h3><p>${text}</p><pre>loom --stop</pre></div>`,
  ],
  [
    "Docusaurus 2",
    (title, text) =>
      `<div class="admonition admonition-tip alert alert--success"><div class="admonition-heading"><h5><span class="admonition-icon"></span>${title}</h5></div><div class="admonition-content"><p>${text}</p></div></div>`,
  ],
  [
    "Bootstrap",
    (title, text) =>
      `<div class="alert alert-info" role="alert"><h4 class="alert-heading">${title}</h4><p>${text}</p></div>`,
  ],
  ["a role", (title, text) => `<div role="note"><h3>${title}</h3><p>${text}</p></div>`],
];

describe.each(BOXES)("%s", (_, box) => {
  test.each(["Note", "Hinweis", "Avertissement", "注意", "Ostrzeżenie"])("%s", (title) => {
    const { chunks, markdown, written } = chunksOf(
      `<h2 id="warp">The warp</h2><p>${sentence("warp")}</p>${box(title, sentence("danger"))}<p>${sentence("knot")}</p>
<p>${sentence("thread")}</p><h2 id="weft">The weft</h2>${box(title, sentence("colour"))}<p>${sentence("weft")}</p>`,
      DOCBOOK,
    );
    expect(chunks.filter(({ path }) => path.includes(title))).toEqual([]);
    for (const [what, path, anchor] of [
      ["danger", "Looms/The warp", "warp"],
      ["knot", "Looms/The warp", "warp"],
      ["thread", "Looms/The warp", "warp"],
      ["colour", "Looms/The weft", "weft"],
      ["weft", "Looms/The weft", "weft"],
    ])
      expect(chunks.find(({ text }) => text.includes(sentence(what ?? "")))).toMatchObject({ path, anchor });
    // It stays a heading, for those who look for headings.
    expect(markdown).toMatch(new RegExp(`^> #+ ${title}$`, "m"));
    expect(written).toMatch(new RegExp(`<blockquote[^>]*>\\s*(?:<div[^>]*>\\s*)*<h\\d[^>]*>${title}`));
  });
});

test("a note at the beginning of DocBook's sections", () => {
  const { chunks } = chunksOf(
    `<div class="sect1"><div class="titlepage"><div><div><h2 class="title">The warp</h2></div></div></div>
<div class="note"><h3 class="title">Note</h3><p>${sentence("danger")}</p></div>
<div class="sect2"><div class="titlepage"><div><div><h3 class="title">Knots</h3></div></div></div><div class="tip"><h3 class="title">Tip</h3><p>${sentence("knot")}</p></div><p>${sentence("thread")}</p></div></div>`,
    DOCBOOK,
  );
  const pathOf = (what: string) => chunks.find(({ text }) => text.includes(sentence(what)))?.path;
  expect(pathOf("danger")).toBe("Looms/The warp");
  expect(pathOf("knot")).toBe("Looms/The warp/Knots");
  expect(pathOf("thread")).toBe("Looms/The warp/Knots");
});

describe("stays a section", () => {
  test.each([
    [
      "a section named note",
      `<section class="note" id="note"><h2>Writing a note</h2><p>${sentence("note")}</p></section>`,
    ],
    [
      "a div named warning among others",
      `<div class="start"><h2>First</h2><p>${sentence("start")}</p></div><div class="warning"><h2>Writing a note</h2><p>${sentence("note")}</p></div>`,
    ],
    ["a heading named note", `<h2 class="note">Writing a note</h2><p>${sentence("note")}</p>`],
    [
      "a heading after the text of a box",
      `<div class="info"><p>${sentence("info")}</p><h2>Writing a note</h2><p>${sentence("note")}</p></div>`,
    ],
  ])("%s", (_, body) => {
    const { chunks, markdown } = chunksOf(`${body}<h2>Last</h2><p>${sentence("end")}</p>`);
    expect(markdown).toMatch(/^## Writing a note$/m);
    expect(chunks.find(({ text }) => text.includes(sentence("note")))?.path).toBe("Looms/Writing a note");
  });
});
