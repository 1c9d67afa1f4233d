import { expect, test } from "vitest";
import { cleanMarkdown } from "../../../src/changes/template/clean-markdown.ts";
import { cleanText } from "../../../src/changes/template/clean-text.ts";
import { plainPages } from "../../sites/plain-pages.ts";
import { learnSite, type ReadPage, readSitePage } from "../../sites/read-site.ts";
import { templateSites } from "../../sites/template-sites.ts";

/** Sites whose own text is known: what is left of their pages, and what is lost. */

function cleanSite(pages: readonly ReadPage[]) {
  const { template } = learnSite(pages);
  return pages.map(({ url, text, markdown, headings }) => {
    const own = template?.of(url) ?? null;
    if (own === null) return { text, markdown };
    return { text: cleanText(text, own, headings).text, markdown: cleanMarkdown(markdown, own).text };
  });
}

/** 50 pages with meaningless class names, as their reader reads them. */
const site = plainPages(50);
const cleaned = cleanSite(site.map(({ html }, at) => readSitePage(`https://a.test/${at}`, html)));

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
    for (const gone of ["For our readers", "Reproduction", "Catalogue of volumes"])
      expect(text + markdown).not.toContain(gone);
  }
});

function precisionOf(texts: readonly string[], owns: readonly (readonly string[])[]): number {
  const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let [said, right] = [0, 0];
  for (const [at, text] of texts.entries()) {
    const own = new Set(wordsOf((owns[at] ?? []).join(" ")));
    const words = wordsOf(text);
    said += words.length;
    right += words.filter((word) => own.has(word)).length;
  }
  return right / said;
}

test.each(templateSites(24))("$name gains precision and loses nothing that a page says", ({ pages }) => {
  const read = pages.map(({ url, html }) => readSitePage(url, html));
  const after = cleanSite(read);
  const owns = pages.map(({ own }) => own);
  const texts = (of: readonly { text: string }[]) => of.map(({ text }) => text);
  const [before, now] = [precisionOf(texts(read), owns), precisionOf(texts(after), owns)];
  expect(now).toBeGreaterThan(before + (1 - before) / 3);
  const gone = owns.flatMap((own, at) =>
    own.filter((line) => read[at]?.text.includes(line) && !after[at]?.text.includes(line)),
  );
  expect(gone).toEqual([]);
});
