import type { ServerResponse } from "node:http";
import {
  brotliCompressSync,
  constants,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, scratch } from "./cli.ts";

/** The limits of one fetch, and its handling of codings and types. All limits except the time have their defaults. */

const MIB = 1_048_576;
const KIB_64 = new Uint8Array(65_536).fill(0x20);
/** Long enough for every other page on a busy machine. */
const TIMEOUT_SECONDS = 15;
const TEXT = page("plain", "/never");

type Handler = (response: ServerResponse) => unknown;
interface Case {
  outcome: string;
  title?: string;
  /** The content type in the record. */
  type?: string;
  /** Part of the explanation. */
  says?: string;
  handle: Handler;
}

const coded = (coding: string, name: string, compress: (html: Buffer) => Uint8Array): Handler => {
  const body = compress(Buffer.from(page(name, `/from-${name}`)));
  return (response) => response.writeHead(200, { ...HTML, "content-encoding": coding }).end(body);
};
/** A coding that no browser knows, and a page that is as it is. */
const miscalled = (coding: string): Case => ({
  outcome: "completed null",
  title: "plain",
  handle: coded(coding, "plain", (html) => html),
});
const typed =
  (type: string | null, body: string | Uint8Array): Handler =>
  (response) =>
    response.writeHead(200, type === null ? {} : { "content-type": type }).end(body);
/** A response declared as HTML with the signature of a binary format. */
const binary = (signature: string): Handler => typed("text/html", Buffer.from(signature + TEXT, "latin1"));
const headers =
  (kibibytes: number): Handler =>
  (response) =>
    response.writeHead(200, { ...HTML, "x-large": "x".repeat(kibibytes * 1_024) }).end(page("large headers"));

/** Bytes sent before the client closed the connection. */
const sent: Record<string, number> = {};

const CASES: Record<string, Case> = {
  "/silent": { outcome: "errored timeout", handle: () => undefined },
  "/drip": { outcome: "errored timeout", handle: drip },
  "/large": {
    outcome: "skipped too-large",
    handle: (response) => pour(response.writeHead(200, HTML), response, 1_024, "/large"),
  },
  "/declared": {
    outcome: "skipped too-large",
    handle: (response) =>
      pour(response.writeHead(200, { ...HTML, "content-length": 1_024 * MIB }), response, 1_024, "/declared"),
  },
  "/bomb-gzip": {
    outcome: "skipped too-large",
    handle: (response) => {
      const gzip = createGzip();
      gzip.pipe(response.writeHead(200, { ...HTML, "content-encoding": "gzip" }));
      return pour(gzip, response, 8_192, "/bomb-gzip");
    },
  },
  "/bomb-deflate": {
    outcome: "skipped too-large",
    handle: coded("deflate", "bomb", () => deflateSync(new Uint8Array(100 * MIB))),
  },
  "/bomb-br": {
    outcome: "skipped too-large",
    handle: coded("br", "bomb", () =>
      brotliCompressSync(new Uint8Array(100 * MIB), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    ),
  },
  "/bomb-zstd": {
    outcome: "skipped too-large",
    handle: coded("zstd", "bomb", () => zstdCompressSync(new Uint8Array(100 * MIB))),
  },
  "/bomb-twice": {
    outcome: "skipped too-large",
    handle: coded("gzip, br", "bomb", () => brotliCompressSync(gzipSync(new Uint8Array(100 * MIB)))),
  },
  "/headers-65": { outcome: "completed null", title: "large headers", handle: headers(65) },
  "/headers-1000": { outcome: "errored parse", says: "longer than 262,144 bytes", handle: headers(1_000) },

  // The last test checks the bytes sent.
  "/asks": {
    outcome: "completed null",
    title: "gzip, br",
    handle: (response) => response.writeHead(200, HTML).end(page(String(response.req.headers["accept-encoding"]))),
  },
  "/gzip": { outcome: "completed null", title: "gzip", handle: coded("gzip", "gzip", gzipSync) },
  "/upper": { outcome: "completed null", title: "upper", handle: coded("GZIP", "upper", gzipSync) },
  "/x-gzip": { outcome: "completed null", title: "x-gzip", handle: coded("X-GZIP", "x-gzip", gzipSync) },
  "/br": { outcome: "completed null", title: "br", handle: coded("br", "br", brotliCompressSync) },
  "/deflate": { outcome: "completed null", title: "deflate", handle: coded("deflate", "deflate", deflateSync) },
  "/raw": { outcome: "completed null", title: "raw", handle: coded("deflate", "raw", deflateRawSync) },
  "/twice": {
    outcome: "completed null",
    title: "twice",
    handle: coded("deflate, gzip", "twice", (html) => gzipSync(deflateSync(html))),
  },
  "/zstd": { outcome: "completed null", title: "zstd", handle: coded("zstd", "zstd", zstdCompressSync) },
  "/br-upper": { outcome: "completed null", title: "BR", handle: coded("BR", "BR", brotliCompressSync) },
  "/gzip-br": {
    outcome: "completed null",
    title: "gzip-br",
    handle: coded("gzip, br", "gzip-br", (html) => brotliCompressSync(gzipSync(html))),
  },
  "/gzip-gzip": { outcome: "completed null", title: "once", handle: coded("gzip, gzip", "once", gzipSync) },
  "/coding-utf-8": miscalled("utf-8"),
  "/coding-none": miscalled("none"),
  "/coding-8bit": miscalled("8bit"),
  "/coding-binary": miscalled("binary"),
  "/coding-chunked": miscalled("chunked"),
  "/coding-identity": miscalled("Identity"),
  "/coding-compress": {
    outcome: "skipped content-type",
    says: "its content-encoding is compress",
    handle: coded("compress", "compress", (html) => gzipSync(html).subarray(2)),
  },

  "/text": { outcome: "completed null", type: "text/plain", handle: typed("text/plain", TEXT) },
  "/markdown": { outcome: "completed null", type: "text/markdown", handle: typed("text/markdown", TEXT) },
  // A browser shows the first as text, and saves the second as a file.
  "/octet-stream": { outcome: "skipped content-type", handle: typed("application/octet-stream", TEXT) },
  "/pdf": {
    outcome: "errored damaged",
    handle: binary("%PDF-1.7"),
  },
  "/png": {
    outcome: "skipped content-type",
    says: "image/png that is called text/html",
    handle: binary("\x89PNG\r\n\x1a\n"),
  },
  "/zip": {
    outcome: "skipped content-type",
    says: "application/zip that is called text/html",
    handle: binary("PK\x03\x04"),
  },
  "/xhtml-as-xml": {
    outcome: "completed null",
    title: "xhtml",
    type: "application/xhtml+xml; charset=utf-8",
    handle: typed(
      "application/xml",
      page("xhtml", "/from-xhtml").replace("<html", '<html xmlns="http://www.w3.org/1999/xhtml"'),
    ),
  },
  "/css": { outcome: "skipped content-type", handle: typed("text/css", "p {}") },
  "/xml": { outcome: "completed null", type: "text/xml", handle: typed("text/xml", "<?xml version='1.0'?><p/>") },
  "/untyped-html": {
    outcome: "completed null",
    title: "untyped",
    type: "text/html; charset=utf-8",
    handle: typed(null, page("untyped", "/from-untyped")),
  },
  "/untyped-text": {
    outcome: "completed null",
    type: "text/plain; charset=utf-8",
    handle: typed(null, "not <a href=/never>HTML</a>"),
  },
  "/untyped-xml": {
    outcome: "completed null",
    type: "text/xml; charset=utf-8",
    handle: typed(null, "<?xml version='1.0'?><p/>"),
  },
  "/untyped-image": { outcome: "skipped content-type", handle: typed(null, Buffer.from("GIF89a\x01\0\x01\0")) },
};

const dir = scratch();
let site: Site;
let result: Awaited<ReturnType<typeof crawl>>;

beforeAll(async () => {
  site = await startSite(({ url = "/" }, response) => {
    const found = CASES[url];
    if (found !== undefined) return void found.handle(response);
    if (url === "/robots.txt") return void response.writeHead(404).end();
    const links = url === "/" ? Object.keys(CASES) : [];
    response.writeHead(200, HTML).end(page(url, ...links));
  });
  // Maximum concurrency, because the host waits after each failure.
  const flags = ["--delay", "0", "--max-attempts", "1", "--timeout", String(TIMEOUT_SECONDS)];
  result = await crawl(dir.path, `${site.origin}/`, ...flags, "--concurrency", "32");
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

function drip(response: ServerResponse): void {
  response.writeHead(200, HTML);
  const timer = setInterval(() => response.write(" "), 100);
  response.once("close", () => clearInterval(timer));
}

async function pour(
  to: ServerResponse | ReturnType<typeof createGzip>,
  { socket }: ServerResponse,
  mebibytes: number,
  path: string,
): Promise<void> {
  if (socket === null) return;
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      sent[path] = socket.bytesWritten;
      resolve();
    });
  });
  for (let i = 0; i < mebibytes * 16 && !socket.destroyed; i++) {
    if (!to.write(KIB_64)) await Promise.race([new Promise((resolve) => to.once("drain", resolve)), closed]);
  }
  if (!socket.destroyed) to.end();
}

