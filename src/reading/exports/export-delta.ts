import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { DeltaPlace, DeltaRecord } from "../../crawl/watch/delta.ts";
import type { Changes } from "../../store/watches/changes.ts";
import { MAX_READ } from "../records/read-row.ts";
import { type ExportDeps, exportPart, maxPagesOf, readRows } from "./export-part.ts";

/**
 * Exports what became of a watch's pages since a cursor, for an index that follows it: each page once, as it is now.
 * Without a cursor it exports all completed pages. It comes in parts, as any export.
 *
 * A commit numbers its changes in the transaction that changes their rows. So a delta that ends with a number has all
 * changes up to it, and the next one begins after it. A page that changes while it is exported is told again by the
 * next delta.
 */

/** Changes of one query: D1 takes some 10 ms for a thousand rows. */
const CHANGES_PER_QUERY = 1_000;

export interface DeltaRequest {
  /** The last change that the reader knows; null for a full export. */
  since: number | null;
  /** Where this part begins; null for the first part. */
  place: Pick<DeltaPlace, "until" | "after"> | null;
  formats: readonly Format[];
  /** Whether earlier versions of the pages are read too. */
  of: "pages" | "chunks";
}

type DeltaDeps = ExportDeps & { changes: Changes };

/** Pages of which a former version is read as well. */
const READINGS_OF_CHUNKS = 2;

export interface DeltaPart {
  records: AsyncGenerator<FormattedRecord<DeltaRecord>>;
  /** Null in the last part. */
  next: Pick<DeltaPlace, "until" | "after"> | null;
  until: number;
}

/** `crawl`: as it was read before this call. A part covers as many changes as an export has pages in a part. */
export async function exportDelta(
  crawl: Crawl,
  { since, place, formats, of }: DeltaRequest,
  deps: DeltaDeps,
): Promise<DeltaPart> {
  const { after } = place ?? { after: since === null ? "" : String(since) };
  const until = Math.min(place?.until ?? crawl.changes, crawl.changes);
  const fields = of === "pages" ? ("all" as const) : [];
  if (since === null) {
    const request = { cursor: after, status: "completed" as const, formats, fields, only: "pages" as const };
    const { records, next } = await exportPart(crawl, request, deps);
    return { records: asAdded(records), next: next === null ? null : { until, after: next }, until };
  }
  const readings = of === "chunks" ? READINGS_OF_CHUNKS : 1;
  const most = Math.floor(maxPagesOf(crawl, formats) / readings);
  const last = Math.min(until, Number(after) + most);
  const range = { after: Number(after), until: last };
  const end = formats.length > 0 ? last : ((await deps.changes.endOfLargeFields(crawl.id, range, MAX_READ)) ?? last);
  const rows = rowsOf(crawl, { since, after: Number(after), until: end }, deps);
  const next = end < until ? { until, after: String(end) } : null;
  return { records: readRows(crawl, rows, { formats, fields }, deps), next, until };
}

/** The records of this part and of all that follow. All end with the same change. */
export async function* wholeDelta(
  crawl: Crawl,
  request: Omit<DeltaRequest, "place">,
  first: DeltaPart,
  deps: DeltaDeps,
): AsyncGenerator<FormattedRecord<DeltaRecord>> {
  let part = first;
  yield* part.records;
  while (part.next !== null) {
    part = await exportDelta(crawl, { ...request, place: part.next }, deps);
    yield* part.records;
  }
}

async function* rowsOf(
  { id }: Crawl,
  { since, after, until }: { since: number; after: number; until: number },
  { changes }: { changes: Changes },
): AsyncGenerator<DeltaRecord> {
  for (let from = after; from < until; from += CHANGES_PER_QUERY) {
    yield* await changes.latest(id, { since, after: from, until: Math.min(until, from + CHANGES_PER_QUERY) });
  }
}

async function* asAdded(
  records: AsyncGenerator<FormattedRecord<CrawlUrl>>,
): AsyncGenerator<FormattedRecord<DeltaRecord>> {
  for await (const { record, ...rest } of records)
    yield { ...rest, record: { ...record, change: "added", first: "added", firstAt: 0 } };
}
