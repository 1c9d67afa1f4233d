import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { settleContent } from "../src/media/html/article/settle-content.ts";
import { copyDocument } from "../src/media/html/tree/copy-document.ts";
import { parseHtml } from "../src/media/html/tree/linkedom.ts";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { differenceOf } from "../test/unit/media/html/structure/compare-blocks.ts";
import { treeLines } from "../test/unit/media/html/structure/tree-blocks.ts";
import { halfOf } from "./page-sets.ts";

/** Compares the blocks of our content, and of Readability's, with those that Mozilla's test pages expect. */

/** As Mozilla's own tests say. */
const PAGE_URL = "http://fakehost/test/page.html";

interface Shares {
  precision: number;
  recall: number;
  f: number;
}

interface Row {
  name: string;
  ours: Shares;
  readability: Shares;
}

/** `mayCompare`: by the name of a page. `shown`: blocks of a page that are printed. */
export function compareMozillaPages(folder: string, mayCompare: (name: string) => boolean, shown: number): void {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "expected.html")));
  for (const mode of ["strict", "fair"] as const) {
    const rows: Row[] = [];
    for (const name of names.sort()) {
      if (!mayCompare(name)) continue;
      const html = readFileSync(join(folder, name, "source.html"));
      const expected = blocksOf(readFileSync(join(folder, name, "expected.html"), "utf8"));
      const title = titleOf(join(folder, name, "expected-metadata.json"));
      const fair = (lines: readonly string[]) =>
        mode === "fair" ? lines.map(leveled).filter((line) => !isTitle(line, title)) : lines;
      const ours = fair(blocksOf(ourContent(html)));
      const readability = fair(blocksOf(readabilityContent(html)));
      rows.push({ name, ours: shares(fair(expected), ours), readability: shares(fair(expected), readability) });
      if (mode === "fair" && shown > 0) print(name, fair(expected), ours, rows.at(-1), shown);
    }
    console.log(
      mode === "strict"
        ? "\nBlocks as they are expected:"
        : "\nWithout the page's title and the languages of code, and with h1 as h2:",
    );
    printTable(rows);
  }
}

function print(
  name: string,
  expected: readonly string[],
  found: readonly string[],
  row: Row | undefined,
  shown: number,
) {
  const { lost, invented } = differenceOf(expected, found);
  if (lost.length + invented.length === 0) return;
  console.log(
    `${name} (${halfOf(name)} half): F ${row?.ours.f.toFixed(3)}, Readability ${row?.readability.f.toFixed(3)}`,
  );
  for (const line of lost.slice(0, shown)) console.log(`  - ${line.slice(0, 200)}`);
  for (const line of invented.slice(0, shown)) console.log(`  + ${line.slice(0, 200)}`);
}

function printTable(rows: readonly Row[]): void {
  const headings = ["pages", "how many", "precision", "recall", "F", "Readability's precision", "recall", "F"];
  console.log(`| ${headings.join(" | ")} |\n| ${headings.map(() => "---").join(" | ")} |`);
  for (const half of ["all", "even", "odd"]) {
    const some = rows.filter(({ name }) => half === "all" || halfOf(name) === half);
    if (some.length === 0) continue;
    const mean = (read: (row: Row) => number) =>
      (some.reduce((sum, row) => sum + read(row), 0) / some.length).toFixed(3);
    const figures = (["ours", "readability"] as const).flatMap((who) =>
      (["precision", "recall", "f"] as const).map((share) => mean((row) => row[who][share])),
    );
    console.log(`| ${[half, some.length, ...figures].join(" | ")} |`);
  }
}

/** The blocks of HTML, without the targets of links. */
function blocksOf(html: string): string[] {
  const root = copyDocument(parseHtml(`<html><body>${html}</body></html>`), { everything: true }).body;
  // Our HTML has no ids, so only the others would have footnotes.
  for (const element of root.getElementsByTagName("*")) element.removeAttribute("id");
  settleContent(root, PAGE_URL);
  return treeLines(root).map((line) => line.replace(/ -> .*$/, ""));
}

function ourContent(html: Uint8Array): string {
  const wanted = { agent: "bench", scriptLinks: false, requisites: false, obeyNoindex: false } as const;
  const facts = { url: PAGE_URL, contentType: "text/html; charset=utf-8", headers: [] };
  return readHtml(html, facts, { ...wanted, formats: ["html"] }).content?.html ?? "";
}

/** On a page that it cannot read it has nothing. Mozilla's tests keep one class. */
function readabilityContent(html: Uint8Array): string {
  try {
    const { document } = parseHTML(new TextDecoder().decode(html));
    return new Readability(document as unknown as Document, { classesToPreserve: ["caption"] }).parse()?.content ?? "";
  } catch {
    return "";
  }
}

function shares(expected: readonly string[], found: readonly string[]): Shares {
  const { lost, invented } = differenceOf(expected, found);
  const both = expected.length - lost.length;
  const precision = found.length === 0 ? 0 : (found.length - invented.length) / found.length;
  const recall = expected.length === 0 ? 1 : both / expected.length;
  return { precision, recall, f: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

function titleOf(file: string): string {
  return String(JSON.parse(readFileSync(file, "utf8")).title ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Readability makes every `h1` an `h2`, and takes the classes away that name the language of code. */
function leveled(line: string): string {
  return line.replace(/^((?:[^:]* > )?heading) 1:/, "$1 2:").replace(/^((?:[^:]* > )?code) [^:]+:/, "$1:");
}

/** Readability takes the page's own heading out, because a reader view shows the title above. */
function isTitle(line: string, title: string): boolean {
  const text = /^(?:[^:]* > )?heading 2: (.*)$/.exec(line)?.[1];
  return text !== undefined && text !== "" && (text === title || title.startsWith(text) || text.startsWith(title));
}