test.each(Object.entries(CASES))("%s", (path, { outcome, title = null, type, says = "" }) => {
  const record = result.byUrl.get(site.origin + path);
  expect(`${record?.status} ${record?.reason}`, record?.explanation ?? "").toBe(outcome);
  expect(record?.title).toBe(title);
  expect(record?.explanation ?? "").toContain(says);
  if (type !== undefined) expect(record?.contentType).toBe(type);
});

test("links of pages are followed with any coding, links in plain text never", () => {
  const names = Array.from(site.counts().keys()).filter((path) => path.startsWith("/from-") || path === "/never");
  expect(names.sort()).toEqual([
    "/from-BR",
    "/from-br",
    "/from-deflate",
    "/from-gzip",
    "/from-gzip-br",
    "/from-once",
    "/from-plain",
    "/from-raw",
    "/from-twice",
    "/from-untyped",
    "/from-upper",
    "/from-x-gzip",
    "/from-xhtml",
    "/from-zstd",
  ]);
});

test("the timeout ends slow fetches in time", () => {
  for (const path of ["/silent", "/drip"]) {
    const entry = site.log.find((request) => request.path === path);
    const took = (entry?.finishedAt ?? Number.POSITIVE_INFINITY) - (entry?.startedAt ?? 0);
    // The site's own process may be busy as the request comes, and notes it late.
    expect(took, path).toBeGreaterThan(TIMEOUT_SECONDS * 1_000 - 3_000);
    expect(took, path).toBeLessThan(TIMEOUT_SECONDS * 1_000 + 10_000);
  }
});

test("a fetch over the size limit is aborted", () => {
  // The client reads at most 10 MiB of the 1 GiB; the server writes a little more before it sees the closed connection.
  expect(sent["/large"]).toBeLessThan(256 * MIB);
  expect(sent["/declared"]).toBeLessThan(256 * MIB);
  // 8 GiB would be 8 MiB after compression. A megabyte and more may stand in buffers on a busy machine.
  expect(sent["/bomb-gzip"]).toBeLessThan(7 * MIB);
});
