import type { Crawl, CrawlUrl } from "../crawl/crawl.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import type { Format } from "../crawl/page-format.ts";
import { type Reading, readFormats } from "./read-formats.ts";

/** A record with its page in the formats asked for, and what reading pages costs a request. */

/** A request may start 32 Worker invocations, so it makes what is missing of so many pages. */
export const MOST_MADE = 24;
/**
 * With formats each record costs two reads as a rule, its row and what was made of it, and up to six: that is in two objects where more was
 * made later, the page itself is one, and a revisit's body has a row and a record of its own. Of reads a request has 1,000 on the free plan and
 * 10,000 on the paid: https://developers.cloudflare.com/workers/platform/limits/
 */
export const MOST_READ = 200;
/** Connections that a request may have open: six, with one left for the ledger. */
export const READ_AT_ONCE = 5;

/** An asset has none; a page that cannot be read has no formats, and says why: it is no reason to keep the others back. */
export async function readRow(
  crawl: Crawl,
  record: CrawlUrl,
  formats: readonly Format[],
  deps: Reading,
): Promise<FormattedRecord & { made: boolean }> {
  if (record.status !== "completed" || record.kind === "asset" || formats.length === 0)
    return { record, formatted: {}, problem: null, made: false };
  try {
    const page = await readFormats(crawl, record.url, formats, deps);
    if (page === null) return { record, formatted: {}, problem: "it is not in the mirror", made: false };
    return { record, ...page, problem: null };
  } catch (error) {
    return { record, formatted: {}, problem: error instanceof Error ? error.message : String(error), made: true };
  }
}
