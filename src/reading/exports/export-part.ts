import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { type Format, partsOf } from "../../crawl/page/page-format.ts";
import type { WantedFields } from "../../crawl/page/row-fields.ts";
import type { UrlStatus } from "../../crawl/page/status.ts";
import type { PageReaders } from "../../frontier/deps.ts";
import type { RecordsPart } from "../../store/records/records.ts";
import { groupRows } from "../records/group-rows.ts";
import type { Reading } from "../records/read-formats.ts";
import { MAX_MADE, MAX_READ, readRow } from "../records/read-row.ts";

/**
 * Exports the records of a crawl in parts, as a stream. The work of one request is limited, and the cursor of the next
 * part is sent before the first byte, so the end of a part is known when it begins.
 */

/**
 * Rows of a part without formats: within the 50 queries of Workers Free, and, at 2,048 characters a URL, the 50 MB of a
 * sitemap.
 */
const MAX_ROWS = 20_000;
const ROWS_PER_QUERY = 1_000;
/** Some 2 MB of an answer. */
const ROWS_PER_LONG_QUERY = 2_000;

export interface PartRequest {
  /** The last URL of the previous part. */
  cursor: string;
  status?: Exclude<UrlStatus, "pending"> | undefined;
  formats: readonly Format[];
  /** Fields that are read even if they are in a pack. */
  fields: WantedFields;
  only: RecordsPart;
  /** Only pages with this label of a classification. */
  label?: string | undefined;
  /** Only pages at least so relevant to the crawl's subject. */
  minRelevance?: number | undefined;
}

export interface ExportPart {
  /** In the order of their URLs. */
  records: AsyncGenerator<FormattedRecord>;
  /** The cursor of the next part; null in the last part. */
  next: string | null;
}

/** While the crawl is running, it may add records within the part and after it. */
export async function exportPart(crawl: Crawl, request: PartRequest, deps: Reading): Promise<ExportPart> {
  const next = await endOf(crawl, request, deps);
  const rows = deps.records.walk(crawl.id, { ...request, until: next, limit: ROWS_PER_QUERY });
  return { records: readRows(crawl, rows, request, deps), next };
}

/**
 * All records of a crawl in the order of their URLs, for a file that cannot be joined of parts. A million rows are 500
 * queries, within the 1,000 of an invocation; Workers Free ends after 100,000 rows, and the answer breaks off there.
 */
export function exportAll(
  crawl: Crawl,
  { fields, ...query }: Pick<PartRequest, "status" | "label" | "minRelevance" | "fields">,
  deps: Omit<Reading, "template">,
): AsyncGenerator<FormattedRecord> {
  const rows = deps.records.walk(crawl.id, { cursor: "", ...query, limit: ROWS_PER_LONG_QUERY });
  return readRows(crawl, rows, { formats: [], fields }, { ...deps, template: null });
}

/** Reads the pages of these rows in the formats, with these fields, as many at a time as a request may. */
export function readRows<Row extends CrawlUrl>(
  crawl: Crawl,
  rows: AsyncGenerator<Row>,
  request: Pick<PartRequest, "formats" | "fields">,
  deps: Reading,
): AsyncGenerator<FormattedRecord<Row>> {
  return isOfRowsAlone(request) ? withoutPages(rows) : withPages(crawl, rows, request, deps);
}

function isOfRowsAlone({ formats, fields }: Pick<PartRequest, "formats" | "fields">): boolean {
  return formats.length === 0 && fields !== "all" && fields.length === 0;
}

/** The maximum number of pages of one part in these formats. */
export function maxPagesOf(crawl: Crawl, formats: readonly Format[]): number {
  if (formats.length === 0) return MAX_ROWS;
  const isStored = partsOf(formats).every((part) => partsOf(crawl.options.formats).includes(part));
  return isStored ? MAX_READ : MAX_MADE;
}

async function endOf(
  crawl: Crawl,
  { cursor, status, formats, fields, only, label, minRelevance }: PartRequest,
  deps: Reading,
): Promise<string | null> {
  const { records } = deps;
  const end = await records.endOfPage(crawl.id, { cursor, limit: MAX_ROWS, only, label, minRelevance, status });
  if (isOfRowsAlone({ formats, fields }) || (status ?? "completed") !== "completed") return end;
  const hasNoFormats = formats.length === 0;
  const limit = hasNoFormats ? MAX_READ : maxPagesOf(crawl, formats);
  const completed = { cursor, until: end, limit, only, label, minRelevance, status: "completed" } as const;
  const page = { ...completed, hasLargeFields: hasNoFormats };
  return (await records.endOfPage(crawl.id, page)) ?? end;
}

async function* withoutPages<Row extends CrawlUrl>(rows: AsyncGenerator<Row>): AsyncGenerator<FormattedRecord<Row>> {
  for await (const record of rows) yield { record, formatted: {}, metadata: null, problem: null };
}

async function* withPages<Row extends CrawlUrl>(
  crawl: Crawl,
  rows: AsyncGenerator<Row>,
  { formats, fields }: Pick<PartRequest, "formats" | "fields">,
  deps: Reading,
): AsyncGenerator<FormattedRecord<Row>> {
  const reading = { ...deps, readContent: limitCalls(MAX_MADE, deps.readContent) };
  for await (const group of groupRows(rows, fields)) {
    yield* await Promise.all(group.map((record) => readRow(crawl, record, formats, reading, fields)));
  }
}

/** Few pages lack a format that their crawl stores: large ones, and those that are added during the export. */
function limitCalls(limit: number, readContent: PageReaders["readContent"]): PageReaders["readContent"] {
  let made = 0;
  return async (...args) => {
    made += 1;
    if (made > limit)
      throw new Error(`one answer makes the formats of at most ${limit} pages; ask for this page again`);
    return readContent(...args);
  };
}
