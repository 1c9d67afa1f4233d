import fc from "fast-check";
import { expect, test } from "vitest";
import { collapseSpace, inPieces } from "../../../src/core/in-pieces.ts";
import { withLineFeeds } from "../../../src/media/html/markdown/code.ts";
import { escapeHtml } from "../../../src/media/html/tree/write-html.ts";
import { textToMarkdown } from "../../../src/media/text/plain-content.ts";

/** Texts around the length of a piece, whose ends fall into what must stay together. */
const texts = fc
  .tuple(
    fc.array(fc.constantFrom("a", "\n", "\r\n", "\r", " ", "  ", "<", "&", "*", "😀", "\u3000", "word "), {
      minLength: 1,
      maxLength: 12,
    }),
    fc.nat(8),
  )
  .map(([parts, shift]) => "x".repeat(shift) + parts.join("").repeat(Math.ceil(140_000 / parts.join("").length)));

test.each<[string, (text: string) => string, (text: string) => string]>([
  ["HTML", escapeHtml, (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")],
  ["white space", collapseSpace, (text) => text.replace(/\s+/g, " ")],
  ["line ends", withLineFeeds, (text) => text.replace(/\r\n?/g, "\n")],
])("%s in pieces is as in one", (_, inMany, inOne) => {
  fc.assert(
    fc.property(texts, (text) => inMany(text) === inOne(text)),
    { numRuns: 30 },
  );
});

test("lines of Markdown are escaped alike, wherever a piece ends", () => {
  const line = "# *a* _b_ [c] 1. d & &amp; <e> ~~f~~!";
  const text = `${line}\n`.repeat(4_000);
  expect(textToMarkdown(text)).toBe(`${textToMarkdown(line)}\n\n`.repeat(4_000));
});

test("no piece is long, and none is lost", () => {
  const lengths: number[] = [];
  const text = "y".repeat(1_000_000);
  const keep = (piece: string) => {
    lengths.push(piece.length);
    return piece;
  };
  expect(inPieces(text, keep)).toBe(text);
  expect(Math.max(...lengths)).toBeLessThan(70_000);
});
