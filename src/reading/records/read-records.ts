import type { Crawl } from "../../crawl/crawl.ts";
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
  const limit = formats.length === 0 ? query.limit : Math.min(query.limit, MAX_READ);
  const rows = await deps.records.list(crawl.id, { ...query, limit });
  const cut = (read: FormattedRecord[]): Records => {
    const last = read.at(-1);
    return { records: read, cursor: last === undefined ? null : cursorAfter(last.record, query) };
  };
  const records: Records["records"] = [];
  let room = MAX_ANSWER_CHARS;
  let made = 0;
  const read = (record: (typeof rows)[number]) => readRow(crawl, record, formats, deps);
  for await (const group of groupRows(rows, "all")) {
    for (const page of await Promise.all(group.map(read))) {
      room -= JSON.stringify(page.formatted).length + JSON.stringify(page.record).length;
      if (room < 0 && records.length > 0) return cut(records);
      records.push(page);
      if (page.made) made += 1;
    }
    if (made + READ_AT_ONCE > MAX_MADE && records.length < rows.length) return cut(records);
  }
  return rows.length < limit ? { records, cursor: null } : cut(records);
}
