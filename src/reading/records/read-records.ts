import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { RecordsQuery } from "../../crawl/page/records-query.ts";
import { compareRecords, cursorAfter } from "../../store/records/record-listing.ts";
import type { Reading } from "./read-formats.ts";
import { MAX_MADE, MAX_READ, READ_AT_ONCE } from "./read-row.ts";
import { readRows } from "./read-rows.ts";

/** Reads the records of a crawl with their pages in the requested formats, up to the limits of one answer. */

/** Cloudflare's own answers end at this size too. */
const MAX_ANSWER_CHARS = 10_000_000;

interface RecordsRequest extends RecordsQuery {
  formats: readonly Format[];
}

interface Records {
  records: FormattedRecord[];
  /** Null when there are no more records. */
  cursor: string | null;
}

/** Returns at least one record if there are any, however large. A page that cannot be read has no formats. */
export async function readRecords(
  crawl: Crawl,
  { formats, ...query }: RecordsRequest,
  deps: Reading,
): Promise<Records> {
  const limit = mostRecords(query.limit, formats);
  const rows = await listRows(crawl, { ...query, limit }, deps);
  const records = await readListed(crawl, rows, formats, deps);
  const last = records.at(-1);
  const isAll = records.length === rows.length && rows.length < limit;
  return { records, cursor: last === undefined || isAll ? null : cursorAfter(last.record, query) };
}

/** The records of all parts, in one order. */
async function listRows(crawl: Crawl, query: RecordsQuery, { records, parts }: Reading): Promise<CrawlUrl[]> {
  if (parts === undefined) return records.list(crawl.id, query);
  const lists = await Promise.all([...parts.values()].map((part) => part.deps.records.list(part.crawl.id, query)));
  return lists.flat().sort(compareRecords(query)).slice(0, query.limit);
}

/** The most records that one answer may have. */
export function mostRecords(limit: number, formats: readonly Format[]): number {
  return formats.length === 0 ? limit : Math.min(limit, MAX_READ);
}

/**
 * The first of these records with their pages, up to the limits of one answer; at least one, however large. `readers`:
 * how many share the limits.
 */
export async function readListed(
  crawl: Crawl,
  rows: readonly CrawlUrl[],
  formats: readonly Format[],
  deps: Reading,
  readers = 1,
): Promise<FormattedRecord[]> {
  const records: FormattedRecord[] = [];
  let room = MAX_ANSWER_CHARS / readers;
  let made = 0;
  for await (const group of readRows(crawl, rows, { formats, fields: "all" }, deps)) {
    for (const page of group) {
      room -= JSON.stringify(page.formatted).length + JSON.stringify(page.record).length;
      if (room < 0 && records.length > 0) return records;
      records.push(page);
      if (page.made) made += 1;
    }
    if (made + READ_AT_ONCE > MAX_MADE) return records;
  }
  return records;
}
