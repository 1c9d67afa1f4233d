import { expect, test } from "vitest";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { cpuMsOf } from "../../cpu-time.ts";
import { contentOf } from "./make-content.ts";
import { readInIsolate } from "./read-in-isolate.ts";

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
  const ms = cpuMsOf(() => {
    const { links, dropped } = extract(written);
    expect({ links: links.map(({ url }) => url), dropped: dropped.count }).toEqual(expected);
  });
  expect(ms).toBeLessThan(MOST_MS);
});

test("the links of a page come to no more than what two Worker invocations can pass between them", () => {
  // Each character in the page becomes six in the URL.
  const { links, dropped } = extract(each(900, (at) => `<a href="/${at}${fill("é", 10_000)}"></a>`));
  const characters = links.reduce((sum, { url }) => sum + url.length, 0);
  expect(links.length + dropped.count).toBe(900);
  expect(characters).toBeGreaterThan(15_900_000);
  expect(characters).toBeLessThanOrEqual(16_000_000);
});

const WIDE_ROW = `<tr>${`<td colspan=50>${fill("x", 1_490)}`.repeat(4)}`;

test.each<[string, string]>([
  ["300 tables that repeat long cells", `<table>${WIDE_ROW}<tr><td>a<td>b</table>`.repeat(300)],
  ["24,000 rows in a table 200 cells wide", `<table>${WIDE_ROW}${"<tr><td>".repeat(24_000)}</table>`],
  [
    "500 rows below 20,000 cells of a thousand rows each",
    `<table><tr>${"<td rowspan=1000>x<td rowspan=1000>".repeat(10_000)}${"<tr><td>".repeat(500)}</table>`,
  ],
  ["a formula in 140 others", `<p>x${"<math>".repeat(140)}${fill("{", 10_000)}`],
])("%s: their content is not much longer than they are", { timeout: 60_000 }, (_, html) => {
  const { text = "", markdown = "" } = contentOf(html);
  expect(text.length).toBeLessThan(html.length + 1_000_000);
  expect(markdown.length).toBeLessThan(2 * html.length + 3_000_000);
});

test.each<[string, string]>([
  ["150,000 line ends in code", `<p>x<pre>a${"\n".repeat(150_000)}b</pre>`],
  ["150,000 ideographic spaces in a heading", `<h2>a${"\u3000".repeat(150_000)}b</h2><p>x`],
  ["150,000 spaces in code", `<p>x<pre>a${" ".repeat(150_000)}b</pre>`],
])("%s take linear time", { timeout: 240_000 }, (_, html) => {
  expect(cpuMsOf(() => contentOf(html))).toBeLessThan(MOST_MS);
});

/** The beginnings of the pages, and what follows in each of them. */
type Pages = Parameters<typeof readInIsolate>;

test.each<[string, () => Pages]>([
  [
    "1,600 tables that repeat long cells",
    () => [[""], `<table>${WIDE_ROW}<tr><td>a<td>b</table>`.repeat(1_600), { formats: ["text"] }],
  ],
  [
    "4 MB of text in 70 headings",
    () => [[`${"<h3><div>x".repeat(70)}`], fill("word ", 4_000_000), { formats: ["text"] }],
  ],
  [
    "4 MB of text in 140 blocks of code",
    () => [["<pre>x".repeat(140)], fill("word ", 4_000_000), { formats: ["html"] }],
  ],
  [
    "an image with a text of 6 MB in 40 tables with code",
    () => [
      ["<table><tr><th>a<th>b<tr><td>c<td>".repeat(40)],
      `<pre>x</pre><img src=x alt="${fill("abcd", 6_000_000)}">${"</table>".repeat(40)}`,
      { formats: ["markdown"] },
    ],
  ],
  ["a class of two million words", () => [[""], `<div class="${fill("a ", 4_000_000)}"><a href=/x>x</a>`, {}]],
  [
    "a query of a million letters that are not ASCII",
    () => [[""], `<meta charset=windows-1251><a href="?${fill("я", 1_000_000)}">x</a>`, { formats: null }],
  ],
  [
    "150 pages of a megabyte that each have a class",
    () => [each(150, (at) => `<div class="post-${at} hentry">|`).split("|"), `<!--${fill("x", 1_000_000)}-->`, {}],
  ],
  [
    "150 pages of a megabyte that each have a link to another site",
    () => [
      each(150, (at) => `<a href=https://other.example/${at}>x</a>|`).split("|"),
      `<!--${fill("x", 1_000_000)}-->`,
      {},
    ],
  ],
])("%s fit into an isolate", { timeout: 120_000 }, async (_, pages) => {
  await expect(readInIsolate(...pages())).resolves.toBeGreaterThanOrEqual(0);
});
