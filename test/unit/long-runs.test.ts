import { expect, test } from "vitest";
import { readHeaderBlock } from "../../src/archive/header-block.ts";
import { cleanText } from "../../src/changes/template/clean-text.ts";
import { titleParts } from "../../src/changes/template/template-hashes.ts";
import { readBlocks } from "../../src/chunks/read-blocks.ts";
import { readFields } from "../../src/media/html/fields/read-fields.ts";
import { findSrcsetUrls } from "../../src/media/html/links/srcset.ts";
import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { numberFormat } from "../../src/media/office/number-format.ts";
import { recognizeMedia } from "../../src/media/sound-and-picture/recognize-media.ts";

/**
 * Long runs of one character, which patterns with two repetitions beside each other read once for each character: these
 * would take minutes then, and the test's time would be over.
 */

const LONG = 300_000;
const run = (text: string) => text.repeat(LONG / text.length);
const encode = (text: string) => new TextEncoder().encode(text);

const CASES: [name: string, read: () => unknown, expected: unknown][] = [
  ["comments before an SVG", () => recognizeMedia(encode(`${"<!---->".repeat(80)}x`), null), null],
  ["comments in an SVG", () => recognizeMedia(encode(`${"<!---->".repeat(80)}<svg>`), null), "image/svg+xml"],
  ["doctypes before an SVG", () => recognizeMedia(encode("<!doctype [] ".repeat(300)), null), null],
  ["commas in a srcset", () => [...findSrcsetUrls(`a${run(",")}b`)].map(({ url }) => url.length), [LONG + 2]],
  ["commas after a URL in a srcset", () => [...findSrcsetUrls(`a.png${run(",")}`)].map(({ url }) => url), ["a.png"]],
  [
    "blanks in a header",
    () => readHeaderBlock(encode(`HTTP/1.1 200 OK\r\nx: a${run(" ")}b \r\n\r\n`)).fields,
    [["x", `a${run(" ")}b`]],
  ],
  [
    "empty lines",
    () =>
      cleanText(["", "a", ...Array(LONG).fill(""), "b", "Home"].join("\n"), {
        ...{ text: new Set(["Home"]), markdown: new Set<string>(), headings: new Set<string>() },
      }).text.length,
    LONG + 3,
  ],
  ["blanks in a title", () => titleParts(`a${run(" ")}b - c`), [`a${run(" ")}b`, "c"]],
  ["blanks in a table", () => readBlocks(`| a | b |\n| - |${run(" ")}x\n`).length, 1],
  ["dashes in a table", () => readBlocks(`| a | b |\n${run("-|")}x\n`).length, 1],
  ["zeros in a number format", () => typeof numberFormat(200, `${run("0")}#E+#`, false)(5), "string"],
  ["commas in a number format", () => typeof numberFormat(200, `#${run(",")}#`, false)(5), "string"],
  [
    "blanks in keywords",
    () => {
      const data = JSON.stringify({ "@type": "Article", keywords: `a${" ".repeat(90_000)}b, c; d` });
      const document = parseHtml(`<script type="application/ld+json">${data}</script>`);
      const rules = { keywords: { schema: "Article.keywords", as: "list" as const } };
      return readFields(document, rules, { url: "https://a.test/", base: "https://a.test/", language: "en" })[0]?.value;
    },
    expect.arrayContaining(["c", "d"]),
  ],
];

test.each(CASES)("%s are read in time", (_, read, expected) => {
  expect(read()).toEqual(expected);
});
