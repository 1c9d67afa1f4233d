import { type Context, Hono } from "hono";
import { logError } from "../../core/log.ts";
import { streamOf } from "../../core/stream-of.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { fieldColumns } from "../../crawl/page/page-fields.ts";
import { GRAPH_FILES } from "../../graph/graph-files.ts";
import { exportWacz, exportWarc, MOST_WACZ_RECORDS } from "../../reading/exports/export-archive.ts";
import { exportFolders } from "../../reading/exports/export-folders.ts";
import { openGraph } from "../../reading/exports/export-graph.ts";
import { type ExportPart, exportAll, exportPart } from "../../reading/exports/export-part.ts";
import type { Reading } from "../../reading/records/read-formats.ts";
import { readRow } from "../../reading/records/read-row.ts";
import { hostOf } from "../../url/host-key.ts";
import { crawlOf } from "../crawls/crawl-routes.ts";
import { FOREIGN } from "../foreign.ts";
import { nextLink } from "../records/next-link.ts";
import { readingOfQuery } from "../records/reading-query.ts";
import { type RecordView, viewFormatted, viewRecord } from "../records/record-schemas.ts";
import { refusal } from "../requests/request-problem.ts";
import {
  ARCHIVES,
  type ArchiveFormat,
  type ExportQuery,
  type ExportWriter,
  exportQuery,
  exportWriter,
  type GraphFormat,
  isArchive,
  isColumns,
  isGraph,
} from "./export-formats.ts";
import type { HomePage } from "./llms-text.ts";
import { writeRecords } from "./parquet-records.ts";
import { streamText } from "./stream-text.ts";

/** GET /api/crawls/:id/export: a complete crawl in a standard format, streamed in parts. Each part names the next. */

export const exportRoutes = new Hono<{ Bindings: Env }>();

/** RFC 8288: `Link: <...>; rel="next"` names the next part. The last part has none. */
exportRoutes.get("/:id/export", async (c) => {
  const { format, cursor, ...query } = exportQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  if (isArchive(format)) return archive(c, crawl, format, cursor);
  if (isGraph(format)) return graph(c, crawl, format);
  if (isColumns(format)) return parquet(c, crawl, query);
  const writer = exportWriter(format, fieldColumns(crawl.options.fields));
  const formats = query.formats ?? writer.formats;
  const status = query.status ?? (writer.isOfPages ? "completed" : undefined);
  const reading = await readingOfQuery(crawl, { ...query, formats }, c.var.deps);
  const { label, minRelevance } = query;
  const request = { cursor, status, label, minRelevance, formats, fields: writer.fields };
  const part = writer.isInFolders
    ? await exportFolders(crawl, request, reading)
    : { ...(await exportPart(crawl, { ...request, only: writer.isOfPages ? "pages" : "all" }, reading)), before: null };
  const head = cursor === "" && writer.headOf ? writer.headOf(await homeOf(crawl, reading)) : writer.head;
  return new Response(streamText(textOf({ ...writer, head }, part, cursor === "")), {
    headers: {
      ...FOREIGN,
      "content-type": writer.contentType,
      "content-disposition": `attachment; filename="${fileName(crawl, writer)}"`,
      ...(part.next === null ? {} : { link: nextLink(c.req.url, part.next) }),
    },
  });
});

async function* textOf(
  writer: ExportWriter,
  { records, next, before }: ExportPart & { before: string | null },
  isFirst: boolean,
): AsyncGenerator<string> {
  if (isFirst || writer.standsAlone) yield writer.head;
  let last = before;
  for await (const record of records) {
    yield writer.write(viewFormatted(record), record.metadata, last);
    last = record.record.url;
  }
  if (next === null || writer.standsAlone) yield writer.tail;
}

async function homeOf(crawl: Crawl, deps: Reading): Promise<HomePage> {
  const url = crawl.options.urls[0] ?? "";
  const row = await deps.records.get(crawl.id, url);
  const read = row === null ? null : await readRow(crawl, row, ["markdown"], deps, []);
  const { title = null, description = null } = read?.metadata ?? {};
  return { url, title: row?.title ?? title, description };
}

/** One file, so it comes in one part. */
function parquet(
  c: Context<{ Bindings: Env }>,
  crawl: Crawl,
  query: Pick<ExportQuery, "status" | "minRelevance" | "label">,
) {
  const columns = fieldColumns(crawl.options.fields);
  const records = exportAll(crawl, { ...query, fields: columns.map(({ name }) => name) }, c.var.deps);
  return new Response(streamOf(writeRecords(viewAll(records), columns)), {
    headers: {
      ...FOREIGN,
      "content-type": "application/vnd.apache.parquet",
      "content-disposition": `attachment; filename="${fileName(crawl, { extension: "parquet" })}"`,
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

async function graph(c: Context<{ Bindings: Env }>, crawl: Crawl, format: GraphFormat) {
  const links = await openGraph(crawl, c.var.deps);
  if (links === null)
    throw refusal(409, `This crawl has no link graph yet. Analyze it first: orbweaver analyze ${crawl.id}`);
  const { contentType, extension, write } = GRAPH_FILES[format];
  const name = format === "graphml" ? extension : `${format}.${extension}`;
  return new Response(streamOf(write(links)), {
    headers: {
      ...FOREIGN,
      "content-type": contentType,
      "content-disposition": `attachment; filename="${fileName(crawl, { extension: name })}"`,
    },
  });
}

/** A client can continue a download with `Range: bytes=N-`. */
async function archive(c: Context<{ Bindings: Env }>, crawl: Crawl, format: ArchiveFormat, cursor: string) {
  if (crawl.options.store !== "warc")
    throw refusal(
      409,
      "This crawl stores its pages as files. Only a crawl with store: warc can be exported as an archive.",
    );
  const { deps } = c.var;
  const index = deps.archiveIndex;
  if (format === "wacz" && (await index.count(crawl.id)) > MOST_WACZ_RECORDS)
    throw refusal(
      409,
      `A WACZ has at most ${MOST_WACZ_RECORDS.toLocaleString("en")} records: export this crawl as warc.`,
    );
  const part = format === "warc" ? await exportWarc(crawl, cursor, index, deps) : await exportWacz(crawl, index, deps);
  const from = Number(/^bytes=(\d+)-$/.exec(c.req.header("range") ?? "")?.[1] ?? 0);
  if (from > 0 && from >= part.bytes)
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${part.bytes}` } });
  const { contentType } = ARCHIVES[format];
  const headers = {
    ...FOREIGN,
    "accept-ranges": "bytes",
    "content-type": contentType,
    "content-disposition": `attachment; filename="${fileName(crawl, ARCHIVES[format])}"`,
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

/** `example.com-d9cf3704.csv`. */
function fileName({ id, options }: Crawl, { extension }: { extension: string }): string {
  const host = hostOf(options.urls[0] ?? "").replace(/[^a-z0-9.-]+/g, "-");
  return `${host}-${id.slice(0, 8)}.${extension}`;
}
