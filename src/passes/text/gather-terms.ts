import { cleanMarkdown } from "../../changes/template/clean-markdown.ts";
import { cleanText } from "../../changes/template/clean-text.ts";
import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { OpenTemplate } from "../../crawl/page/crawl-template.ts";
import { partsOf } from "../../crawl/page/page-format.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { PagePlaces } from "../../store/mirror/page-places.ts";
import { countPageTerms, type PageTerms } from "../../topic/page-terms.ts";
import { type AnchorRuns, readAnchors } from "../links/read-anchors.ts";
import { type Listed, type ListedRow, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import { CPU_MS_PER_MADE, readPageContent } from "../page-content.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";

/**
 * Counts the terms of all completed pages. Objects `terms-N`, each with the pages of one step in the order of their
 * nodes: some 5 KB a page. A text comes from the search index if the crawl has one, or else from the content that the
 * crawl kept. Otherwise it is made again. What pages have in common is left out, as far as
 * that is known.
 */

/** An invocation may start 32 others, and a text that is not kept needs one. */
const MAX_MADE = 24;
/** Pages of a step: some 2 s of CPU time, and two reads each where the text is kept. */
const MAX_KEPT_READ = 400;
/** Bytes of indexed texts that are in memory at once. */
const MAX_TEXT_BYTES = 8_000_000;
/** Their texts are in memory together. */
const READS_AT_ONCE = 4;
/** Steps of a Workflow are limited to 10,000, and a page whose text is made takes a 24th of one. */
export const MAX_TERM_PAGES = 200_000;
const CPU_MS_PER_PAGE = 2;

/** A page and its terms. */
type TermedPage = [node: number, terms: PageTerms];

export interface TermParts {
  /** The number of objects. */
  parts: number;
  pages: number;
}

/** The number of steps of `gatherTerms`; an estimate. */
export function countTermSteps({ rows, ranges }: Listed, { options }: Pick<Crawl, "options">): number {
  const isKept = options.search || partsOf(options.formats).includes(keptPart(options));
  return ranges + Math.ceil(rows / (isKept ? MAX_KEPT_READ : MAX_MADE));
}

/** What a pass over texts costs at most, in milliseconds of CPU time, a page. */
export const TEXT_CPU_MS = CPU_MS_PER_MADE + 5 * CPU_MS_PER_PAGE;

/** `anchors`: null if the words of links are not needed. */
export async function gatherTerms(run: PassRun, { ranges }: Listed, anchors: AnchorRuns | null): Promise<TermParts> {
  let [parts, pages] = [0, 0];
  for (let range = 0; range < ranges; range++)
    for (let first: number | null = 0; first !== null; ) {
      const part = parts++;
      const from: number = first;
      const done: { next: number | null; pages: number } = await run.step(
        `terms ${part}`,
        "Reading the texts",
        (deps, order) => gatherPart(range, from, part, anchors, deps, order),
      );
      first = done.next;
      pages += done.pages;
      if (pages > MAX_TERM_PAGES)
        throw new PassEnded(`it takes ${MAX_TERM_PAGES.toLocaleString("en")} pages at most, and this crawl has more`);
    }
  return { parts, pages };
}

/** The rows of a range from `first` on. `next` is the place of the first row that is left; null if none is. */
async function gatherPart(
  range: number,
  first: number,
  part: number,
  anchors: AnchorRuns | null,
  deps: PassDeps,
  order: PassOrder,
): Promise<{ next: number | null; pages: number }> {
  const crawl = await deps.ledger.crawl(order.crawl);
  if (crawl === null) throw new PassEnded("the crawl is gone");
  const rows = await readRange(range, deps, order);
  const linked = anchors === null ? null : await readAnchors(range, anchors, deps, order);
  const wanted = [...rows.keys()].slice(first).filter((at) => isTextPage(rows[at] as ListedRow));
  const indexed = await readIndexed(crawl, rows, wanted, deps);
  const template = await deps.crawlTemplates.open(crawl);
  const urls = wanted
    .slice(0, indexed.most)
    .map((at) => (rows[at] as ListedRow).url)
    .filter((url) => !indexed.texts.has(url));
  const known = { indexed: indexed.texts, template, places: new PagePlaces(crawl.id, urls, deps) };
  const found: TermedPage[] = [];
  let made = 0;
  let done = 0;
  while (done < wanted.length && done < indexed.most && made + READS_AT_ONCE <= MAX_MADE) {
    const some = wanted.slice(done, Math.min(done + READS_AT_ONCE, indexed.most));
    const texts = await Promise.all(some.map((at) => readText(crawl, rows[at] as ListedRow, known, deps)));
    for (const [i, at] of some.entries()) {
      const { url, title } = rows[at] as ListedRow;
      const { text, isMade } = texts[i] as { text: string; isMade: boolean };
      const node = range * ROWS_PER_RANGE + at;
      if (isMade) made += 1;
      found.push([node, countPageTerms({ url, title, text, anchors: linked?.get(node) ?? [] })]);
    }
    done += some.length;
  }
  await deps.passObjects.put(order, `terms-${part}`, packJson(found));
  deps.meter.add({ cpuMs: found.length * CPU_MS_PER_PAGE });
  return { next: wanted[done] ?? null, pages: found.length };
}

function isTextPage({ status, kind, contentType }: ListedRow): boolean {
  return status === "completed" && kind === "page" && kindOf(contentType ?? "").isPage;
}

/** Texts of the search index by URL, and the number of the wanted rows for which they were looked up. */
async function readIndexed(crawl: Crawl, rows: readonly ListedRow[], wanted: readonly number[], deps: PassDeps) {
  const urlAt = (place: number) => rows[wanted[place] as number]?.url ?? "";
  const most = Math.min(wanted.length, MAX_KEPT_READ);
  if (!crawl.options.search || most === 0) return { texts: new Map<string, string>(), most };
  // The index is read from after a URL on.
  const found = await deps.reindexing.read(crawl.id, before(urlAt(0)), most, MAX_TEXT_BYTES);
  const texts = new Map(found.map(({ url, text }) => [url, text]));
  const last = found.at(-1)?.url;
  const isCut = last !== undefined && found.length < most && last < urlAt(most - 1);
  const places = wanted.slice(0, most).filter((at) => !isCut || (rows[at]?.url ?? "") <= last);
  return { texts, most: Math.max(1, places.length) };
}

/** A text that comes before this URL, and after all URLs before it: canonical URLs are of `!` to `~`. */
function before(url: string): string {
  return `${url.slice(0, -1)}${String.fromCharCode(url.charCodeAt(url.length - 1) - 1)}\x7f`;
}

interface KnownOfPages {
  indexed: ReadonlyMap<string, string>;
  template: Pick<OpenTemplate, "of"> | null;
  places: PagePlaces;
}

async function readText(
  crawl: Crawl,
  { url }: ListedRow,
  { indexed, template, places }: KnownOfPages,
  deps: PassDeps,
): Promise<{ text: string; isMade: boolean }> {
  const known = indexed.get(url);
  if (known !== undefined) return { text: known, isMade: false };
  const part = keptPart(crawl.options);
  const read = await readPageContent(crawl, url, [part], deps, await places.of(url));
  // A page that cannot be read has its URL, its title and the links to it.
  if (read === null) return { text: "", isMade: true };
  const { markdown = "", text = "", metadata } = read.content;
  const own = template?.of(url) ?? null;
  const isMade = read.isMade;
  if (part === "markdown")
    return { text: withoutTargets(own === null ? markdown : cleanMarkdown(markdown, own).text), isMade };
  return { text: own === null ? text : cleanText(text, own, metadata.headings ?? []).text, isMade };
}

/** Markdown is as good as text, where the crawl has kept it alone. */
function keptPart({ formats }: Pick<CrawlOptions, "formats">): "text" | "markdown" {
  const kept = partsOf(formats);
  return kept.includes("markdown") && !kept.includes("text") ? "markdown" : "text";
}

/** Markdown without the URLs of its links and images. */
function withoutTargets(markdown: string): string {
  return markdown.replace(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s"[^"]*")?\)/g, "] ");
}

export async function readTerms(part: number, { passObjects }: PassDeps, order: PassOrder): Promise<TermedPage[]> {
  return unpackJson<TermedPage[]>(await passObjects.bytes(order, `terms-${part}`));
}

/** The numbers of the objects that a step reads: some 5 s of CPU time for the largest ones. */
const PARTS_PER_STEP = 200;

/** Calls `work` for groups of the objects, with the number of the group, the first object and the end. */
export async function forPartGroups(
  { parts }: TermParts,
  work: (group: number, first: number, end: number) => Promise<unknown>,
): Promise<number> {
  const groups = Math.ceil(parts / PARTS_PER_STEP);
  for (let group = 0; group < groups; group++)
    await work(group, group * PARTS_PER_STEP, Math.min(parts, (group + 1) * PARTS_PER_STEP));
  return groups;
}
