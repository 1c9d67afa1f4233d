import { expect, test } from "vitest";
import { cleanMarkdown } from "../../../src/changes/template/clean-markdown.ts";
import { cleanerOf, sortLines, textOf } from "../../../src/changes/template/clean-text.ts";
import { countedLines, findRepeated, lineHash } from "../../../src/changes/template/repeated-text.ts";
import { readHtml } from "../../../src/media/html/tree/read-html.ts";
import { plainPages } from "../../sites/plain-pages.ts";

/** 50 pages with meaningless class names, as their reader reads them. */
const site = plainPages(50);
const pages = site.map(({ html }, at) => {
  const source = { url: `https://a.test/${at}`, contentType: "text/html", headers: [] };
  const wanted = { agent: "test", scriptLinks: false, requisites: false, obeyNoindex: false };
  const { content } = readHtml(new TextEncoder().encode(html), source, { ...wanted, formats: ["text", "markdown"] });
  const { text = "", markdown = "" } = content ?? {};
  return { text, markdown, headings: content?.metadata.headings ?? [] };
});
const cleaner = cleanerOf(findRepeated(pages.map(countedLines)));
const cleaned = pages.map(({ text, markdown }) => {
  const sorted = sortLines(text, cleaner);
  return { text: textOf(sorted), markdown: cleanMarkdown(markdown, sorted) };
});

/** The share of the characters in lines that five pages have. */
function repeatedShare(texts: readonly string[]): number {
  const lines = pages.map(({ text }) => new Set(text.split("\n").map(lineHash)));
  let [repeated, all] = [0, 0];
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const hash = lineHash(line);
    if (hash === null) continue;
    all += line.length;
    if (lines.filter((page) => page.has(hash)).length >= 5) repeated += line.length;
  }
  return repeated / all;
}

test("the repeated part falls below 2%", () => {
  expect(repeatedShare(pages.map(({ text }) => text))).toBeGreaterThan(0.15);
  expect(repeatedShare(cleaned.map(({ text }) => text))).toBeLessThan(0.02);
});

test("no page loses what stands on it alone", () => {
  for (const [at, { own }] of site.entries())
    for (const paragraph of own) {
      expect(cleaned[at]?.text).toContain(paragraph);
      expect(cleaned[at]?.markdown).toContain(paragraph);
    }
});

test("headings with text below, code and tables stay whole in both formats", () => {
  for (const { text, markdown } of cleaned) {
    expect(text).toMatch(/^open \{\n {2}\S.*\n\}$/m);
    expect(text).toMatch(/^Shelf\tKeeper\n\S+ \S+\tWeaver$/m);
    expect(markdown).toMatch(/^### Source\n\n```\nopen \{\n {2}\S.*\n\}\n```$/m);
    expect(markdown).toMatch(/^\| Shelf \| Keeper \|\n\| --- \| --- \|\n\| \S+ \S+ \| Weaver \|$/m);
    expect(markdown).not.toContain("For our readers");
    expect(markdown).not.toContain("Reproduction");
  }
});
