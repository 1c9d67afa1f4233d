import { type Cleaner, cleanerOf, cleanText } from "../../changes/template/clean-text.ts";
import { PRICES } from "../../crawl/bounds/usage.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { originOf } from "../../url/host-key.ts";
import { unpackJson } from "../gzip-json.ts";
import type { Listed } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import type { RepeatedByOrigin } from "./find-repeated.ts";

/**
 * Leaves repeated text out of the search index: reads the texts that it has, and replaces those that become shorter. A
 * text without repeated lines is the same again, so nothing is written twice.
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

/** After `findRepeatedText`. */
export async function reindexSearch(run: PassRun): Promise<void> {
  for (let after: string | null = "", part = 0; after !== null; part++) {
    const from: string = after;
    after = await run.step(`reindex ${part}`, "Leaving repeated text out of the search", (deps, order) =>
      reindexSome(from, deps, order),
    );
  }
}

/** Returns the last URL; null if there are no more. */
async function reindexSome(from: string, deps: PassDeps, order: PassOrder): Promise<string | null> {
  const { reindexing, passObjects, meter } = deps;
  const repeated = unpackJson<RepeatedByOrigin>(await passObjects.bytes(order, "repeated"));
  const cleaners = new Map<string, Cleaner>();
  const cleanerAt = (origin: string): Cleaner | null => {
    const of = repeated[origin];
    if (of !== undefined && !cleaners.has(origin)) cleaners.set(origin, cleanerOf(of));
    return cleaners.get(origin) ?? null;
  };
  let after = from;
  for (let query = 0; query < QUERIES_PER_STEP; query++) {
    const texts = await reindexing.read(order.crawl, after, TEXTS_PER_QUERY, BYTES_PER_QUERY);
    const last = texts.at(-1);
    if (last === undefined) return null;
    const shorter = texts.flatMap((page) => {
      const cleaner = cleanerAt(originOf(page.url));
      const text = cleaner === null ? page.text : cleanText(page.text, cleaner);
      return text === page.text ? [] : [{ ...page, text }];
    });
    if (shorter.length > 0) await reindexing.replace(order.crawl, shorter);
    meter.add({ cpuMs: texts.length * CPU_MS_PER_TEXT });
    after = last.url;
  }
  return after;
}
