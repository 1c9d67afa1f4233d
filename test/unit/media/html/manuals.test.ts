import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { contentOf, PAGE_URL } from "./make-content.ts";
import { compareBlocks } from "./structure/compare-blocks.ts";

/**
 * Each heading, each block of code and each table of a manual's pages survives, and its Markdown has the blocks of its
 * content and no others. The test reads the manuals that
 * Debian's packages install, or the folders that `MANUALS` names, with `:` between them. `MANUAL_PAGES` limits the
 * pages.
 */

const FOLDERS = (
  process.env.MANUALS ??
  "/usr/share/doc/git/html:/usr/share/doc/nodejs/api:/usr/share/debian-reference:/usr/share/doc/debian-handbook/html:" +
    "/usr/share/doc/valgrind/html:/usr/share/doc/libffi8/html:/usr/share/gtk-doc/html"
).split(":");
const MAX_PAGES = Number(process.env.MANUAL_PAGES ?? 25);
/** Characters. A larger page takes too long here. */
const MAX_LENGTH = 1_000_000;
/** What surrounds the content of these manuals. */
const SURROUNDINGS =
  "nav,footer,[role=navigation],.docnav,.navheader,.navfooter,.toc,#toc,#banner,table.nav,table.navigation,#column2,.header-container,#titlearea";

const PROSE = "A manual says in a few sentences, with commas, what its reader needs to know about a subject. ".repeat(
  2,
);
const sections = [..."pagination cookies modal menu related languages sidebar toc share footer".split(" ").entries()]
  .map(
    ([at, name]) => `<section id="${name}" class="${name}"><h2>The ${name}<a class=headerlink href="#${name}">¶</a></h2>
<p>${PROSE}</p><div class="highlight-c"><pre>${name}(${at});\n\n  return;</pre></div><h3 class="${name}">Values</h3>
<table><thead><tr><th>Name</th><th>Value</th></tr></thead><tr><td rowspan=2>${name}</td><td>${at}</td></tr><tr><td><code>x${at}</code></td></tr></table></section>`,
  )
  .join("");
const OWN_PAGES: [string, string][] = [
  "",
  "<meta name=generator content='Sphinx 7'>",
  "<meta property=og:type content=article>",
]
  .flatMap((head) =>
    [`<main>%</main>`, "<div class=document>%</div>", "<article>%</article>"].map((shape) => [head, shape] as const),
  )
  .map(([head, shape]) => [
    `${head} ${shape}`,
    `<html><head><title>Manual</title>${head}</head><body><nav><a href=/>Home</a></nav>${shape.replace("%", `<h1>Manual</h1>${sections}`)}</body></html>`,
  ]);

describe("a page made here", () => {
  test.each(OWN_PAGES)("%s", (_, html) => expect([...findLost(html), ...findChangedBlocks(html)]).toEqual([]));
});

const files = FOLDERS.filter((folder) => existsSync(folder)).flatMap(pagesIn);
const step = Math.max(1, files.length / MAX_PAGES);
const sample = Array.from({ length: Math.min(files.length, MAX_PAGES) }, (_, at) => files[Math.floor(at * step)] ?? "");

test.skipIf(files.length === 0)(
  files.length === 0
    ? "no manual is installed here: install git-doc, nodejs-doc or debian-handbook, or name folders in MANUALS"
    : `${sample.length} pages of the manuals that are installed here`,
  { timeout: 60_000 + 1_000 * sample.length },
  () => {
    const lost: [string, string[]][] = [];
    for (const file of sample) {
      const html = readFileSync(file, "utf8");
      const missing = html.length > MAX_LENGTH ? [] : [...findLost(html), ...findChangedBlocks(html)];
      if (missing.length > 0) lost.push([file, missing.slice(0, 5)]);
    }
    expect(lost).toEqual([]);
  },
);

function findChangedBlocks(html: string): string[] {
  const { lost, invented } = compareBlocks(html, PAGE_URL);
  return [...lost.map((line) => `lost: ${line}`), ...invented.map((line) => `invented: ${line}`)];
}

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The part of the DOM that is used here. */
interface Found {
  readonly localName: string;
  readonly textContent: string;
  remove(): void;
  closest(selectors: string): Found | null;
  querySelector(selectors: string): Found | null;
  querySelectorAll(selectors: string): Iterable<Found>;
}

const parse = (html: string) => parseHtml(html) as unknown as Found;

const BLOCKS = "p,li,dd,dt,div,pre,table,ul,ol,dl,blockquote,h1,h2,h3,h4,h5,h6";

/**
 * The headings, blocks of code and tables that the HTML or the Markdown of a page's content lacks. Markdown has a table
 * if it has the text of each cell.
 */
function findLost(html: string): string[] {
  const document = parse(html);
  // Buttons that copy the code.
  for (const button of document.querySelectorAll("button")) button.remove();
  const content = contentOf(html, ["html", "markdown"]);
  const main = document.querySelector("main,[role=main]") ?? document;
  const kept = partsOf(parse(content.html ?? ""));
  const markdown = simplify(content.markdown ?? "");
  // Tables may be HTML in Markdown.
  const withoutTags = simplify((content.markdown ?? "").replace(/<\/?[a-z][^>]*>/gi, ""));
  const headings = (content.markdown?.match(/^[ >]*#{1,6} .*$/gm) ?? []).map(simplify).join("\n");
  const lost: string[] = [];
  for (const { kind, text, pieces } of partsOf(main)) {
    const at = kept.findIndex((one) => one.kind === kind && one.text === text);
    if (at < 0) lost.push(`${kind} not in HTML: ${text.slice(0, 80)}`);
    else kept.splice(at, 1);
    const written = kind === "heading" ? [headings] : kind === "table" ? [markdown, withoutTags] : [markdown];
    for (const piece of pieces)
      if (!written.some((one) => one.includes(piece))) lost.push(`${kind} not in Markdown: ${piece.slice(0, 80)}`);
  }
  return lost;
}

/** `pieces`: the texts that Markdown must have. */
function partsOf(root: Found): { kind: string; text: string; pieces: string[] }[] {
  const parts: { kind: string; text: string; pieces: string[] }[] = [];
  for (const element of root.querySelectorAll("h1,h2,h3,h4,h5,h6,pre,table")) {
    const text = simplify(element.textContent);
    if (text === "" || element.closest(SURROUNDINGS) !== null) continue;
    const kind = /^h\d$/.test(element.localName) ? "heading" : element.localName;
    parts.push({ kind, text, pieces: kind === "table" ? cellsOf(element) : [text] });
  }
  return parts;
}

/** The texts of a table's cells, or of the blocks in them: between blocks Markdown has numbers and marks. */
function cellsOf(table: Found): string[] {
  const texts: string[] = [];
  for (const cell of table.querySelectorAll("td,th"))
    for (const block of [cell, ...cell.querySelectorAll("p,li,dd,dt,div")])
      if (block.querySelector(BLOCKS) === null) texts.push(simplify(block.textContent));
  return texts;
}

/** Letters and digits alone, without the targets and titles of links. */
function simplify(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)|&(?:#10|amp|gt|lt);|\]\((?:[^()"]|"[^"]*"|\([^()]*\))*\)/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}
