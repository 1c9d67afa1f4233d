import { nameUuid } from "../../core/name-uuid.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { EXPORT_PARAMETERS, type ExportDoor } from "../../crawl/export-table.ts";
import { readPair, writePair } from "../../crawl/list-cursor.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { DeltaKind, DeltaPlace, DeltaRecord, PageChunks } from "../../crawl/watch/delta.ts";
import {
  type ChunkView,
  chunkTokens,
  cleanFlag,
  type FormattedRecordView,
  formatList,
  partsFlag,
  rawText,
  viewFormatted,
} from "../records/record-schemas.ts";
import { choice, emptyAsMissing, isoOrNull, NEXT_CURSOR, requestOf, textLike } from "../requests/fields.ts";
import { refuse } from "./export-formats.ts";

/** Requests of /api/crawls/:id/delta, and the lines of its answers. */

const DOOR: ExportDoor = {
  formats: ["delta", "chunk-delta"],
  format: (name) => (name === "delta" ? "of=pages" : "of=chunks"),
  parameter: (name) => name,
};

export const deltaQuery = requestOf({
  since: emptyAsMissing(textLike(/^[0-9a-z-]{1,8}\.\d{1,15}(?:\.t)?$/, 26).optional())
    .meta({ type: "string" })
    .describe(EXPORT_PARAMETERS.since),
  formats: formatList.default([]).describe(EXPORT_PARAMETERS.formats),
  rawText,
  clean: cleanFlag,
  of: choice(["pages", "chunks"], "pages").describe(
    "What a line tells of: a page, or a chunk that was added, changed or removed. For `chunks`, name the same `chunkTokens` each time.",
  ),
  chunkTokens,
  parts: partsFlag,
  cursor: textLike(/^(?:t?\d{1,15}\..*)?$/s, 4_096)
    .default("")
    .describe(NEXT_CURSOR),
}).superRefine(({ of, formats, ...others }, context) => {
  const given = { ...others, ...(formats.length === 0 ? {} : { formats }) };
  refuse(of === "pages" ? "delta" : "chunk-delta", given, DOOR, context);
});

/** A line for a page. A page that was removed has no record. */
export type DeltaLine = { id: string; change: DeltaKind; url: string } & Partial<FormattedRecordView>;

/**
 * A line for a chunk. `changed`: the chunk `was` stood in its place. `cleared`: all chunks of the page that the reader
 * has are to be removed, and those of the page as it is now follow.
 */
export type ChunkLine =
  | ({ change: "added"; url: string; title: string | null; fetchedAt: string | null } & ChunkView)
  | ({ change: "changed"; was: string; url: string; title: string | null; fetchedAt: string | null } & ChunkView)
  | { change: "removed"; id: string; url: string }
  | { change: "cleared"; url: string }
  | { change: "unknown"; url: string; problem: string };

export function viewChunkDelta({ record, changes, isCleared, problem }: PageChunks): ChunkLine[] {
  const { url, title, fetchedAt } = record;
  const page = { url, title, fetchedAt: isoOrNull(fetchedAt) };
  if (problem !== null) return [{ change: "unknown", url, problem }];
  const lines = changes.map((each): ChunkLine => {
    if (each.change === "removed") return { change: each.change, id: each.id, url };
    const { change, chunk } = each;
    return change === "added" ? { change, ...page, ...chunk } : { change, was: each.was, ...page, ...chunk };
  });
  return isCleared ? [{ change: "cleared", url }, ...lines] : lines;
}

/** The last line. */
export interface DeltaEnd {
  cursor: string;
}

/** The id follows from the crawl and the URL, so it is the same in each delta. */
export function viewDelta(
  { id }: Crawl,
  { record: { change, first: _, firstAt: __, ...record }, ...rest }: FormattedRecord<DeltaRecord>,
) {
  const line: DeltaLine = { id: nameUuid(id, record.url), change, url: record.url };
  return change === "removed" ? line : { ...line, ...viewFormatted({ ...rest, record }) };
}

const CRAWL_LENGTH = 8;

/** At the end of a cursor, or at the beginning of that of a part: its chunks are without the crawl's template. */
const CLEANED = "t";

/**
 * `d9cf3704.17`, or `d9cf3704.17.t`: the beginning of the crawl's id, and the number of the last change that its reader
 * knows.
 */
export function viewEnd({ id }: Crawl, { until, isCleaned }: Omit<DeltaPlace, "after">): DeltaEnd {
  const cursor = writePair(id.slice(0, CRAWL_LENGTH), until);
  return { cursor: isCleaned ? writePair(cursor, CLEANED) : cursor };
}

/** What the cursor says; null if it is another crawl's. */
export function readSince({ id }: Crawl, since: string): Omit<DeltaPlace, "after"> | null {
  const [crawl, rest = ""] = readPair(since) ?? [];
  const [number, mark] = rest.split(".");
  return crawl === id.slice(0, CRAWL_LENGTH) ? { until: Number(number), isCleaned: mark === CLEANED } : null;
}

/** The cursor of a part. */
export function formatPlace({ until, after, isCleaned }: DeltaPlace): string {
  return writePair(isCleaned ? `${CLEANED}${until}` : until, after);
}

/** Null for the first part. */
export function readPlace(cursor: string): DeltaPlace | null {
  const [until, after] = readPair(cursor) ?? [];
  if (until === undefined || after === undefined) return null;
  return { until: Number(until.replace(CLEANED, "")), after, isCleaned: until.startsWith(CLEANED) };
}
