import { describe, expect, test } from "vitest";
import { fillGaps } from "../../../src/changes/fill-gaps.ts";
import { versionOf } from "../../../src/changes/page-version.ts";
import { contentHash, viewOf } from "../../../src/changes/view-version.ts";
import { emptyDocument } from "../../../src/media/document.ts";
import { emptyMetadata } from "../../../src/media/text/plain-content.ts";
import { prose, versionOfHtml } from "./version.ts";

const page = (body: string) => `<!doctype html><title>Tea</title><main><h1>Tea</h1>${body}</main>`;
const [one, two] = [prose(1), prose(2)];

describe("small gaps of the content are content", () => {
  test.each<[string, string[], string[], string[]]>([
    ["a price", ["name", "text"], ["menu", "name", "$5", "text", "foot"], ["name", "$5", "text"]],
    ["two lines", ["name", "text"], ["name", "$5", "In stock", "text"], ["name", "$5", "In stock", "text"]],
    ["more are none", ["name", "text"], ["name", "a", "b", "c", "text"], ["name", "text"]],
    ["nothing around it", ["name", "text"], ["menu", "name", "text", "foot"], ["name", "text"]],
    ["the name in a menu, too", ["name", "text"], ["name", "menu", "name", "$5", "text"], ["name", "$5", "text"]],
    ["a block written otherwise", ["a", "b!", "c", "d"], ["a", "x", "b", "c", "y", "d"], ["a", "b!", "c", "y", "d"]],
    ["the same block twice", ["a", "-", "b", "-"], ["a", "-", "x", "b", "-"], ["a", "-", "x", "b", "-"]],
    ["a page that is not known", ["a", "b"], [], ["a", "b"]],
  ])("%s", (_, blocks, lines, filled) => {
    expect(fillGaps(blocks, lines.join("\n"))).toEqual(filled);
  });
});

describe("versions", () => {
  test("a block is a paragraph, a heading, a list item or a row", () => {
    const html = page(`<p>${one}</p><h2>Kinds</h2><ul><li>Green</li><li>Black</li></ul>
      <table><tr><th>Kind</th><th>Minutes</th></tr><tr><td>Green</td><td>2</td></tr></table>`);
    const { title, blocks, headings } = versionOfHtml(html);
    expect(title).toBe("Tea");
    expect(blocks).toEqual(["Tea", one, "Kinds", "Green", "Black", "Kind\tMinutes", "Green\t2"]);
    expect(headings).toEqual([
      [0, 1],
      [2, 2],
    ]);
  });

  test.each([
    ["other classes and attributes", `<p>${one}</p>`, `<p class="css-1a2b" data-v="2">${one}</p>`],
    ["other elements", `<p>${one}</p>`, `<div>${one}</div>`],
    ["other links", `<p><a href="/a">${one}</a></p>`, `<p><a href="/b?v=2" rel="nofollow">${one}</a></p>`],
    ["emphasis", `<p>${one}</p>`, `<p><b>${one}</b></p>`],
    ["white space", `<p>${one}</p>`, `<p>\n  ${one.replace(" ", "\n  ")}\n</p>`],
    ["quotation marks and dashes", `<p>${one} "a" -- b</p>`, `<p>${one} “a” – b</p>`],
    ["scripts and styles", `<p>${one}</p>`, `<script src="/a.9f3c.js"></script><style>p{}</style><p>${one}</p>`],
  ])("%s are not what a page says", (_, before, after) => {
    const hashes = [before, after].map((body) => contentHash(versionOfHtml(page(`${body}<p>${two}</p>`)), viewOf()));
    expect(hashes[0]).toBe(hashes[1]);
  });

  test("a document without content has no version", () => {
    expect(versionOf(emptyDocument("image/png"))).toBe(null);
  });

  test.each([
    ["blocks", Array.from({ length: 30_000 }, (_, at) => `line ${at}`).join("\n"), 20_000],
    ["characters", Array.from({ length: 10_000 }, () => "x".repeat(1_000)).join("\n"), 1_000],
    ["one block", "x".repeat(10_000_000), 1],
  ])("at most so many %s are kept, and the rest by its hash", (_, text, most) => {
    const make = (whole: string) =>
      versionOf({ ...emptyDocument("text/plain"), content: { metadata: emptyMetadata(), text: whole } });
    const made = make(text);
    expect(made?.blocks.length).toBeLessThanOrEqual(most);
    expect(JSON.stringify(made).length).toBeLessThan(1_200_000);
    expect(made?.rest?.characters).toBeGreaterThan(0);
    expect(make(`${text}!`)?.rest?.hash).not.toBe(made?.rest?.hash);
  });
});

test.each([
  ["as the page says, in its canonical form", '<html lang="pt_br">', prose(1), "pt-BR"],
  [
    "as the text is recognised",
    "<html>",
    "Das Haus steht am Ufer eines Sees, und niemand wohnt darin. ".repeat(20),
    "de",
  ],
  ["of a short text that says none", "<html>", prose(1), undefined],
])("the language of a version: %s", (_, html, text, expected) => {
  expect(versionOfHtml(`${html}<body><main><p>${text}</p></main></body></html>`).language).toBe(expected);
});

test("a version has the text of the whole page too", () => {
  const text = Array.from({ length: 8 }, (_, at) => `<p>${prose(at)}</p>`).join("");
  const html = `<body><nav><a href="/">Start</a></nav><main>${text}</main><aside class="x"><p>Beside</p></aside>
    <footer>Imprint</footer></body>`;
  const { blocks, pageText } = versionOfHtml(html, [".x"]);
  expect(blocks).toHaveLength(8);
  expect(pageText).toBe(["Start", ...blocks, "Imprint"].join("\n"));
});
