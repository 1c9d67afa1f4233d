import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { decodeHtml } from "../src/media/characters/charset.ts";
import { type BlockDifference, compareBlocks } from "../test/unit/media/html/structure/compare-blocks.ts";
import { compareMozillaPages } from "./mozilla-pages.ts";
import { halfOf } from "./page-sets.ts";

/**
 * Whether the Markdown of pages gives back the blocks of their content, each with its kind, its place in lists and
 * quotes, its text and its links:
 *
 *     npm run bench:structure -- --set FOLDER
 *
 * FOLDER is WCXB's or trafilatura's set (see text.ts), a manual, or a copy of mozilla/readability: of this, the blocks
 * of the content are compared with those that its test pages expect, beside Readability.
 */

const { values } = parseArgs({
  options: {
    set: { type: "string" },
    half: { type: "string" },
    page: { type: "string", default: "" },
    show: { type: "string", default: "3" },
  },
});
if (values.set === undefined)
  throw new Error("npm run bench:structure -- --set FOLDER [--half even|odd] [--page NAME] [--show BLOCKS]");
const shown = Number(values.show);
const mayCompare = (name: string) =>
  (values.half === undefined || halfOf(name) === values.half) && name.includes(values.page);
const mozilla = join(values.set, "test", "test-pages");
if (existsSync(mozilla)) compareMozillaPages(mozilla, mayCompare, shown);
else compareMarkdown(filesIn(values.set).filter((file) => mayCompare(basename(file))));

/** WCXB's test pages are left alone. */
function filesIn(folder: string): string[] {
  const pattern = existsSync(join(folder, "tests", "evaldata.json"))
    ? "tests/{cache,eval}/*"
    : existsSync(join(folder, "dev"))
      ? "dev/html/*.html.gz"
      : "**/*.{html,htm}";
  return globSync(join(folder, pattern)).sort();
}

function compareMarkdown(files: readonly string[]): void {
  const rows: { name: string; difference: BlockDifference }[] = [];
  for (const file of files) {
    const name = basename(file);
    const bytes = readFileSync(file);
    const { text } = decodeHtml(name.endsWith(".gz") ? gunzipSync(bytes) : bytes, "text/html");
    // A tree of this size becomes plain paragraphs.
    if (text.length > 5_000_000) continue;
    const difference = compareBlocks(text, "https://page.invalid/dir/page");
    rows.push({ name, difference });
    const { lost, invented } = difference;
    if (lost.length + invented.length === 0) continue;
    console.log(`${name} (${halfOf(name)} half): ${lost.length} lost, ${invented.length} invented`);
    for (const line of lost.slice(0, shown)) console.log(`  - ${line.slice(0, 300)}`);
    for (const line of invented.slice(0, shown)) console.log(`  + ${line.slice(0, 300)}`);
  }
  console.log(
    "| pages | how many | with a difference | blocks | lost | invented |\n| --- | --- | --- | --- | --- | --- |",
  );
  for (const half of ["all", "even", "odd"]) {
    const some = rows.filter(({ name }) => half === "all" || halfOf(name) === half).map(({ difference }) => difference);
    const sum = (count: (one: BlockDifference) => number) => some.reduce((total, one) => total + count(one), 0);
    const differing = some.filter(({ lost, invented }) => lost.length + invented.length > 0).length;
    const cells = [some.length, differing, sum(({ blocks }) => blocks), sum(({ lost }) => lost.length)];
    console.log(`| ${[half, ...cells, sum(({ invented }) => invented.length)].join(" | ")} |`);
  }
}
