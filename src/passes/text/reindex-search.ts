import { cleanText } from "../../changes/template/clean-text.ts";
import { PRICES } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Deps } from "../../frontier/deps.ts";
import type { Listed } from "../list-rows.ts";
import type { PassRun } from "../pass-run.ts";

/**
 * Leaves the template of the crawl out of its search index: reads the texts that it has, and replaces those that become
 * shorter. A text without such lines is the same again, so nothing is written twice.
 */

/** Texts of a query, and their bytes: the answer is in memory several times. */
const TEXTS_PER_QUERY = 200;
const BYTES_PER_QUERY = 2_000_000;
/** Queries of a step: at most a minute of D1. */
const QUERIES_PER_STEP = 5;
const CPU_MS_PER_TEXT = 1;
/** Per page whose text changes: its row, and in each of two indexes the old words and the new ones. */
const ROWS_PER_PAGE = 5;

/** The number of indexed pages at most: assets are counted with them. */
export function countIndexed({ options, counters }: Pick<Crawl, "options" | "counters">): number {
  return options.search ? counters.completed : 0;
}

/** What it costs at most, in US dollars, to reindex so many pages. */
export function reindexUsd(pages: number): number {
  const perPage = ROWS_PER_PAGE * PRICES.ledgerRowsWritten + CPU_MS_PER_TEXT * PRICES.cpuMs;
  return (pages * perPage) / 1_000_000;
}

/** The number of steps of `reindexSearch`; an estimate. */
export function countReindexSteps({ rows }: Listed): number {
  return 1 + Math.ceil(rows / (TEXTS_PER_QUERY * QUERIES_PER_STEP));
}

/** After `learnInSteps`. */
export async function reindexSearch(run: PassRun): Promise<void> {
  for (let next: Place | null = { part: 0, after: "" }, turn = 0; next !== null; turn++) {
    const from: Place = next;
    next = await run.step(
      `reindex ${turn}`,
      "Leaving out of the search what pages have in common",
      async ({ parts }): Promise<Place | null> => {
        const { crawl: id = "", deps } = parts[from.part] ?? {};
        if (deps === undefined) return null;
        const crawl = await deps.ledger.crawl(id);
        const after = crawl === null ? null : await reindexSome(crawl, from.after, QUERIES_PER_STEP, deps);
        if (after !== null) return { part: from.part, after };
        // Then no heartbeat has to do it.
        await deps.crawlTemplates.noteSearched(id, "", null);
        return from.part + 1 < parts.length ? { part: from.part + 1, after: "" } : null;
      },
    );
  }
}

/** Where the reindexing of a pass goes on: the number of a part of its crawl, and the last URL. */
interface Place {
  part: number;
  after: string;
}

/** Takes the texts after the URL `from`. Returns the last URL; null if there are no more. */
export async function reindexSome(
  crawl: Crawl,
  from: string,
  queries: number,
  { reindexing, crawlTemplates, meter }: Pick<Deps, "reindexing" | "crawlTemplates" | "meter">,
): Promise<string | null> {
  const template = await crawlTemplates.open(crawl);
  if (template === null) return null;
  let after = from;
  for (let query = 0; query < queries; query++) {
    const texts = await reindexing.read(crawl.id, after, TEXTS_PER_QUERY, BYTES_PER_QUERY);
    const last = texts.at(-1);
    if (last === undefined) return null;
    const shorter = texts.flatMap((page) => {
      const own = template.of(page.url);
      const text = own === null ? page.text : cleanText(page.text, own).text;
      return text === page.text ? [] : [{ ...page, text }];
    });
    if (shorter.length > 0) await reindexing.replace(crawl.id, shorter);
    meter.add({ cpuMs: texts.length * CPU_MS_PER_TEXT });
    after = last.url;
  }
  return after;
}
