import { expect, test } from "vitest";
import { parseHtml } from "../../../../src/media/html/linkedom.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

/**
 * Pages made to cost as much as they can for their size. Each took from ten seconds to hours, or more memory than an
 * isolate has, before the bound that it stands for; the least of them is now far below a second on a machine that does
 * nothing else.
 */

const MOST_MS = 5_000;
const fill = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const each = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join("");
const extract = (html: string) =>
  extractPage(parseHtml(html), "https://example.com/dir/", canonicalize, { scriptLinks: true });

const PAGES: [string, () => string, { links: string[]; dropped: number }][] = [
  [
    "a base with one segment of a million",
    () => `<base href="/${fill("a", 1_000_000)}/b"><a href=/c>`,
    { links: ["https://example.com/c"], dropped: 0 },
  ],
  [
    "a base of a million under 90,000 links",
    () =>
      `<base href="//other.example/${fill("a/", 1_000_000)}">${each(90_000, (at) => `<a href=./${at}/../../x></a>`)}<a href=/c>`,
    { links: ["https://other.example/c"], dropped: 0 },
  ],
  [
    "90,000 spellings of one URL",
    () => `<base href="/${fill("a", 2_000)}/">${each(90_000, (at) => `<a href=/${at}/../x></a>`)}<a href=/c>`,
    { links: ["https://example.com/x", "https://example.com/c"], dropped: 0 },
  ],
  [
    "200,000 data attributes on one element",
    () => `<p ${each(200_000, (at) => `data-a${at}=/${at % 2} `)}>`,
    { links: ["https://example.com/0", "https://example.com/1"], dropped: 0 },
  ],
  [
    "five million words in a rel and in robots directives",
    () => `<a href=/c rel="${fill("a ", 5_000_000)}"><meta name=robots content="${fill("a ", 5_000_000)}">`,
    { links: ["https://example.com/c"], dropped: 0 },
  ],
];

test.each(PAGES)("%s", { timeout: 60_000 }, (_, html, expected) => {
  const written = html();
  const startedAt = performance.now();
  const { links, dropped } = extract(written);
  expect(performance.now() - startedAt).toBeLessThan(MOST_MS);
  expect({ links: links.map(({ url }) => url), dropped: dropped.count }).toEqual(expected);
});

test("the links of a page come to no more than what two Worker invocations can pass between them", () => {
  // Each character in the page becomes six in the URL.
  const { links, dropped } = extract(each(900, (at) => `<a href="/${at}${fill("é", 10_000)}"></a>`));
  const characters = links.reduce((sum, { url }) => sum + url.length, 0);
  expect(links.length + dropped.count).toBe(900);
  expect(characters).toBeGreaterThan(15_900_000);
  expect(characters).toBeLessThanOrEqual(16_000_000);
});
