import { type Context, Hono } from "hono";
import { logError } from "../../core/log.ts";
import { streamOf } from "../../core/stream-of.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { ExportedName } from "../../crawl/export-table.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { fieldColumns } from "../../crawl/page/page-fields.ts";
import { valueColumns } from "../../crawl/page/value-columns.ts";
import { storesOf } from "../../frontier/shards/over-parts.ts";
import { GRAPH_FILES } from "../../graph/graph-files.ts";
import { exportWacz, exportWarc, MOST_WACZ_RECORDS } from "../../reading/exports/export-archive.ts";
import { openGraph } from "../../reading/exports/export-graph.ts";
import { exportWhole } from "../../reading/exports/export-part.ts";
import { wholeCrawlOf } from "../crawls/crawl-routes.ts";
import { FOREIGN } from "../foreign.ts";
import { nextLink } from "../records/next-link.ts";
import { wholeReadingOf } from "../records/reading-query.ts";
import { type RecordView, viewRecord } from "../records/record-schemas.ts";
import { refusal } from "../requests/request-problem.ts";
import {
  ARCHIVES,
  type ArchiveFormat,
  type ExportQuery,
  exportQuery,
  type GraphFormat,
  isArchive,
  isColumns,
  isGraph,
} from "./export-formats.ts";
import { exportName } from "./export-name.ts";
import { writeOfflineZip } from "./offline-zip.ts";
import { writeRecords } from "./parquet-records.ts";
import { streamText } from "./stream-text.ts";
import { type ExportedText, openTextExport } from "./text-export.ts";

/**
 * GET /api/crawls/:id/export: a crawl in a standard format, as one stream. It is whole, or it is refused; with `parts`,
 * it comes in parts, of which each names the next.
 */

export const exportRoutes = new Hono<{ Bindings: Env }>();

exportRoutes.get("/:id/export", async (c) => {
  const { format, cursor, parts, clean: _, ...query } = exportQuery.parse(c.req.query());
  const crawl = await wholeCrawlOf(c);
  if (isArchive(format)) return archive(c, crawl, format, { cursor, isPart: parts || cursor !== "" });
  if (isGraph(format)) return graph(c, crawl, format);
  if (format === "zip") return offlineZip(c, crawl);
  if (isColumns(format)) return parquet(c, crawl, query);
  const { writer, ...file } = await openTextExport(crawl, { ...query, format }, c.var.deps);
  const isPart = parts || cursor !== "";
  const whole = isPart ? null : await file.whole();
  if (!isPart && whole === null) throw refusal(409, describeTooLong(crawl, format));
  const { texts, next } = whole === null ? await file.part(cursor) : { texts: whole, next: null };
  return new Response(streamText(textsOf(texts)), {
    headers: {
      ...FOREIGN,
      "content-type": writer.contentType,
      "content-disposition": `attachment; filename="${exportName(crawl, format)}"`,
      // RFC 8288. The last part has none.
      ...(next === null ? {} : { link: nextLink(c.req.url, next) }),
    },
  });
});

async function* textsOf(pieces: AsyncGenerator<ExportedText>): AsyncGenerator<string> {
  for await (const { text } of pieces) yield text;
}

/** What to do instead. */
function describeTooLong({ id }: Crawl, format: ExportedName): string {
  const command = `orbweaver export ${id} --format ${format} --out FILE`;
  const parts = "`parts=true` sends a part at a time, each with a Link to the next";
  if (format === "sitemap")
    return `This crawl has more pages than one sitemap may list. This command writes several and an index: ${command}. By HTTP, ${parts}.`;
  if (format === "zip")
    return `This crawl has more pages than one request may read here. This command writes the folder: orbweaver export ${id} --format folder --out DIR`;
  if (format === "parquet")
    return `This crawl has more records than one request may read here, and a Parquet file has no parts. Export it as jsonl: orbweaver export ${id} --format jsonl --out FILE`;
  return `This export is longer than one request may read here. POST /api/crawls/${id}/exports makes the file in the background; this command saves it too: ${command}. By HTTP, ${parts}.`;
}

