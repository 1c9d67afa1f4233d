import { takeTurn } from "../../core/turns.ts";

/**
 * Reads the rows of a crawl in windows, for queries that may have to look at all of them. One statement over the
 * 400,000 URLs of a crawl takes seconds where they are read from a disk, and on this machine nothing else happens
 * meanwhile.
 */

/** Rows of the first window. Each window has four times as many rows as the one before it. */
const FIRST_ROWS = 1_000;
/** Rows of a window at most: a statement reads them in some 0.1 s. */
export const MOST_WINDOW_ROWS = 20_000;

/** Greater than all canonical URLs, which are ASCII. */
export const AFTER_ALL = "\x7f";

/** URLs greater than `above`, up to and including `upTo`. */
export interface UrlRange {
  above: string;
  upTo: string;
}

export const ALL_URLS: UrlRange = { above: "", upTo: AFTER_ALL };

/**
 * SQL: a row of crawl ?1 is in the window with the bounds ?2 and ?3. With an upper bound, SQLite does not read on to
 * the end of the crawl.
 */
export const IN_WINDOW = "crawl = ?1 AND url > ?2 AND url <= ?3";

/** The last URL of a window of ?4 rows; for one at the end of the range, the URL before it. */
const LAST = `SELECT url FROM urls WHERE ${IN_WINDOW} ORDER BY url LIMIT 1 OFFSET ?4 - 1`;
const BEFORE = `SELECT url FROM urls WHERE ${IN_WINDOW} ORDER BY url DESC LIMIT 1 OFFSET ?4`;

/** Reads each window of a range, in the order of URLs or from its end. A caller that has enough ends the loop. */
export async function* readInWindows<T>(
  db: D1Database,
  crawl: string,
  range: UrlRange,
  read: (window: UrlRange) => Promise<T>,
  isDescending = false,
): AsyncGenerator<T, void> {
  const bound = db.prepare(isDescending ? BEFORE : LAST);
  let left = range;
  for (let rows = FIRST_ROWS; ; rows = Math.min(4 * rows, MOST_WINDOW_ROWS)) {
    const { above, upTo } = left;
    const next = async () => {
      const end = await bound.bind(crawl, above, upTo, rows).first<string>("url");
      const window = end === null ? left : isDescending ? { above: end, upTo } : { above, upTo: end };
      return { end, found: await read(window) };
    };
    // A small crawl waits for nobody.
    const { end, found } = await (rows === FIRST_ROWS ? next() : takeTurn(next));
    yield found;
    if (end === null) return;
    left = isDescending ? { above, upTo: end } : { above: end, upTo };
  }
}
