import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { RecordsQuery } from "../../crawl/page/records-query.ts";
import { cursorAfter } from "../../store/records/record-listing.ts";
import { groupRows } from "./group-rows.ts";
import type { Reading } from "./read-formats.ts";
import { MAX_MADE, MAX_READ, READ_AT_ONCE, readRow } from "./read-row.ts";

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
  const rows = await deps.records.list(crawl.id, { ...query, limit });
  const records = await readListed(crawl, rows, formats, deps);
  const last = records.at(-1);
  const isAll = records.length === rows.length && rows.length < limit;
  return { records, cursor: last === undefined || isAll ? null : cursorAfter(last.record, query) };
}

/** The most records that one answer may have. */
export function mostRecords(limit: number, formats: readonly Format[]): number {
  return formats.length === 0 ? limit : Math.min(limit, MAX_READ);
}

/** The first of these records with their pages, up to the limits of one answer; at least one, however large. */
export async function readListed(
  crawl: Crawl,
  rows: readonly CrawlUrl[],
  formats: readonly Format[],
  deps: Reading,
): Promise<FormattedRecord[]> {
  const records: FormattedRecord[] = [];
  let room = MAX_ANSWER_CHARS;
  let made = 0;
  const read = (record: CrawlUrl) => readRow(crawl, record, formats, deps);
  for await (const group of groupRows(rows, "all")) {
    for (const page of await Promise.all(group.map(read))) {
      room -= JSON.stringify(page.formatted).length + JSON.stringify(page.record).length;
      if (room < 0 && records.length > 0) return records;
      records.push(page);
      if (page.made) made += 1;
    }
    if (made + READ_AT_ONCE > MAX_MADE) return records;
  }
  return records;
}
