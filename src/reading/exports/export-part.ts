import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { type Format, partsOf } from "../../crawl/page/page-format.ts";
import type { WantedFields } from "../../crawl/page/row-fields.ts";
import type { UrlStatus } from "../../crawl/page/status.ts";
import type { PageReaders, Platform } from "../../frontier/deps.ts";
import { NoInvocationLeft } from "../../frontier/lane/invocations.ts";
import type { RecordsPart } from "../../store/records/records.ts";
import type { Reading } from "../records/read-formats.ts";
import { MAX_MADE, MAX_READ } from "../records/read-row.ts";
import { type RowsRequest, readRows as readPages } from "../records/read-rows.ts";
import { endOfRows, walkRows } from "../records/whole-rows.ts";

/**
 * Exports the records of a crawl as a stream: all of them, or a part. The work of one request is limited on Cloudflare.
 * The status and the cursor of the next part are sent before the first byte, so both are known when the stream begins.
 */

/**
 * Rows of a part without formats: within the 50 queries of Workers Free, and, at 2,048 characters a URL, the 50 MB of a
 * sitemap.
 */
const MAX_ROWS = 20_000;
const ROWS_PER_QUERY = 1_000;
/** Some 2 MB of an answer. */
const ROWS_PER_LONG_QUERY = 2_000;
/**
 * Rows of an answer with all records: 900 of the 1,000 queries that an invocation may make on Workers Paid. On Workers
 * Free, with 50, the answer breaks off after 100,000 rows. https://developers.cloudflare.com/d1/platform/limits/
 */
const MAX_WHOLE_ROWS = 1_800_000;
/** The same where rows are chosen by conditions: such rows take up to four queries each time. */
const MAX_CHOSEN_ROWS = 450_000;

export type ExportDeps = Reading & Pick<Platform, "limits">;

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

/** Records that follow each other in a file. */
export interface ExportRun {
  /** In the order of their URLs. */
  records: AsyncGenerator<FormattedRecord>;
  /** The URL before the first of them; null if there is none. */
  before: string | null;
  /** The cursor after the record of a URL. */
  cursorOf(url: string): string;
}

export interface ExportPart extends Pick<ExportRun, "records"> {
  /** The cursor of the next part; null in the last part. */
  next: string | null;
}

/** While the crawl is running, it may add records within the part and after it. */
export async function exportPart(crawl: Crawl, request: PartRequest, deps: ExportDeps): Promise<ExportPart> {
  const next = await endOf(crawl, request, deps);
  const rows = walkRows(crawl, { ...request, until: next, limit: ROWS_PER_QUERY }, deps);
  return { records: readRows(crawl, rows, request, deps), next };
}

/**
 * All records in one answer; null if that is more than one request may read on this platform. Rows are read as the
 * answer is, so its length does not matter for the memory.
 */
export async function exportWhole(
  crawl: Crawl,
  request: Omit<PartRequest, "cursor">,
  deps: ExportDeps,
): Promise<AsyncGenerator<FormattedRecord> | null> {
  if (isBounded(deps) && !(await fitsOneRequest(crawl, request, deps))) return null;
  return walkWhole(crawl, request, deps);
}

/** The same, whatever one request may read. */
export function walkWhole(
  crawl: Crawl,
  request: Omit<PartRequest, "cursor">,
  deps: ExportDeps,
): AsyncGenerator<FormattedRecord> {
  const rows = walkRows(crawl, { ...request, cursor: "", limit: ROWS_PER_LONG_QUERY }, deps);
  return readRows(crawl, rows, request, deps);
}

/** Whether the platform limits what one request may do: Cloudflare does, this machine does not. */
export function isBounded({ limits }: Pick<Platform, "limits">): boolean {
  return Number.isFinite(limits.invocations);
}

export async function fitsOneRequest(
  crawl: Crawl,
  { formats, status, only, label, minRelevance }: Omit<PartRequest, "cursor">,
  deps: ExportDeps,
): Promise<boolean> {
  const isChosen = [status, label, minRelevance].some((each) => each !== undefined) || only !== "all";
  if (crawl.counters.discovered > (isChosen ? MAX_CHOSEN_ROWS : MAX_WHOLE_ROWS)) return false;
  if (formats.length === 0 || (status ?? "completed") !== "completed") return true;
  const completed = { cursor: "", only, label, minRelevance, status: "completed" } as const;
  return (await endOfPages(crawl, completed, formats, deps)) === null;
}

