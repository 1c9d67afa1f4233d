import type { CrawlUrl } from "../../crawl/crawl.ts";
import type { FinalStatus } from "../../crawl/page/status.ts";
import { LISTED_MARKS } from "../ledger/contents.ts";
import { URL_COLUMNS } from "../ledger/fact-columns.ts";
import { AFTER_ALL, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";
import { BadCursor } from "./record-listing.ts";

/**
 * The URLs of a crawl in the order in which they finished. Each transaction that finishes URLs lists them, under its
 * number among those of the crawl, and writes this number into their rows. So a URL that finishes a second time, after
 * a retry, is read where it finished last. URLs that an earlier version has finished are in no list: they come when the
 * crawl has ended, in the order of their URLs.
 */

/** The number of the last transaction of crawl ?1 that finished URLs; 0 if there is none. */
const LAST = "coalesce((SELECT max(seq) FROM finished WHERE crawl = ?1), 0)";

/** The number that the rows of the present transaction get. It runs after the statement that lists them. */
export const FINISHED_IN = `(SELECT ${LAST})`;

/** URLs of one list: the most that end together without a fetch. A row of D1 has at most 2 MB. */
const PART = 100;

/**
 * Lists the URLs that the outcomes of ?2 will finish, and the contents that they bring (ledger/contents.ts). Runs
 * before the statement that settles them.
 */
export const LIST_OUTCOMES = `
INSERT INTO finished (crawl, seq, part, urls, digests)
SELECT ?1, ${LAST} + 1, 0, json_group_array(j.value ->> 'url' ORDER BY j.key), ${LISTED_MARKS}
FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE u.status = 'queued' AND j.value ->> 'status' <> 'queued' HAVING count(*) > 0
RETURNING seq`;

/** Lists the URLs that a query gives. Runs before the statement that finishes them. */
export const listFinishing = (query: string) => `
INSERT INTO finished (crawl, seq, part, urls)
SELECT ?1, ${LAST} + 1, n / ${PART}, json_group_array(url ORDER BY n)
FROM (SELECT url, row_number() OVER () - 1 AS n FROM (${query})) GROUP BY n / ${PART}`;

/** How far a reader is: what it reads next. */
interface Place {
  seq: number;
  part: number;
  place: number;
}

interface Position extends Place {
  /** The last URL that was in no list. */
  unlisted: string;
}

/** A URL, and the cursor of what comes after it. */
export interface FinishedUrl {
  record: CrawlUrl;
  cursor: string;
}

export interface FinishedUrls {
  urls: FinishedUrl[];
  /** After all of them. */
  cursor: string;
  /** Whether this is all that has finished by now. */
  isAll: boolean;
}

export interface FinishedQuery {
  /** Empty for the beginning. */
  cursor: string;
  limit: number;
  status?: FinalStatus | undefined;
}

/** Lists that one statement reads: at most as many rows as a window of row-windows.ts has. Statements of one answer. */
const WINDOW = 200;
const MOST_WINDOWS = 10;

const LISTS = `
SELECT seq, part, urls FROM finished WHERE crawl = ?1 AND (seq, part) >= (?2, ?3) ORDER BY seq, part LIMIT ${WINDOW}`;

const END = `SELECT seq, part, count(*) OVER () AS lists FROM (${LISTS}) ORDER BY seq DESC, part DESC LIMIT 1`;

const LISTED = `
SELECT f.seq, f.part, j.key AS place, ${URL_COLUMNS}
FROM (${LISTS}) f CROSS JOIN json_each(f.urls) j CROSS JOIN urls ON urls.crawl = ?1 AND urls.url = j.value
WHERE (f.seq, f.part, j.key) >= (?2, ?3, ?4) AND urls.finished_in = f.seq AND (?5 IS NULL OR urls.status = ?5)
ORDER BY f.seq, f.part, j.key LIMIT ?6`;

const UNLISTED = `
SELECT ${URL_COLUMNS} FROM urls
WHERE ${IN_WINDOW} AND finished_in IS NULL AND status NOT IN ('pending', 'queued', 'held') AND (?4 IS NULL OR status = ?4)
ORDER BY url LIMIT ?5`;

/** Reads on from the cursor. `hasEnded`: whether no URL of the crawl was open before. Throws BadCursor. */
export async function listFinished(
  db: D1Database,
  crawl: string,
  { cursor, limit, status }: FinishedQuery,
  hasEnded: boolean,
): Promise<FinishedUrls> {
  let at = readPosition(cursor);
  const urls: FinishedUrl[] = [];
  for (let windows = 0, isAll = false; !isAll; windows++) {
    if (urls.length === limit || windows === MOST_WINDOWS) return { urls, cursor: writePosition(at), isAll };
    const left = limit - urls.length;
    const [ends, rows] = (await db.batch([
      db.prepare(END).bind(crawl, at.seq, at.part),
      db.prepare(LISTED).bind(crawl, at.seq, at.part, at.place, status ?? null, left),
    ])) as [D1Result<{ seq: number; part: number; lists: number }>, D1Result<CrawlUrl & Place>];
    for (const { seq, part, place, ...record } of rows.results) {
      at = { ...at, seq, part, place: place + 1 };
      urls.push({ record, cursor: writePosition(at) });
    }
    if (rows.results.length === left) continue;
    const [end] = ends.results;
    if (end !== undefined) at = { ...at, seq: end.seq, part: end.part + 1, place: 0 };
    isAll = (end?.lists ?? 0) < WINDOW;
  }
  if (!hasEnded) return { urls, cursor: writePosition(at), isAll: true };
  const range = { above: at.unlisted, upTo: AFTER_ALL };
  const read = async ({ above, upTo }: UrlRange) =>
    (
      await db
        .prepare(UNLISTED)
        .bind(crawl, above, upTo, status ?? null, limit - urls.length)
        .all<CrawlUrl>()
    ).results;
  for await (const rows of readInWindows(db, crawl, range, read)) {
    for (const record of rows) {
      at = { ...at, unlisted: record.url };
      urls.push({ record, cursor: writePosition(at) });
    }
    if (urls.length >= limit) return { urls, cursor: writePosition(at), isAll: false };
  }
  return { urls, cursor: writePosition({ ...at, unlisted: AFTER_ALL }), isAll: true };
}

function writePosition({ seq, part, place, unlisted }: Position): string {
  return `${seq}.${part}.${place}${unlisted === "" ? "" : `.${unlisted}`}`;
}

function readPosition(cursor: string): Position {
  if (cursor === "") return { seq: 1, part: 0, place: 0, unlisted: "" };
  const [, seq, part, place, unlisted = ""] = /^(\d{1,12})\.(\d{1,6})\.(\d{1,9})(?:\.(.+))?$/.exec(cursor) ?? [];
  if (seq === undefined) throw new BadCursor("cursor: it is not one that an answer of this list gave");
  return { seq: Number(seq), part: Number(part), place: Number(place), unlisted };
}
