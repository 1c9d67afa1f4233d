import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { KEPT_START, keptFieldsOf, type RowFields, type WantedFields } from "../../crawl/page/row-fields.ts";
import { NoInvocationLeft } from "../../frontier/lane/invocations.ts";
import { readFields } from "../../store/mirror/kept-fields.ts";
import { type Place, type Reading, readFormats } from "./read-formats.ts";

/** Reads a record with its page in the requested formats; and the limits of such reads in one request. */

/** Pages whose missing formats are made in one request, which may start 32 Worker invocations. */
export const MAX_MADE = 24;
/**
 * Records with formats, or with fields that are in a pack, in one request. Each usually takes one read: its formats.
 * It takes up to seven when some formats were made later (another object), the page itself is needed, its body is in
 * another record (a revisit: a row and a record more), or its fields are in a pack. A request may make 1,000 reads on
 * the free plan and 10,000 on the paid plan: https://developers.cloudflare.com/workers/platform/limits/
 */
export const MAX_READ = 200;
/** A request may have six open connections; one is left for the ledger. */
export const READ_AT_ONCE = 5;

/**
 * An asset has no formats, unless the crawl describes it. A page that cannot be read has none either, and says why;
 * the other records are not affected. `fields`: those that are read even if they are in a pack. `place`: that of the
 * page, if the caller has read it; if the page is not there any more, it is looked up anew.
 */
export async function readRow<Row extends CrawlUrl>(
  crawl: Crawl,
  row: Row,
  formats: readonly Format[],
  deps: Reading,
  fields: WantedFields = "all",
  place?: Place,
): Promise<FormattedRecord<Row> & { made: boolean }> {
  const { record, problem } = await readLargeFields(row, fields, crawl, deps);
  const read = await readPage(crawl, record, formats, deps, place);
  return { ...read, problem: read.problem ?? problem };
}

/** The size of fields that are in a pack, in characters; 0 if they are in the row, or not wanted. */
export function largeFieldsOf({ fields }: CrawlUrl, wanted: WantedFields): number {
  if (fields === null || !fields.startsWith(KEPT_START)) return 0;
  return keptFieldsOf(JSON.parse(fields) as RowFields, wanted)?.size ?? 0;
}

async function readLargeFields<Row extends CrawlUrl>(
  record: Row,
  wanted: WantedFields,
  crawl: Crawl,
  { packs }: Reading,
): Promise<{ record: Row; problem: string | null }> {
  if (record.fields === null || largeFieldsOf(record, wanted) === 0) return { record, problem: null };
  try {
    const { values, isGone } = await readFields(crawl.id, JSON.parse(record.fields) as RowFields, packs);
    const problem = isGone ? "its large fields are not in the mirror" : null;
    return { record: { ...record, fields: JSON.stringify(values) }, problem };
  } catch (error) {
    return { record, problem: error instanceof Error ? error.message : String(error) };
  }
}

async function readPage<Row extends CrawlUrl>(
  crawl: Crawl,
  record: Row,
  formats: readonly Format[],
  deps: Reading,
  place: Place | undefined,
): Promise<FormattedRecord<Row> & { made: boolean }> {
  if (record.status !== "completed" || (record.kind === "asset" && record.media === null) || formats.length === 0)
    return { record, formatted: {}, metadata: null, problem: null, made: false };
  try {
    const page =
      (await readFormats(crawl, record.url, formats, deps, place)) ??
      (place === undefined ? null : await readFormats(crawl, record.url, formats, deps));
    if (page === null)
      return { record, formatted: {}, metadata: null, problem: "it is not in the mirror", made: false };
    return { record, ...page, problem: null };
  } catch (error) {
    if (error instanceof NoInvocationLeft) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    return { record, formatted: {}, metadata: null, problem, made: true };
  }
}
