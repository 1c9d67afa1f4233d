import type { CrawlUrl } from "../../crawl/crawl.ts";
import type { WantedFields } from "../../crawl/page/row-fields.ts";
import { largeFieldsOf, READ_AT_ONCE } from "./read-row.ts";

/** Bytes of the pages that are read at the same time: a page takes several times its bytes of memory. */
const MAX_BYTES_AT_ONCE = 4_000_000;

/** The rows in groups that are read at once. `fields`: those that are read even if they are in a pack. */
export async function* groupRows<Row extends CrawlUrl>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  fields: WantedFields,
): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
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
