import type { Crawl, CrawlUrl } from "../crawl/crawl.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import { type Format, partsOf } from "../crawl/page-format.ts";
import type { UrlStatus } from "../crawl/status.ts";
import type { Deps } from "../frontier/deps.ts";
import type { Reading } from "./read-formats.ts";
import { MOST_MADE, MOST_READ, READ_AT_ONCE, readRow } from "./read-row.ts";

/**
 * A part of all records of a crawl, one after the other and no more of them in memory than are needed. A request may only do so much, and
 * says where to go on before it sends its first byte: so the part's end is known when it begins.
 */

/** Of a part that reads no pages: queries within the 50 that Workers Free has, and, at 2,048 characters a URL, a sitemap within its 50 MB. */
export const MOST_ROWS = 20_000;
/** Of one query. */
const CHUNK = 1_000;
/** Bytes of the pages that are read at once: a page takes several times its bytes. */
const MAX_AT_ONCE = 4_000_000;

export interface PartRequest {
  /** The last URL of the part before. */
  cursor: string;
  status?: Exclude<UrlStatus, "pending"> | undefined;
  formats: readonly Format[];
  /** Leaves out assets. */
  pagesAlone: boolean;
}

export interface ExportPart {
  /** In the order of their URLs. */
  records: AsyncGenerator<FormattedRecord>;
  /** The cursor of the next part; null where this is the last. */
  next: string | null;
}

/** A crawl that goes on meanwhile may put more records into the part, and after it. */
export async function exportPart(crawl: Crawl, request: PartRequest, deps: Reading): Promise<ExportPart> {
  const next = await endOf(crawl, request, deps);
  const rows = rowsOf(crawl, { ...request, until: next }, deps);
  return { records: request.formats.length === 0 ? bare(rows) : withPages(crawl, rows, request.formats, deps), next };
}

async function endOf(
  crawl: Crawl,
  { cursor, status, formats, pagesAlone }: PartRequest,
  { ledger }: Reading,
): Promise<string | null> {
  const end = await ledger.endOfPage(crawl.id, {
    cursor,
    limit: MOST_ROWS,
    pagesAlone,
    ...(status ? { status } : {}),
  });
  if (formats.length === 0 || (status ?? "completed") !== "completed") return end;
  const isKept = partsOf(formats).every((part) => partsOf(crawl.options.formats).includes(part));
  const limit = isKept ? MOST_READ : MOST_MADE;
  return (await ledger.endOfPage(crawl.id, { cursor, until: end, limit, pagesAlone, status: "completed" })) ?? end;
}

async function* rowsOf(
  crawl: Crawl,
  { cursor, until, status, pagesAlone }: PartRequest & { until: string | null },
  { ledger }: Reading,
): AsyncGenerator<CrawlUrl> {
  for (let after = cursor; after !== until; ) {
    const page = { cursor: after, until, limit: CHUNK, pagesAlone, ...(status ? { status } : {}) };
    const rows = await ledger.recordsUntil(crawl.id, page);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHUNK) return;
    after = last.url;
  }
}

async function* bare(rows: AsyncGenerator<CrawlUrl>): AsyncGenerator<FormattedRecord> {
  for await (const record of rows) yield { record, formatted: {}, problem: null };
}

async function* withPages(
  crawl: Crawl,
  rows: AsyncGenerator<CrawlUrl>,
  formats: readonly Format[],
  deps: Reading,
): AsyncGenerator<FormattedRecord> {
  const reading = { ...deps, readContent: atMost(MOST_MADE, deps.readContent) };
  for await (const group of groups(rows)) {
    yield* await Promise.all(group.map((record) => readRow(crawl, record, formats, reading)));
  }
}

/** Of a crawl that keeps a format few pages come without it: those that are large, and those that are added while it is exported. */
function atMost(most: number, readContent: Deps["readContent"]): Deps["readContent"] {
  let made = 0;
  return async (...args) => {
    made += 1;
    if (made > most) throw new Error(`an answer makes ${most} pages at the most; ask for this one again`);
    return readContent(...args);
  };
}

async function* groups(rows: AsyncGenerator<CrawlUrl>): AsyncGenerator<CrawlUrl[]> {
  let group: CrawlUrl[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = row.bytes ?? 0;
    if (group.length === READ_AT_ONCE || (group.length > 0 && bytes + size > MAX_AT_ONCE)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
