/** Rows of a crawl that a heartbeat reads: D1 takes some 10 ms for a thousand. */
const ROWS = { least: 500, most: 20_000 };

/** How many rows of a crawl a heartbeat reads where so many are wanted. */
export function rowsPerBeat(wanted: number): number {
  return Math.min(Math.max(Math.ceil(wanted), ROWS.least), ROWS.most);
}

/**
 * Packs of a watch at which a heartbeat looks. What names them is looked up in all rows of the watch, so they are many.
 */
export const PACKS_PER_BEAT = 10_000;
