import type { Crawl, CrawlUrl } from "../crawl/crawl.ts";
import type { Format } from "../crawl/format.ts";
import type { ReadRecord } from "../crawl/read-record.ts";
import type { RecordsQuery } from "../crawl/records-query.ts";
import { cursorAfter } from "../store/record-listing.ts";
import type { Deps } from "./deps.ts";
import { readFormats } from "./read-formats.ts";

/** Records of a crawl with their pages in the formats asked for, as many as one answer holds. */

/** Of one answer, in characters of JSON; Cloudflare's is cut there too. */
const MAX_ANSWER = 10_000_000;
/** A request may start 32 Worker invocations, so it makes what is missing of so many pages. */
const MOST_MADE = 24;
/** With formats each record costs up to three reads, of which a request has 1,000: https://developers.cloudflare.com/workers/platform/limits/ */
const MOST_READ = 200;
/** Connections that a request may have open: six, with one left for the ledger. */
const AT_ONCE = 5;

export interface RecordsRequest extends RecordsQuery {
  formats: readonly Format[];
}

export interface Records {
  records: ReadRecord[];
  /** Null where there are no more. */
  cursor: string | null;
}

/** At least one record where there is any, however large; a page that cannot be read has no formats. */
export async function readRecords(
  crawl: Crawl,
  { formats, ...query }: RecordsRequest,
  deps: Pick<Deps, "ledger" | "mirror" | "readContent">,
): Promise<Records> {
  const most = formats.length === 0 ? query.limit : Math.min(query.limit, MOST_READ);
  const rows = await deps.ledger.records(crawl.id, { ...query, limit: most });
  const cut = (read: ReadRecord[]): Records => {
    const last = read.at(-1);
    return { records: read, cursor: last === undefined ? null : cursorAfter(last.record, query) };
  };
  const records: Records["records"] = [];
  let room = MAX_ANSWER;
  let made = 0;
  const read = async (record: CrawlUrl): Promise<ReadRecord & { made: boolean }> => {
    if (record.status !== "completed" || formats.length === 0)
      return { record, formatted: {}, problem: null, made: false };
    try {
      const page = await readFormats(crawl, record.url, formats, deps);
      if (page === null) return { record, formatted: {}, problem: "it is not in the mirror", made: false };
      return { record, ...page, problem: null };
    } catch (error) {
      // One page that cannot be read is no reason to keep the others back.
      return { record, formatted: {}, problem: error instanceof Error ? error.message : String(error), made: true };
    }
  };
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    for (const page of await Promise.all(rows.slice(at, at + AT_ONCE).map(read))) {
      room -= JSON.stringify(page.formatted).length + JSON.stringify(page.record).length;
      if (room < 0 && records.length > 0) return cut(records);
      records.push(page);
      if (page.made) made += 1;
    }
    if (made + AT_ONCE > MOST_MADE && records.length < rows.length) return cut(records);
  }
  return rows.length < most ? { records, cursor: null } : cut(records);
}
