import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanerOf, cleanText } from "../../../src/changes/template/clean-text.ts";
import { countedLines, findRepeated, lineHash } from "../../../src/changes/template/repeated-text.ts";
import { countAll } from "./repeated-pages.ts";

/** The cleaner of an origin that repeats these lines; those that begin with # are headings. */
function cleanerFor(...repeated: string[]) {
  const hashes = (lines: string[]) => lines.map((line) => lineHash(line.replace(/^# /, "")) ?? "");
  return cleanerOf({ lines: hashes(repeated), headings: hashes(repeated.filter((line) => line.startsWith("# "))) });
}

test.each([
  ["a menu and a footer go", "Home\nAbout\nOwn text\n© The authors", ["Home", "About", "© The authors"], "Own text"],
  ["nothing is repeated", "Home\nOwn text", ["About"], "Home\nOwn text"],
  ["quotation marks have one spelling", "The “site”\nOwn", ['The "site"'], "Own"],
  ["other numbers are another line", "Page 2\nOwn", ["Page 1"], "Page 2\nOwn"],
  ["a page of repeated lines alone stays", "Home\nAbout", ["Home", "About"], "Home\nAbout"],
  ["braces alone are no text", "Home\n}\n", ["Home"], "Home\n}\n"],
  ["braces stay", "Home\nfoo {\n}", ["Home", "}"], "foo {\n}"],
  ["a heading with text below stays", "Menu\nHome\nOptions\nOwn", ["# Menu", "Home", "# Options"], "Options\nOwn"],
  ["headings of headings stay", "Options\nCommon\nOwn", ["# Options", "# Common"], "Options\nCommon\nOwn"],
  ["a heading over repeated text goes", "Own\nSuite\nPart of it", ["# Suite", "Part of it"], "Own"],
  [
    "rows stay with their table",
    "Name\tUse\n-q\tquiet\n-z\town",
    ["Name Use", "-q quiet"],
    "Name\tUse\n-q\tquiet\n-z\town",
  ],
  ["a repeated table goes", "Name\tUse\n-q\tquiet\nOwn", ["Name\tUse", "-q\tquiet"], "Own"],
])("%s", (_, text, repeated, cleaned) => {
  expect(cleanText(text, cleanerFor(...repeated))).toBe(cleaned);
});

test.each([
  ["on 4 of 4 pages", 4, 4, false],
  ["on 5 of 5 pages", 5, 5, true],
  ["on 5 of 16 pages", 5, 16, true],
  ["on 5 of 17 pages", 5, 17, false],
])("a line %s is repeated: %s", (_, having, pages, isRepeated) => {
  const texts = Array.from({ length: pages }, (_, i) => (i < having ? `Own ${i}\nShared` : `Own ${i}`));
  expect(findRepeated(countAll(texts)).lines).toEqual(isRepeated ? [lineHash("Shared")] : []);
});

test("lines of code do not count", () => {
  const page = { text: "Shared\nmake", markdown: "Shared\n\n```sh\nmake\n```", headings: [] };
  expect(findRepeated(Array.from({ length: 9 }, () => countedLines(page))).lines).toEqual([lineHash("Shared")]);
});

/** Few words, so that random pages repeat each other; marks and numbers too. */
const line = fc.oneof(
  fc.constantFrom("Home", "About us", "Next", "}", "", "Page 1", "Page 2", "C", "C++", "a\tb", "a\tc", "“Home”"),
  fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, " ")),
);
const pages = fc.array(
  fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")),
  { minLength: 5, maxLength: 20 },
);

test("no page loses a line that stands on it alone, and none gets empty", () => {
  fc.assert(
    fc.property(pages, (texts) => {
      const cleaner = cleanerOf(findRepeated(countAll(texts)));
      const pagesWith = new Map<string | null, number>();
      for (const text of texts)
        for (const hash of new Set(text.split("\n").map(lineHash))) pagesWith.set(hash, (pagesWith.get(hash) ?? 0) + 1);
      for (const text of texts) {
        const cleaned = cleanText(text, cleaner);
        const left = new Set(cleaned.split("\n"));
        for (const own of text.split("\n"))
          if (own !== "" && (lineHash(own) === null || pagesWith.get(lineHash(own)) === 1)) expect(left).toContain(own);
        if (/[\p{L}\p{N}]/u.test(text)) expect(cleaned).toMatch(/[\p{L}\p{N}]/u);
        // Reindexing twice writes nothing the second time.
        expect(cleanText(cleaned, cleaner)).toBe(cleaned);
      }
    }),
    { numRuns: 100 },
  );
});
