import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { cleanMarkdown } from "../src/changes/template/clean-markdown.ts";
import { cleanerOf, sortLines, textOf } from "../src/changes/template/clean-text.ts";
import { countedLines, findRepeated, lineHash } from "../src/changes/template/repeated-text.ts";
import { maskedHash } from "../src/changes/template/template-hashes.ts";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { plainPages } from "../test/sites/plain-pages.ts";

/**
 * How much of the main text of pages is repeated, before and after cleaning, and what pages lose. By default: 50 pages
 * whose elements and class names say nothing, and the manuals of Debian's packages git-doc and debian-handbook.
 *
 *     npm run bench:clean
 */

interface Page {
  text: string;
  markdown: string;
  headings: readonly { text: string }[];
}

const MANUALS = [
  ["git-doc", "/usr/share/doc/git-doc", "*.html"],
  ["debian-handbook", "/usr/share/doc/debian-handbook/html/en-US", "*.html"],
] as const;
const GENERATED = 50;

function readPage(html: string | Uint8Array, url: string): Page {
  const body = typeof html === "string" ? new TextEncoder().encode(html) : html;
  const wanted = { agent: "bench", scriptLinks: false, requisites: false, obeyNoindex: false } as const;
  const { content } = readHtml(
    body,
    { url, contentType: "text/html; charset=utf-8", headers: [] },
    { ...wanted, formats: ["text", "markdown"] },
  );
  return { text: content?.text ?? "", markdown: content?.markdown ?? "", headings: content?.metadata.headings ?? [] };
}

function manual(folder: string, pattern: string): Page[] {
  const paths = globSync(`${folder}/${pattern}`).sort();
  return paths.map((path) => readPage(readFileSync(path), `https://bench.test/${relative(folder, path)}`));
}

/** The lines of a text with letters or digits. */
function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => lineHash(line) !== null);
}

/** On how many of the texts each line is, by a hash. */
function countPages(texts: readonly string[], hash: (line: string) => string | null): Map<string | null, number> {
  const pages = new Map<string | null, number>();
  for (const text of texts)
    for (const own of new Set(linesOf(text).map(hash))) pages.set(own, (pages.get(own) ?? 0) + 1);
  return pages;
}

/** The share of the characters that stand in lines of at least 30% and five of the pages before cleaning. */
function repeatedShare(before: readonly string[], after: readonly string[], hash: (line: string) => string | null) {
  const pages = countPages(before, hash);
  const least = Math.max(5, 0.3 * before.length);
  let [repeated, all] = [0, 0];
  for (const line of after.flatMap(linesOf)) {
    all += line.length;
    if ((pages.get(hash(line)) ?? 0) >= least) repeated += line.length;
  }
  return `${((100 * repeated) / all).toFixed(2)}%`;
}

function letters(text: string): string {
  return text.replace(/\]\([^)\s]*\)/g, "").replace(/[^\p{L}\p{N}]/gu, "");
}

function measure(name: string, pages: Page[]): void {
  const started = performance.now();
  const repeated = findRepeated(pages.map(countedLines));
  const cleaner = cleanerOf(repeated);
  const sorted = pages.map(({ text }) => sortLines(text, cleaner));
  const before = pages.map(({ text }) => text);
  const after = sorted.map((lines) => (lines.stays.every(Boolean) ? lines.lines.join("\n") : textOf(lines)));
  const markdown = pages.map((page, at) => cleanMarkdown(page.markdown, sorted[at] as (typeof sorted)[number]));
  const ms = (performance.now() - started) / pages.length;
  const count = countPages(before, lineHash);
  let [own, lost, lostInMarkdown] = [0, 0, 0];
  for (const [at, page] of pages.entries()) {
    const left = new Set((after[at] ?? "").split("\n"));
    const [whole, cleaned] = [letters(page.markdown), letters(markdown[at] ?? "")];
    for (const line of linesOf(page.text)) {
      if (count.get(lineHash(line)) !== 1) continue;
      own += 1;
      if (!left.has(line)) lost += 1;
      if (whole.includes(letters(line)) && !cleaned.includes(letters(line))) lostInMarkdown += 1;
    }
  }
  const parts = (texts: readonly string[], pattern: RegExp) =>
    texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  const markdowns = pages.map((page) => page.markdown);
  const kinds = { headings: /^#+ /gm, fences: /^[ >]*```\S*$/gm, rows: /^[ >]*\|/gm };
  console.log(`${name}: ${pages.length} pages, ${repeated.lines.length} repeated lines, ${ms.toFixed(2)} ms a page`);
  console.log(
    `  repeated part of the text: ${repeatedShare(before, before, lineHash)} before, ${repeatedShare(before, after, lineHash)} after`,
  );
  console.log(
    `  the same if numbers are masked: ${repeatedShare(before, before, maskedHash)} before, ${repeatedShare(before, after, maskedHash)} after`,
  );
  console.log(
    `  repeated part of the Markdown's lines: ${repeatedShare(markdowns, markdowns, lineHash)} before, ${repeatedShare(markdowns, markdown, lineHash)} after`,
  );
  console.log(`  lines that stand on one page alone: ${own}, lost ${lost} in text and ${lostInMarkdown} in Markdown`);
  for (const [kind, pattern] of Object.entries(kinds))
    console.log(`  ${kind} in Markdown: ${parts(markdowns, pattern)} before, ${parts(markdown, pattern)} after`);
  console.log(
    `  pages without text: ${after.filter((text) => text === "").length - before.filter((text) => text === "").length} more`,
  );
}

const generated = plainPages(GENERATED);
measure(
  "meaningless names",
  generated.map(({ html }, number) => readPage(html, `https://bench.test/${number}`)),
);
for (const [name, folder, pattern] of MANUALS) measure(name, manual(folder, pattern));
