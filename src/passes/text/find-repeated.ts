import {
  type CountedLines,
  countedLines,
  findRepeated,
  type RepeatedText,
} from "../../changes/template/repeated-text.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { originOf } from "../../url/host-key.ts";
import { packJson, unpackJson } from "../gzip-json.ts";
import { type Listed, readRange } from "../list-rows.ts";
import { readPageContent } from "../page-content.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readTwins } from "./find-twins.ts";
import { MOST_PAGES, OriginSamples, type SampledPage } from "./sample-pages.ts";

/**
 * Finds the text that the pages of each origin repeat, from a sample of them. Objects `sampled-pages`, `lines-N`, and
 * `repeated`: a `RepeatedText` for each origin.
 */

/** An invocation may start 32 others, and a page whose formats are not kept needs one. */
const PAGES_PER_STEP = 24;
/** Their texts are in memory together. */
const READS_AT_ONCE = 2;
const CPU_MS_PER_ROW = 0.01;
const CPU_MS_PER_PAGE = 1;
const PARTS = ["text", "markdown"] as const;

export type RepeatedByOrigin = Record<string, RepeatedText>;

/** The number of steps of `findRepeatedText`; an estimate, as if all URLs were of one origin. */
export function countRepeatedSteps({ rows }: Listed): number {
  return 2 + Math.ceil(Math.min(rows, MOST_PAGES) / PAGES_PER_STEP);
}

/** After `findTwins`: a page under several URLs counts once. */
export async function findRepeatedText(run: PassRun, listed: Listed): Promise<void> {
  const stage = "Looking for repeated text";
  const pages = await run.step("sample", stage, (deps, order) => samplePages(listed, deps, order));
  const parts = Math.ceil(pages / PAGES_PER_STEP);
  for (let part = 0; part < parts; part++)
    await run.step(`lines ${part}`, stage, (deps, order) => readLines(part, deps, order));
  await run.step("repeated", stage, (deps, order) => joinLines(parts, deps, order));
}

async function samplePages({ ranges }: Listed, deps: PassDeps, order: PassOrder): Promise<number> {
  const samples = new OriginSamples();
  for (let range = 0; range < ranges; range++) {
    const rows = await readRange(range, deps, order);
    const twins = await readTwins(range, deps, order);
    for (const [at, { url, status, kind, contentType }] of rows.entries()) {
      // What a site repeats on its pages is not in its documents, and each would be read anew.
      const { isPage: isReadable, isHeavy } = kindOf(contentType ?? "");
      const isPage = status === "completed" && kind === "page" && isReadable && !isHeavy;
      if (isPage && !twins.has(at)) samples.add(originOf(url), url);
    }
    deps.meter.add({ cpuMs: rows.length * CPU_MS_PER_ROW });
  }
  const pages = samples.take();
  await deps.passObjects.put(order, "sampled-pages", packJson(pages));
  return pages.length;
}

async function readSampled({ passObjects }: PassDeps, order: PassOrder): Promise<SampledPage[]> {
  return unpackJson<SampledPage[]>(await passObjects.bytes(order, "sampled-pages"));
}

/** The lines of the pages of a step; null for a page that cannot be read. */
async function readLines(part: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const crawl = await deps.ledger.crawl(order.crawl);
  const first = part * PAGES_PER_STEP;
  const pages = crawl === null ? [] : (await readSampled(deps, order)).slice(first, first + PAGES_PER_STEP);
  const found: (CountedLines | null)[] = [];
  for (let from = 0; from < pages.length; from += READS_AT_ONCE) {
    const some = pages.slice(from, from + READS_AT_ONCE);
    found.push(...(await Promise.all(some.map(({ url }) => readPageLines(crawl as Crawl, url, deps)))));
  }
  await deps.passObjects.put(order, `lines-${part}`, packJson(found));
  return null;
}

async function readPageLines(crawl: Crawl, url: string, deps: PassDeps): Promise<CountedLines | null> {
  const read = await readPageContent(crawl, url, PARTS, deps);
  if (read === null) return null;
  deps.meter.add({ cpuMs: CPU_MS_PER_PAGE });
  const { text = "", markdown = "", metadata } = read.content;
  return countedLines({ text, markdown, headings: metadata.headings ?? [] });
}

/** The pages of an origin follow each other. */
async function joinLines(parts: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const pages = await readSampled(deps, order);
  const repeated: RepeatedByOrigin = {};
  let origin: string | null = null;
  let known: CountedLines[] = [];
  const settle = () => {
    if (origin !== null) repeated[origin] = findRepeated(known);
    known = [];
  };
  let at = 0;
  for (let part = 0; part < parts; part++) {
    const found = unpackJson<(CountedLines | null)[]>(await deps.passObjects.bytes(order, `lines-${part}`));
    for (const lines of found) {
      const page = pages[at++];
      if (page?.origin !== origin) settle();
      origin = page?.origin ?? null;
      if (lines !== null) known.push(lines);
    }
  }
  settle();
  await deps.passObjects.put(order, "repeated", packJson(repeated));
  deps.meter.add({ cpuMs: pages.length });
  return null;
}
