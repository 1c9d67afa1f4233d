import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText } from "../../../src/changes/template/clean-text.ts";
import { planTemplate } from "../../../src/passes/template/plan-template.ts";
import { findPattern } from "../../../src/sections/pattern-tree.ts";
import { learnSite } from "../../sites/read-site.ts";

/** Which pages are compared, and what that may cost a page. */

const pageAt = (url: string, ...lines: string[]) => ({ url, text: lines.join("\n"), markdown: "", headings: [] });
const many = (count: number, path: string) => Array.from({ length: count }, (_, at) => `https://a.test/${path}${at}`);

test("a page of a pattern with few pages loses what its origin has in common, and nothing else", () => {
  const items = many(12, "items/").map((url, at) => pageAt(url, "Menu", `Item ${at}`, "Legal"));
  const about = pageAt("https://a.test/about", "Menu", "Rooms", "Legal of the house");
  const { template } = learnSite([...items, about]);
  const left = ({ url, text }: ReturnType<typeof pageAt>) => {
    const own = template?.of(url) ?? null;
    return own === null ? text : cleanText(text, own).text;
  };
  expect(left(items[3] as (typeof items)[number])).toBe("Item 3");
  expect(left(about)).toBe("Rooms\nLegal of the house");
});

test("a large crawl has its largest patterns read, a sample of each", () => {
  const urls = Array.from({ length: 30 }, (_, at) => many(40 + 10 * at, `${"abcdefghij"[at % 10]}${at}x/page-`))
    .flat()
    .sort();
  const { groups } = planTemplate(urls, 0.5);
  const read = groups.reduce((sum, group) => sum + group.urls.length, 0);
  expect(read).toBeLessThanOrEqual(384 + 96);
  for (const group of groups.slice(0, 24)) {
    expect(group.urls.length).toBeGreaterThanOrEqual(Math.min(16, group.pages / 2));
    expect(group.pages).toBeGreaterThan(group.urls.length);
  }
});

const line = fc.constantFrom("Menu", "Legal", "News", "Read more", "Colour", "black", "white", "Notice", "Page 1");
const site = fc.array(
  fc.record({ folder: fc.constantFrom("a", "b", "c/d", ""), lines: fc.array(line, { minLength: 1, maxLength: 7 }) }),
  { minLength: 12, maxLength: 40 },
);

test("no page loses a line on fewer than half of its pattern's pages, or on fewer than ten of its origin's", () => {
  fc.assert(
    fc.property(site, (pages) => {
      const read = pages.map(({ folder, lines }, at) =>
        pageAt(`https://a.test/${folder}/p${at}`, ...lines, `Own ${at}`),
      );
      const { template, plan } = learnSite(read);
      const patternOf = (url: string) => findPattern(url, plan.tree);
      for (const { url, text } of read) {
        const own = template?.of(url) ?? null;
        const left = new Set((own === null ? text : cleanText(text, own).text).split("\n"));
        expect(left.has(text.split("\n").at(-1) ?? "")).toBe(true);
        for (const gone of new Set(text.split("\n").filter((each) => !left.has(each)))) {
          const having = read.filter((page) => page.text.split("\n").includes(gone));
          const siblings = read.filter((page) => patternOf(page.url) === patternOf(url));
          const among = having.filter((page) => patternOf(page.url) === patternOf(url));
          expect(among.length * 2).toBeGreaterThanOrEqual(siblings.length);
          expect(having.length).toBeGreaterThanOrEqual(10);
          // Where a pattern has few pages, all of the origin's count.
          if (siblings.length < 10) expect(having.length * 2).toBeGreaterThanOrEqual(read.length);
        }
      }
    }),
    { numRuns: 60 },
  );
});
