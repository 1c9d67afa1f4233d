import { parseArgs } from "node:util";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { halfOf, type SetPage } from "./page-sets.ts";
import { isTrafilatura, readSet, type TextPage, type Truth } from "./text-sets.ts";

/**
 * How much of the main text of pages is in our text, and how much else, beside Mozilla's Readability:
 *
 *     npm run bench:text -- --set FOLDER
 *
 * FOLDER is a copy of a set (text-sets.ts), which you fetch.
 */

/** What an extractor got right. Each has a unit of its set: words, or sentences. */
interface Score {
  /** Of the wanted, how many are found, and how many there are. */
  found: number;
  wanted: number;
  /** What is there and not wanted. */
  surplus: number;
}

/** The shares of a set are means over pages where each page counts as much as another, and sums otherwise. */
type Averaging = "by page" | "by unit";

const { values } = parseArgs({
  options: { set: { type: "string" }, worst: { type: "string", default: "20" }, half: { type: "string" } },
});
if (values.set === undefined) throw new Error("npm run bench:text -- --set FOLDER [--worst N] [--half even|odd]");
const averaging: Averaging = isTrafilatura(values.set) ? "by unit" : "by page";
const pages = readSet(values.set, values.half);

/** Compares a text with what people have marked: word by word, or by the sentences that it has. */
function scoreOf(text: string, truth: Truth): Score {
  if (!("text" in truth))
    return {
      found: truth.wanted.filter((sentence) => text.includes(sentence)).length,
      wanted: truth.wanted.length,
      surplus: truth.unwanted.filter((sentence) => text.includes(sentence)).length,
    };
  const wanted = wordsOf(truth.text);
  const found = wordsOf(text);
  let both = 0;
  for (const [word, times] of found) both += Math.min(times, wanted.get(word) ?? 0);
  return { found: both, wanted: sum(wanted), surplus: sum(found) - both };
}

/** The words as WCXB's own script counts them. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+/gu)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

function ourText({ html, url }: SetPage): string {
  const wanted = { agent: "bench", scriptLinks: false, requisites: false, obeyNoindex: false } as const;
  const facts = { url, contentType: "text/html", headers: [] };
  return readHtml(html, facts, { ...wanted, formats: ["text"] }).content?.text ?? "";
}

/** On a page that it cannot read it has no text. */
function readabilityText({ html }: SetPage): string {
  try {
    const { document } = parseHTML(new TextDecoder().decode(html));
    return new Readability(document as unknown as Document).parse()?.textContent ?? "";
  } catch {
    return "";
  }
}

interface Shares {
  precision: number;
  recall: number;
  f: number;
}

function sharesOf({ found, wanted, surplus }: Score): Shares {
  const precision = found === 0 ? 0 : found / (found + surplus);
  const recall = wanted === 0 ? 1 : found / wanted;
  return { precision, recall, f: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

function average(scores: readonly Score[]): Shares {
  if (averaging === "by unit") {
    const total = { found: 0, wanted: 0, surplus: 0 };
    for (const { found, wanted, surplus } of scores) {
      total.found += found;
      total.wanted += wanted;
      total.surplus += surplus;
    }
    return sharesOf(total);
  }
  const shares = scores.map(sharesOf);
  const mean = (of: keyof Shares) => shares.reduce((total, each) => total + each[of], 0) / Math.max(1, shares.length);
  return { precision: mean("precision"), recall: mean("recall"), f: mean("f") };
}

interface Row {
  page: TextPage;
  ours: Score;
  readability: Score;
}

const rows: Row[] = pages.map((page) => ({
  page,
  ours: scoreOf(ourText(page), page.truth),
  readability: scoreOf(readabilityText(page), page.truth),
}));

const HEADINGS = ["pages", "how many", "precision", "recall", "F", "Readability's precision", "recall", "F"];
console.log(`| ${HEADINGS.join(" | ")} |\n| ${HEADINGS.map(() => "---").join(" | ")} |`);
function print(name: string, some: readonly Row[]): void {
  if (some.length === 0) return;
  const figures = [average(some.map(({ ours }) => ours)), average(some.map(({ readability }) => readability))];
  const cells = figures.flatMap(({ precision, recall, f }) => [precision, recall, f].map((share) => share.toFixed(3)));
  console.log(`| ${[name, some.length, ...cells].join(" | ")} |`);
}
print("all", rows);
for (const half of ["even", "odd"])
  print(
    `${half} half`,
    rows.filter(({ page }) => halfOf(page.name) === half),
  );
const byType = Map.groupBy(rows, ({ page }) => page.type);
if (byType.size > 1)
  for (const [type, some] of byType) {
    print(type, some);
    for (const half of ["even", "odd"])
      print(
        `${type}, ${half}`,
        some.filter(({ page }) => halfOf(page.name) === half),
      );
  }

const worst = rows
  .filter(({ page }) => halfOf(page.name) === "even")
  .toSorted((a, b) => sharesOf(a.ours).f - sharesOf(b.ours).f)
  .slice(0, Number(values.worst));
console.log("\nThe worst pages of the even half:");
for (const { page, ours } of worst) {
  const { precision, recall } = sharesOf(ours);
  console.log(
    `${page.name} (${page.type}): precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}, ${page.url}`,
  );
}
