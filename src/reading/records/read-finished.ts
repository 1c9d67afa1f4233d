import type { Crawl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { Follows } from "../../crawl/page/records-query.ts";
import type { FinishedQuery } from "../../store/records/finished-urls.ts";
import type { Reading } from "./read-formats.ts";
import { mostRecords, readListed } from "./read-records.ts";

/** Reads the records of a crawl in the order in which their URLs finished, while it runs and afterwards. */

interface FinishedRecords {
  records: FormattedRecord[];
  cursor: string;
  follows: Follows;
}

/** `crawl`: as it is before the reading. Throws BadCursor. */
export async function readFinished(
  crawl: Crawl,
  { formats, ...query }: FinishedQuery & { formats: readonly Format[] },
  deps: Reading,
): Promise<FinishedRecords> {
  const { status, counters } = crawl;
  const isOpen = counters.pending + counters.queued > 0 || status === "running" || status === "paused";
  const limit = mostRecords(query.limit, formats);
  const { urls, cursor, isAll } = await deps.records.finished(crawl.id, { ...query, limit }, !isOpen);
  const records = await readListed(
    crawl,
    urls.map(({ record }) => record),
    formats,
    deps,
  );
  if (records.length < urls.length)
    return { records, cursor: urls[records.length - 1]?.cursor ?? query.cursor, follows: "more" };
  // A watch fetches pages that it finds later.
  return { records, cursor, follows: !isAll ? "more" : isOpen || status === "watching" ? "later" : "nothing" };
}
