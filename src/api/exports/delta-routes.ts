import { Hono } from "hono";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Format } from "../../crawl/page/page-format.ts";
import { chunksOfPage } from "../../reading/exports/chunk-delta.ts";
import { type DeltaPart, exportDelta, wholeDelta } from "../../reading/exports/export-delta.ts";
import { isBounded } from "../../reading/exports/export-part.ts";
import type { Reading } from "../../reading/records/read-formats.ts";
import type { Store } from "../../store/store.ts";
import { whyExpired } from "../changes/expired-cursor.ts";
import { crawlOf } from "../crawls/crawl-routes.ts";
import { FOREIGN } from "../foreign.ts";
import { nextLink } from "../records/next-link.ts";
import { readingOfQuery } from "../records/reading-query.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import {
  type ChunkLine,
  type DeltaEnd,
  type DeltaLine,
  deltaQuery,
  formatPlace,
  readPlace,
  readSince,
  viewChunkDelta,
  viewDelta,
  viewEnd,
} from "./delta-schemas.ts";
import { streamText } from "./stream-text.ts";

/** GET /api/crawls/:id/delta: what became of a watch's pages since a cursor, as JSON Lines. */

export const deltaRoutes = new Hono<{ Bindings: Env }>();

/**
 * The last line of the last part has the next cursor. A download that breaks off lacks it, so its reader keeps the
 * cursor before and asks again.
 */
deltaRoutes.get("/:id/delta", async (c) => {
  const { since: given, cursor, parts, of, ...query } = deltaQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  if (crawl.watchingSince === null) throw refusal(409, noWatch(crawl));
  const known = given === undefined ? null : await readKnown(crawl, given, c.var.deps);
  // Changes may be removed while they are read.
  const check = async () => void (given === undefined || (await readKnown(crawl, given, c.var.deps)));
  const place = readPlace(cursor);
  const since = known?.until ?? null;
  const formats: Format[] = of === "chunks" ? ["chunks"] : query.formats;
  const rawText = of === "chunks" ? isRaw(query.rawText, place ?? known) : query.rawText;
  const reading = await readingOfQuery(crawl, { ...query, formats, rawText }, c.var.deps);
  const request = { since, formats, of };
  const first = await exportDelta(crawl, { ...request, place }, reading);
  const isCleaned = of === "chunks" && reading.template !== null;
  const isWhole = !parts && place === null;
  if (isWhole && first.next !== null && isBounded(reading)) throw refusal(409, describeTooLong(crawl, given, of));
  const { next, until } = first;
  const all = isWhole ? wholeDelta(crawl, request, first, reading) : first.records;
  const records = { records: all };
  const lines = of === "chunks" ? chunkLines(crawl, records, since === null, reading) : pageLines(crawl, records);
  const isLast = isWhole || next === null;
  const end = isLast ? viewEnd(crawl, { until, isCleaned }) : null;
  return new Response(streamText(linesOf(lines, end, check)), {
    headers: {
      ...FOREIGN,
      "content-type": "application/x-ndjson",
      ...(isLast ? {} : { link: nextLink(c.req.url, formatPlace({ ...next, isCleaned })) }),
    },
  });
});

function describeTooLong({ id }: Crawl, since: string | undefined, of: "pages" | "chunks"): string {
  const format = of === "pages" ? "delta" : "chunk-delta";
  const from = since === undefined ? "" : ` --since ${since}`;
  return `This delta is longer than one request may read here. This command saves it: orbweaver export ${id} --format ${format}${from} --out FILE. By HTTP, \`parts=true\` sends a part at a time, each with a Link to the next.`;
}

async function* pageLines(crawl: Crawl, { records }: Pick<DeltaPart, "records">): AsyncGenerator<DeltaLine> {
  for await (const record of records) yield viewDelta(crawl, record);
}

async function* chunkLines(
  crawl: Crawl,
  { records }: Pick<DeltaPart, "records">,
  isFull: boolean,
  deps: Reading & Pick<Store, "mementos">,
): AsyncGenerator<ChunkLine> {
  for await (const page of records) yield* viewChunkDelta(await chunksOfPage(crawl, page, isFull, deps));
}

/** `check` throws if the lines are not all: then the last one does not come. */
async function* linesOf(
  lines: AsyncGenerator<DeltaLine | ChunkLine>,
  end: DeltaEnd | null,
  check: () => Promise<void>,
): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
  await check();
  if (end !== null) yield `${JSON.stringify(end)}\n`;
}

/**
 * An index gets all of its chunks with the template of the crawl or all without, as it got the first: what has changed
 * is found by cutting the version before once more. Throws 400 if it asks for others.
 */
function isRaw(isAsked: boolean, before: { isCleaned: boolean } | null): boolean {
  if (before === null) return isAsked;
  if (isAsked && before.isCleaned)
    throw new RequestProblem(
      "invalid-request",
      "This cursor is of chunks without what pages have in common. To get raw text, begin again without a cursor.",
      "rawText",
    );
  return !before.isCleaned;
}

/** The last change that the reader knows. Throws 410 if the changes after it are not known. */
async function readKnown(crawl: Crawl, given: string, deps: Pick<Store, "changes">) {
  const since = readSince(crawl, given);
  const refuse = (why: string) =>
    refusal(410, `${why} Make a full export without a cursor; its last line has a new cursor.`);
  if (since === null) throw refuse(`The cursor ${given} is of another crawl.`);
  const expired = await whyExpired(crawl, { since: since.until, given }, deps);
  if (expired !== null) throw refuse(expired);
  return since;
}

function noWatch({ id, options }: Crawl): string {
  return options.watch === null
    ? `This crawl is no watch, so nothing tells what changes. Make it one: orbweaver watch ${id}`
    : "This watch has not ended its first crawl. Until then no cursor can name what changes.";
}
