import type { Crawl, CrawlUrl } from "../crawl/crawl.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import type { Format } from "../crawl/page-format.ts";
import { type Reading, readFormats } from "./read-formats.ts";

/** Reads a record with its page in the requested formats; and the limits of such reads in one request. */

/** Pages whose missing formats are made in one request, which may start 32 Worker invocations. */
export const MAX_MADE = 24;
/**
 * Records with formats in one request. Each usually takes two reads: its row, and its formats. It takes up to six when
 * some formats were made later (another object), the page itself is needed, or its body is in another record (a
 * revisit: a row and a record more). A request may make 1,000 reads on the free plan and 10,000 on the paid plan:
 * https://developers.cloudflare.com/workers/platform/limits/
 */
export const MAX_READ = 200;
/** A request may have six open connections; one is left for the ledger. */
export const READ_AT_ONCE = 5;

/**
 * An asset has no formats, unless the crawl describes it. A page that cannot be read has none either, and says why; the
 * other records are not affected.
 */
export async function readRow<Row extends CrawlUrl>(
  crawl: Crawl,
  record: Row,
  formats: readonly Format[],
  deps: Reading,
): Promise<FormattedRecord<Row> & { made: boolean }> {
  if (record.status !== "completed" || (record.kind === "asset" && record.media === null) || formats.length === 0)
    return { record, formatted: {}, metadata: null, problem: null, made: false };
  try {
    const page = await readFormats(crawl, record.url, formats, deps);
    if (page === null)
      return { record, formatted: {}, metadata: null, problem: "it is not in the mirror", made: false };
    return { record, ...page, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { record, formatted: {}, metadata: null, problem, made: true };
  }
}