/** Reads the pages of these rows in the formats, with these fields, as many at a time as a request may. */
export function readRows<Row extends CrawlUrl>(
  crawl: Crawl,
  rows: AsyncGenerator<Row>,
  request: Pick<PartRequest, "formats" | "fields">,
  deps: ExportDeps,
): AsyncGenerator<FormattedRecord<Row>> {
  return isOfRowsAlone(request) ? withoutPages(rows) : withPages(crawl, rows, request, deps);
}

function isOfRowsAlone({ formats, fields }: Pick<PartRequest, "formats" | "fields">): boolean {
  return formats.length === 0 && fields !== "all" && fields.length === 0;
}

/** The maximum number of pages of one part in these formats. */
export function maxPagesOf(crawl: Pick<Crawl, "options">, formats: readonly Format[]): number {
  if (formats.length === 0) return MAX_ROWS;
  return areStored(crawl, formats) ? MAX_READ : MAX_MADE;
}

/** The number of parts of an export at most, if all pages are chosen. */
export function countParts(
  { counters, options }: Crawl,
  { formats, only }: Pick<PartRequest, "formats" | "only">,
): number {
  const ofRows = Math.ceil((only === "all" ? counters.discovered : counters.completed) / MAX_ROWS);
  const ofPages = formats.length === 0 ? 0 : Math.ceil(counters.completed / maxPagesOf({ options }, formats));
  return 1 + Math.max(ofRows, ofPages);
}

function areStored(crawl: Pick<Crawl, "options">, formats: readonly Format[]): boolean {
  return partsOf(formats).every((part) => partsOf(crawl.options.formats).includes(part));
}

/**
 * The last of the pages that one request may read in these formats; null if it may read all. Even a crawl that stores
 * a format lacks it of large pages.
 */
async function endOfPages(
  crawl: Crawl,
  page: Omit<PartRequest, "formats" | "fields"> & { until?: string | null },
  formats: readonly Format[],
  deps: ExportDeps,
): Promise<string | null> {
  const end = await endOfRows(crawl, { ...page, limit: maxPagesOf(crawl, formats) }, deps);
  if (crawl.options.store === "files" || !areStored(crawl, formats) || partsOf(formats).length === 0) return end;
  const lacking = { ...page, until: end ?? page.until ?? null, limit: MAX_MADE, lacksContent: true };
  return (await endOfRows(crawl, lacking, deps)) ?? end;
}

async function endOf(
  crawl: Crawl,
  { cursor, status, formats, fields, only, label, minRelevance }: PartRequest,
  deps: ExportDeps,
): Promise<string | null> {
  const end = await endOfRows(crawl, { cursor, limit: MAX_ROWS, only, label, minRelevance, status }, deps);
  if (isOfRowsAlone({ formats, fields }) || (status ?? "completed") !== "completed") return end;
  const completed = { cursor, until: end, only, label, minRelevance, status: "completed" } as const;
  if (formats.length > 0) return (await endOfPages(crawl, completed, formats, deps)) ?? end;
  return (await endOfRows(crawl, { ...completed, limit: MAX_READ, hasLargeFields: true }, deps)) ?? end;
}

async function* withoutPages<Row extends CrawlUrl>(rows: AsyncGenerator<Row>): AsyncGenerator<FormattedRecord<Row>> {
  for await (const record of rows) yield { record, formatted: {}, metadata: null, problem: null };
}

async function* withPages<Row extends CrawlUrl>(
  crawl: Crawl,
  rows: AsyncGenerator<Row>,
  request: RowsRequest,
  deps: ExportDeps,
): AsyncGenerator<FormattedRecord<Row>> {
  const readContent = isBounded(deps) ? limitCalls(MAX_MADE, deps.readContent) : deps.readContent;
  for await (const group of readPages(crawl, rows, request, { ...deps, readContent })) yield* group;
}

/**
 * Pages that are added during the export may lack their formats too. An answer that cannot make them breaks off: a page
 * without its text would look like the whole. What it has made is stored, so the next answer makes the rest.
 */
function limitCalls(limit: number, readContent: PageReaders["readContent"]): PageReaders["readContent"] {
  let made = 0;
  return async (...args) => {
    made += 1;
    if (made > limit)
      throw new NoInvocationLeft(`one answer makes the formats of at most ${limit} pages; ask for it again`);
    return readContent(...args);
  };
}
