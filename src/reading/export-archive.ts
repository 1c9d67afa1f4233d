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
 * A packed crawl as the field's archives. Packs that follow one another are a WARC file as they are; a WACZ holds that file, an index of it
 * and a list of pages. Nothing is unpacked, and of the packs a chunk at a time is in memory.
 */

/**
 * Of one answer: each is a subrequest, of which there may be 1,000 where the account or the configuration has not raised it
 * (https://developers.cloudflare.com/workers/platform/limits/#subrequests).
 */
const MOST_PACKS = 900;
/** Index and list of pages are sorted and sized before the first byte: some 500 bytes of memory a page. */
export const MOST_WACZ_PAGES = 50_000;
const FILE = "data.warc.gz";

export interface ArchivePart {
  bytes: number;
  /** From that byte on. */
  open(from: number): ReadableStream<Uint8Array>;
  /** The cursor of the next part; null where this is the last. */
  next: string | null;
}

/** The WARC file, or a part of it. */
export async function exportWarc(crawl: Crawl, cursor: string, index: ArchiveIndex, deps: Deps): Promise<ArchivePart> {
  const packs = await index.packs(crawl.id, cursor, MOST_PACKS + 1);
  const part = packs.slice(0, MOST_PACKS);
  return {
    bytes: sizeOf(part),
    open: (from) => streamOf(packBytes(crawl.id, part, from, deps)),
    next: packs.length > MOST_PACKS ? (part.at(-1)?.name ?? null) : null,
  };
}

/** The WACZ, whole: the same bytes whenever it is asked for, once the crawl has ended, so that a transfer can go on where it broke off. */
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
    lines.push(cdxjLine({ url, date, contentType, status, sha256, isRevisit, offset, length, filename: FILE }));
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
    { path: `archive/${FILE}`, bytes: start, open: () => packBytes(crawl.id, packs, 0, deps) },
    whole("indexes/index.cdx.gz", joinBytes(blocks)),
    whole("indexes/index.idx", encodeText(idx)),
    whole("pages/pages.jsonl", encodeText(pages.join(""))),
  ];
  const info = {
    title: crawl.options.urls[0] ?? crawl.id,
    created: crawl.createdAt,
    software: SOFTWARE,
    ...(main === undefined ? {} : { mainPage: main }),
  };
  return { bytes: waczBytes(parts, info), open: (from) => skip(writeWacz(parts, info), from), next: null };
}

function whole(path: string, bytes: Uint8Array): WaczPart {
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
    yield* stream as ReadableStream<Uint8Array>;
  }
}

/** A ZIP is made anew and its beginning passed over: it costs reading what is not sent. */
function skip(stream: ReadableStream<Uint8Array>, from: number): ReadableStream<Uint8Array> {
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
