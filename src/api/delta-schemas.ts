import { nameUuid } from "../core/name-uuid.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { DeltaKind, DeltaPlace, DeltaRecord } from "../crawl/delta.ts";
import type { FormattedRecord } from "../crawl/formatted-record.ts";
import { emptyAsMissing, NEXT_CURSOR, requestOf, textLike } from "./fields.ts";
import { cleanFlag, type FormattedRecordView, formatList, viewFormatted } from "./record-schemas.ts";

/** Requests of /api/crawls/:id/delta, and the lines of its answers. */

const PLACE = /^(\d{1,15})\.(.*)$/s;

export const deltaQuery = requestOf({
  since: emptyAsMissing(textLike(/^[0-9a-z-]{1,8}\.\d{1,15}$/, 24).optional())
    .meta({ type: "string" })
    .describe("The cursor in the last line of the previous answer. Without it: all completed pages."),
  formats: formatList.default([]).describe("Formats in which to include the pages, separated by commas: `markdown`."),
  clean: cleanFlag,
  cursor: textLike(/^(?:\d{1,15}\..*)?$/s, 4_096)
    .default("")
    .describe(NEXT_CURSOR),
});

/** A line for a page. A page that was removed has no record. */
export type DeltaLine = { id: string; change: DeltaKind; url: string } & Partial<FormattedRecordView>;

/** The last line. */
export interface DeltaEnd {
  cursor: string;
}

/** The id follows from the crawl and the URL, so it is the same in each delta. */
export function viewDelta({ id }: Crawl, { record: { change, ...record }, ...rest }: FormattedRecord<DeltaRecord>) {
  const line: DeltaLine = { id: nameUuid(id, record.url), change, url: record.url };
  return change === "removed" ? line : { ...line, ...viewFormatted({ ...rest, record }) };
}

const CRAWL_LENGTH = 8;

/** `d9cf3704.17`: the beginning of the crawl's id, and the number of the last change that its reader knows. */
export function viewEnd({ id }: Crawl, until: number): DeltaEnd {
  return { cursor: `${id.slice(0, CRAWL_LENGTH)}.${until}` };
}

/** The number in the cursor; null if it is another crawl's. */
export function readSince({ id }: Crawl, since: string): number | null {
  const [crawl, number] = since.split(".");
  return crawl === id.slice(0, CRAWL_LENGTH) ? Number(number) : null;
}

/** The cursor of a part. */
export function formatPlace({ until, after }: DeltaPlace): string {
  return `${until}.${after}`;
}

/** Null for the first part. */
export function readPlace(cursor: string): DeltaPlace | null {
  const [, until, after] = PLACE.exec(cursor) ?? [];
  return until === undefined || after === undefined ? null : { until: Number(until), after };
}
