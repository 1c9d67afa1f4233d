import type { Crawl } from "../crawl.ts";
import { PRICES } from "./usage.ts";

/**
 * What deleting a crawl costs on Cloudflare: D1 bills a deleted row as it bills a written one, and R2 deletes freely.
 */

/** Rows of a completed page besides its own: its entry in the index by content. */
const ROWS_PER_PAGE = 1;
/** Of a URL: its part of a list of those that finished together, where batches are full. */
const LISTS_PER_URL = 0.04;
/** Of a page with search: its text, the key of that, and a row in each of two indexes. */
const ROWS_PER_TEXT = 4;

/** In US dollars, at most. Local D1 counts about half of it, because it leaves out what indexes lose. docs/cost.md */
export function deletionUsd({ counters, options }: Pick<Crawl, "counters" | "options">): number {
  const { discovered, completed } = counters;
  const rows = discovered * (1 + LISTS_PER_URL) + completed * (ROWS_PER_PAGE + (options.search ? ROWS_PER_TEXT : 0));
  return (rows * PRICES.ledgerRowsWritten) / 1_000_000;
}