/** One file, which has no parts. */
async function parquet(
  c: Context<{ Bindings: Env }>,
  crawl: Crawl,
  query: Pick<ExportQuery, "status" | "minRelevance" | "label">,
) {
  const { status, minRelevance, label } = query;
  const columns = fieldColumns(crawl.options.fields);
  const request = { status, minRelevance, label, formats: [], only: "all" as const };
  const fields = columns.map(({ name }) => name);
  const reading = await wholeReadingOf(crawl, { formats: [], rawText: true }, c.var.deps);
  const records = await exportWhole(crawl, { ...request, fields }, reading);
  if (records === null) throw refusal(409, describeTooLong(crawl, "parquet"));
  return new Response(streamOf(writeRecords(viewAll(records), columns, valueColumns(crawl.options.extract))), {
    headers: {
      ...FOREIGN,
      "content-type": "application/vnd.apache.parquet",
      "content-disposition": `attachment; filename="${exportName(crawl, "parquet")}"`,
    },
  });
}

async function* viewAll(records: AsyncGenerator<FormattedRecord>): AsyncGenerator<RecordView> {
  try {
    for await (const { record } of records) yield viewRecord(record);
  } catch (error) {
    // The client sees that the answer breaks off.
    logError("export-failed", error);
    throw error;
  }
}

async function offlineZip(c: Context<{ Bindings: Env }>, crawl: Crawl) {
  const zip = await writeOfflineZip(crawl, c.var.deps);
  if (zip === null) throw refusal(409, describeTooLong(crawl, "zip"));
  return new Response(zip, {
    headers: {
      ...FOREIGN,
      "content-type": "application/zip",
      "content-disposition": `attachment; filename="${exportName(crawl, "zip")}"`,
    },
  });
}

async function graph(c: Context<{ Bindings: Env }>, crawl: Crawl, format: GraphFormat) {
  const links = await openGraph(crawl, c.var.deps);
  if (links === null)
    throw refusal(409, `This crawl has no link graph yet. Analyze it first: orbweaver analyze ${crawl.id}`);
  const { contentType, write } = GRAPH_FILES[format];
  return new Response(streamOf(write(links)), {
    headers: {
      ...FOREIGN,
      "content-type": contentType,
      "content-disposition": `attachment; filename="${exportName(crawl, format)}"`,
    },
  });
}

/** A client can continue a download with `Range: bytes=N-`. */
async function archive(
  c: Context<{ Bindings: Env }>,
  crawl: Crawl,
  format: ArchiveFormat,
  { cursor, isPart }: { cursor: string; isPart: boolean },
) {
  if (crawl.options.store !== "warc")
    throw refusal(
      409,
      "This crawl stores its pages as files. Only a crawl with store: warc can be exported as an archive.",
    );
  const deps = storesOf(crawl, c.var.deps);
  const index = deps.archiveIndex;
  if (format === "wacz" && (await index.count(crawl.id)) > MOST_WACZ_RECORDS)
    throw refusal(
      409,
      `A WACZ has at most ${MOST_WACZ_RECORDS.toLocaleString("en")} records: export this crawl as warc.`,
    );
  const part =
    format === "warc" ? await exportWarc(crawl, { cursor, isPart }, index, deps) : await exportWacz(crawl, index, deps);
  const from = Number(/^bytes=(\d+)-$/.exec(c.req.header("range") ?? "")?.[1] ?? 0);
  if (from > 0 && from >= part.bytes)
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${part.bytes}` } });
  const { contentType } = ARCHIVES[format];
  const headers = {
    ...FOREIGN,
    "accept-ranges": "bytes",
    "content-type": contentType,
    "content-disposition": `attachment; filename="${exportName(crawl, format)}"`,
    ...(from > 0 ? { "content-range": `bytes ${from}-${part.bytes - 1}/${part.bytes}` } : {}),
    ...(part.next === null ? {} : { link: nextLink(c.req.url, part.next) }),
  };
  const { readable, writable } = new FixedLengthStream(part.bytes - from);
  // The client sees that the answer breaks off.
  part
    .open(from)
    .pipeTo(writable)
    .catch((error: unknown) => logError("export-failed", error));
  return new Response(readable, { status: from > 0 ? 206 : 200, headers });
}
