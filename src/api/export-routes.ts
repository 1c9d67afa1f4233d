import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { streamOf } from "../core/stream-of.ts";
import type { Crawl } from "../crawl/crawl.ts";
import { depsOf } from "../frontier/deps.ts";
import { exportWacz, exportWarc, MOST_WACZ_PAGES } from "../reading/export-archive.ts";
import { type ExportPart, exportPart } from "../reading/export-part.ts";
import { ArchiveIndex } from "../store/archive-index.ts";
import { hostOf } from "../url/host-key.ts";
import { crawlOf } from "./crawl-routes.ts";
import { ARCHIVES, type ArchiveFormat, EXPORT_WRITERS, type ExportWriter, isArchive } from "./export-formats.ts";
import { FOREIGN } from "./foreign.ts";
import { exportQuery } from "./schemas.ts";
import { viewFormatted } from "./views.ts";

/** GET /api/crawls/:id/export: all of a crawl in one of the field's formats, streamed in parts that lead to one another. */

/** Of one chunk of the answer, in characters: a chunk for each record would cost more than the record. */
const CHUNK = 65_536;

export const exportRoutes = new Hono<{ Bindings: Env }>();

/** RFC 8288: `Link: <...>; rel="next"` names the part that comes after this one. The last has none. */
exportRoutes.get("/:id/export", async (c) => {
  const { format, cursor, ...query } = exportQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  if (isArchive(format)) return archive(c, crawl, format, cursor);
  const writer = EXPORT_WRITERS[format];
  const formats = query.formats ?? writer.formats;
  const status = query.status ?? (writer.isOfPages ? "completed" : undefined);
  const part = await exportPart(crawl, { cursor, status, formats, pagesAlone: writer.isOfPages }, depsOf(c.env));
  return new Response(streamOf(encode(textOf(writer, part, cursor === ""))), {
    headers: {
      ...FOREIGN,
      "content-type": writer.contentType,
      "content-disposition": `attachment; filename="${fileName(crawl, writer)}"`,
      ...(part.next === null ? {} : { link: `<${nextOf(c.req.url, part.next)}>; rel="next"` }),
    },
  });
});

async function* textOf(writer: ExportWriter, { records, next }: ExportPart, isFirst: boolean): AsyncGenerator<string> {
  if (isFirst || writer.standsAlone) yield writer.head;
  for await (const record of records) yield writer.write(viewFormatted(record));
  if (next === null || writer.standsAlone) yield writer.tail;
}

async function* encode(texts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  try {
    for await (const more of texts) {
      text += more;
      if (text.length < CHUNK) continue;
      yield encoder.encode(text);
      text = "";
    }
  } catch (error) {
    // The answer breaks off, and whoever reads it sees that; the status went out long ago.
    console.error("export failed", error);
    throw error;
  }
  if (text !== "") yield encoder.encode(text);
}

/** Bytes, of which a client may ask for the rest: `Range: bytes=N-`. */
async function archive(c: Context<{ Bindings: Env }>, crawl: Crawl, format: ArchiveFormat, cursor: string) {
  if (crawl.options.store !== "warc")
    throw new HTTPException(409, {
      message:
        "This crawl keeps its pages as files. A crawl that is started with store: warc can be exported as an archive.",
    });
  const index = new ArchiveIndex(c.env.LEDGER);
  if (format === "wacz" && (await index.countPages(crawl.id)) > MOST_WACZ_PAGES)
    throw new HTTPException(409, {
      message: `A WACZ is made of ${MOST_WACZ_PAGES.toLocaleString("en")} pages at the most; export this crawl as warc.`,
    });
  const deps = depsOf(c.env);
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
    ...(part.next === null ? {} : { link: `<${nextOf(c.req.url, part.next)}>; rel="next"` }),
  };
  const { readable, writable } = new FixedLengthStream(part.bytes - from);
  // What breaks off, whoever reads it sees.
  part
    .open(from)
    .pipeTo(writable)
    .catch((error: unknown) => console.error("export failed", error));
  return new Response(readable, { status: from > 0 ? 206 : 200, headers });
}

/** Relative to the address asked for, which a proxy may have rewritten. */
function nextOf(asked: string, cursor: string): string {
  const { pathname, searchParams } = new URL(asked);
  searchParams.set("cursor", cursor);
  return `${pathname}?${searchParams}`;
}

/** `example.com-d9cf3704.csv`. */
function fileName({ id, options }: Crawl, { extension }: { extension: string }): string {
  const host = hostOf(options.urls[0] ?? "").replace(/[^a-z0-9.-]+/g, "-");
  return `${host}-${id.slice(0, 8)}.${extension}`;
}
