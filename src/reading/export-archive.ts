import { cdxBlocks, IDX_HEADER } from "../archive/cdx-blocks.ts";
import { cdxjLine, compareLines } from "../archive/cdxj.ts";
import { encodeText } from "../archive/header-block.ts";
import { type WaczPart, waczBytes, writeWacz } from "../archive/wacz.ts";
import { pageLine, pagesHeader } from "../archive/wacz-pages.ts";
import { joinBytes } from "../archive/warc-record.ts";
import { streamOf } from "../core/stream-of.ts";
import { SOFTWARE } from "../core/version.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import type { ArchiveIndex, PackSize } from "../store/archive-index.ts";

/**
 * Exports a packed crawl as WARC or WACZ. Packs in a row are a WARC file; a WACZ holds that file, its index and a list
 * of pages. Packs are streamed as they are: they are not decompressed, and only a chunk is in memory.
 */

/**
 * Packs in one answer. Each is a subrequest, and a request may make 1,000 unless the account or the configuration
 * raises the limit (https://developers.cloudflare.com/workers/platform/limits/#subrequests).
 */
const MAX_PACKS = 900;
/** The index and the list of pages are made before the first byte is sent: about 500 bytes of memory a page. */
export const MOST_WACZ_PAGES = 50_000;
const WARC_FILE = "data.warc.gz";

interface ArchivePart {
  bytes: number;
  /** Streams the part from this byte on. */
  open(from: number): ReadableStream<Uint8Array>;
  /** The cursor of the next part; null in the last part. */
  next: string | null;
}

/** Exports the WARC file, or a part of it. */
export async function exportWarc(crawl: Crawl, cursor: string, index: ArchiveIndex, deps: Deps): Promise<ArchivePart> {
  const packs = await index.packs(crawl.id, cursor, MAX_PACKS + 1);
  const part = packs.slice(0, MAX_PACKS);
  return {
    bytes: sizeOf(part),
    open: (from) => streamOf(packBytes(crawl.id, part, from, deps)),
    next: packs.length > MAX_PACKS ? (part.at(-1)?.name ?? null) : null,
  };
}

/**
 * Exports the complete WACZ. Once the crawl has ended its bytes stay the same, so an interrupted transfer can be
 * resumed.
 */
export async function exportWacz(crawl: Crawl, index: ArchiveIndex, deps: Deps): Promise<ArchivePart> {
  const packs = await index.packs(crawl.id);
  const starts = new Map<string, number>();
  let start = 0;
  for (const { name, bytes } of packs) {
    starts.set(name, start);
    start += bytes;
  }
  const lines: string[] = [];
  const pages: string[] = [pagesHeader(false)];
  let main: { url: string; date: number } | undefined;
  for await (const page of index.pages(crawl.id)) {
    const { url, fetchedAt: date, status, contentType, sha256, length, title, depth, kind } = page;
    const offset = (starts.get(page.pack) ?? 0) + page.offset;
    const isRevisit = page.revisits !== null;
    lines.push(cdxjLine({ url, date, contentType, status, sha256, isRevisit, offset, length, filename: WARC_FILE }));
    if (kind === "asset") continue;
    pages.push(pageLine({ id: sha256.slice(0, 16) + pages.length, url, date, title }));
    if (depth === 0) main ??= { url, date };
  }
  lines.sort(compareLines);
  const blocks: Uint8Array[] = [];
  let idx = IDX_HEADER;
  for await (const { bytes, idxLine } of cdxBlocks(lines)) {
    blocks.push(bytes);
    idx += idxLine;
  }
  const parts: WaczPart[] = [
    { path: `archive/${WARC_FILE}`, bytes: start, open: () => packBytes(crawl.id, packs, 0, deps) },
    bufferedPart("indexes/index.cdx.gz", joinBytes(blocks)),
    bufferedPart("indexes/index.idx", encodeText(idx)),
    bufferedPart("pages/pages.jsonl", encodeText(pages.join(""))),
  ];
  const info = {
    title: crawl.options.urls[0] ?? crawl.id,
    created: crawl.createdAt,
    software: SOFTWARE,
    ...(main === undefined ? {} : { mainPage: main }),
  };
  return { bytes: waczBytes(parts, info), open: (from) => skipBytes(writeWacz(parts, info), from), next: null };
}

function bufferedPart(path: string, bytes: Uint8Array): WaczPart {
  return {
    path,
    bytes: bytes.byteLength,
    async *open() {
      yield bytes;
    },
  };
}

function sizeOf(packs: PackSize[]): number {
  return packs.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function* packBytes(
  crawl: string,
  packs: PackSize[],
  from: number,
  { packs: store }: Deps,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const { name, bytes } of packs) {
    const skipped = Math.max(0, from - at);
    at += bytes;
    if (skipped >= bytes) continue;
    const stream = await store.stream(crawl, name, skipped, bytes - skipped);
    if (stream === null) throw new Error(`the mirror has lost the pack ${name}`);
    yield* stream;
  }
}

/** Drops the beginning of a ZIP, which is always written from its first byte. */
function skipBytes(stream: ReadableStream<Uint8Array>, from: number): ReadableStream<Uint8Array> {
  let left = from;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const rest = chunk.subarray(Math.min(left, chunk.byteLength));
        left -= chunk.byteLength - rest.byteLength;
        if (rest.byteLength > 0) controller.enqueue(rest);
      },
    }),
  );
}
