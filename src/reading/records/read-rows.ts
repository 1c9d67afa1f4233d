import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { type Format, partsOf } from "../../crawl/page/page-format.ts";
import type { WantedFields } from "../../crawl/page/row-fields.ts";
import { PLACES_AT_ONCE } from "../../store/mirror/page-places.ts";
import type { Place, Reading } from "./read-formats.ts";
import { largeFieldsOf, READ_AT_ONCE, readRow } from "./read-row.ts";
import { partWith } from "./whole-rows.ts";

/** Reads records with their pages, as many at a time as a request may. */

/** Bytes of the pages that are read at the same time: a page takes several times its bytes of memory. */
const MAX_BYTES_AT_ONCE = 4_000_000;

export interface RowsRequest {
  formats: readonly Format[];
  /** Those that are read even if they are in a pack. */
  fields: WantedFields;
}

/** In the order of the rows; those of a group are read at once. */
export async function* readRows<Row extends CrawlUrl>(
  crawl: Crawl,
  rows: AsyncIterable<Row> | Iterable<Row>,
  { formats, fields }: RowsRequest,
  deps: Reading,
): AsyncGenerator<(FormattedRecord<Row> & { made: boolean })[]> {
  for await (const some of cut(rows)) {
    const places = await readPlaces(crawl, some, formats, deps);
    for (const group of groupRows(some, fields))
      yield await Promise.all(
        group.map((row) => {
          const part = partWith(crawl, row.url, deps);
          const place = places === null ? undefined : (places.get(row.url) ?? null);
          return readRow(part.crawl, row, formats, { ...part.deps, readContent: deps.readContent }, fields, place);
        }),
      );
  }
}

async function* cut<Row>(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row[]> {
  let some: Row[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < PLACES_AT_ONCE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Null if none are needed. */
async function readPlaces(
  crawl: Crawl,
  rows: readonly CrawlUrl[],
  formats: readonly Format[],
  deps: Reading,
): Promise<ReadonlyMap<string, Place> | null> {
  if (partsOf(formats).length === 0) return null;
  const urls = rows.filter(({ status }) => status === "completed").map(({ url }) => url);
  const byPart = Map.groupBy(urls, (url) => partWith(crawl, url, deps).crawl.id);
  const found = await Promise.all(
    [...byPart].map(([part, own]) => partWith(crawl, own[0] ?? "", deps).deps.records.allPacked(part, own)),
  );
  return new Map(found.flatMap((places) => [...places]));
}

function* groupRows<Row extends CrawlUrl>(rows: readonly Row[], fields: WantedFields): Generator<Row[]> {
  let group: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = (row.bytes ?? 0) + largeFieldsOf(row, fields);
    if (group.length === READ_AT_ONCE || (group.length > 0 && bytes + size > MAX_BYTES_AT_ONCE)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
