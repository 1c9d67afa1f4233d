import type { Crawl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import type { Follows } from "../../crawl/page/records-query.ts";
import type { FinishedQuery } from "../../store/records/finished-urls.ts";
import { BadCursor } from "../../store/records/record-listing.ts";
import type { Reading } from "./read-formats.ts";
import { mostRecords, readListed } from "./read-records.ts";
import { MAX_MADE } from "./read-row.ts";

/** Reads the records of a crawl in the order in which their URLs finished, while it runs and afterwards. */

interface FinishedRecords {
  records: FormattedRecord[];
  cursor: string;
  follows: Follows;
}

type FinishedRequest = FinishedQuery & { formats: readonly Format[] };

/** `crawl`: as it is before the reading. Throws BadCursor. */
export async function readFinished(crawl: Crawl, request: FinishedRequest, deps: Reading): Promise<FinishedRecords> {
  const { shards } = crawl;
  if (shards === null) return readOwn(crawl, request, deps, 1);
  // The cursor has that of each part, with a space between them, which none of them has.
  const cursors = request.cursor === "" ? shards.ledgers.map(() => "") : request.cursor.split(" ");
  if (cursors.length !== shards.ledgers.length)
    throw new BadCursor("cursor: it is not one that an answer of this list gave");
  // All formats may have to be made first.
  const most = request.formats.length === 0 ? request.limit : Math.min(request.limit, MAX_MADE);
  const limit = Math.max(1, Math.floor(most / cursors.length));
  const answers: FinishedRecords[] = [];
  for (const [i, cursor] of cursors.entries()) {
    const part = deps.parts?.get(shards.ledgers[i] ?? 0);
    // A part that is not there yet.
    if (part === undefined) answers.push({ records: [], cursor, follows: "later" });
    else answers.push(await readOwn(part.crawl, { ...request, cursor, limit }, part.deps, cursors.length));
  }
  return {
    records: answers.flatMap(({ records }) => records),
    cursor: answers.map(({ cursor }) => cursor).join(" "),
    follows: ORDER.find((follows) => answers.some((answer) => answer.follows === follows)) ?? "nothing",
  };
}

const ORDER = ["more", "later"] as const satisfies Follows[];

/** `readers`: how many share the room of the answer. */
async function readOwn(
  crawl: Crawl,
  { formats, ...query }: FinishedRequest,
  deps: Reading,
  readers: number,
): Promise<FinishedRecords> {
  const { status, counters } = crawl;
  const isOpen = counters.pending + counters.queued > 0 || status === "running" || status === "paused";
  const limit = mostRecords(query.limit, formats);
  const { urls, cursor, isAll } = await deps.records.finished(crawl.id, { ...query, limit }, !isOpen);
  const rows = urls.map(({ record }) => record);
  const records = await readListed(crawl, rows, formats, deps, readers);
  if (records.length < urls.length)
    return { records, cursor: urls[records.length - 1]?.cursor ?? query.cursor, follows: "more" };
  // A watch fetches pages that it finds later.
  return { records, cursor, follows: !isAll ? "more" : isOpen || status === "watching" ? "later" : "nothing" };
}
