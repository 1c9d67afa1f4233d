import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cutForIndex,
  MAX_INDEX_BYTES,
  normalizeText,
  toIndexText,
  toShownText,
} from "../../../src/search/index-text.ts";
import { HIT_END, HIT_START, toPieces } from "../../../src/search/snippet.ts";

/** The way of a page's text into the index and back into a snippet. */

const mark = (text: string) => text.replaceAll("[", HIT_START).replaceAll("]", HIT_END);
const show = (marked: string, unspaced: string[] = []) =>
  toPieces(mark(marked), unspaced)
    .map(({ text, hit }) => (hit ? `[${text}]` : text))
    .join("");

test.each<[text: string, indexed: string, unspaced: boolean]>([
  ["plain text", "plain text", false],
  ["用Python写", "用\u200bPython\u200b写\n\n", true],
  ["2024年", "2024\u200b年\n\n", true],
  ["クローラー", "クローラー\n\n", true],
  ["so\u00adft\ufeff", "soft", false],
  ["e\u0301", "é", false],
])("%s", (text, indexed, unspaced) => {
  expect(toIndexText(text)).toEqual({ text: indexed, unspaced });
});

const indexedBytes = (text: string) => new TextEncoder().encode(JSON.stringify(toIndexText(text).text)).length;

test.each([
  ["English", "polite crawler ", 990_000],
  ["quotes", '"', 490_000],
  ["Chinese", "网络爬虫", 320_000],
  ["both scripts in turn", "a中", 190_000],
])("a long text in %s keeps nearly a megabyte", (_, text, leastCharacters) => {
  const all = text.repeat(2_000_000 / text.length);
  const cut = cutForIndex(all);
  expect(all.startsWith(cut)).toBe(true);
  expect(cut.length).toBeGreaterThan(leastCharacters);
  expect(indexedBytes(cut)).toBeLessThanOrEqual(MAX_INDEX_BYTES);
});

test("a text of up to a megabyte is not cut", () => {
  for (const text of ["", "a", "word ".repeat(199_000), "爬".repeat(166_000)]) expect(cutForIndex(text)).toBe(text);
});

test("a shown text is the indexed text in one line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(toShownText(toIndexText(text).text).trim()).toBe(normalizeText(text).replace(/\s+/g, " ").trim());
    }),
  );
});

test.each<[marked: string, unspaced: string[], shown: string]>([
  ["a [polite]\n [crawler]", [], "a [polite] [crawler]"],
  ["[all]", [], "[all]"],
  ["", [], ""],
  ["网络爬虫是爬虫\n\n", ["爬虫"], "网络[爬虫]是[爬虫]"],
  ["the [crawler] 爬虫", ["爬虫"], "the [crawler] [爬虫]"],
  ["用户\u200bPython\u200b指南", ["用户\u200bpython"], "[用户Python]指南"],
])("%j", (marked, unspaced, shown) => {
  expect(show(marked, unspaced)).toBe(shown);
});

test("a long snippet is cut around its first hit, not inside a character", () => {
  const text = show(`${"🕷".repeat(300)}[hit]${"🕷".repeat(300)}`);
  expect(text).toMatch(/^…🕷{50}\[hit\]🕷+…$/u);
  expect(show(`[${"x".repeat(1000)}]`)).toBe(`[${"x".repeat(400)}]…`);
});

test("of a long window the part with the most different hits is shown", () => {
  const filler = "and so on ".repeat(60);
  expect(show(`[loom] ${filler}[loom] [warp] ${filler}[weft]`)).toMatch(/^….*\[loom\] \[warp\] .*…$/);
  expect(show(`[loom] ${filler}[loom] ${filler}`)).toMatch(/^\[loom\] /);
});
