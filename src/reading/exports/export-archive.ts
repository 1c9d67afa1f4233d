import { cdxBlocks, IDX_HEADER } from "../../archive/cdx-blocks.ts";
import { cdxjLine, compareLines } from "../../archive/cdxj.ts";
import { gzipMember } from "../../archive/gzip-member.ts";
import { encodeText } from "../../archive/header-block.ts";
import { type WaczPart, waczBytes, writeWacz } from "../../archive/wacz.ts";
import { pageLine, pagesHeader } from "../../archive/wacz-pages.ts";
import { joinBytes } from "../../core/join-bytes.ts";
import { streamOf } from "../../core/stream-of.ts";
import { SOFTWARE } from "../../core/version.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { crawlWarcinfo } from "../../crawl/crawl-warcinfo.ts";
import { cutPage } from "../../crawl/list-cursor.ts";
import type { ArchiveIndex, PackSlice } from "../../store/mirror/archive-index.ts";
import type { PartedStores } from "../../frontier/shards/over-parts.ts";

/**
 * Exports a packed crawl as WARC or WACZ. The crawl's warcinfo record and the answers of its packs are a WARC file; a
 * WACZ holds that file, its index and a list of pages. Packs are streamed as they are: they are not decompressed, and
 * only a chunk is in memory.
 */

/**
 * Packs in a part. Each is a subrequest, and a request may make 1,000 on Workers Free. An answer with all of them takes
 * what wrangler.toml allows; one that breaks off can be resumed at its last byte.
 * https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
const MAX_PACKS = 900;
/** The index and the list of pages are made before the first byte is sent: about 500 bytes of memory a record. */
export const MOST_WACZ_RECORDS = 50_000;
/** The texts of pages in a WACZ, in bytes. Pages beyond it are listed without their text. */
const MAX_TEXT_BYTES = 8_000_000;
/** All texts together take half of what the records take, which are compressed, and no page has less than this. */
const MIN_TEXT_CHARACTERS = 1_000;
const WARC_FILE = "data.warc.gz";
/** A further part continues a file. */
const NO_INFO = new Uint8Array(0);

type StoredPacks = { packs: Pick<PartedStores["packs"], "stream"> };

interface ArchivePart {
  bytes: number;
  /** Streams the part from this byte on. */
  open(from: number): ReadableStream<Uint8Array>;
  /** The cursor of the next part; null in the last part. */
  next: string | null;
}

/** Exports the WARC file, or a part of it. */
export async function exportWarc(
  crawl: Crawl,
  { cursor, isPart }: { cursor: string; isPart: boolean },
  index: Pick<ArchiveIndex, "packs">,
  deps: StoredPacks,
): Promise<ArchivePart> {
  const { page: part, cursor: next } = isPart
    ? cutPage(await index.packs(crawl.id, cursor, MAX_PACKS + 1), MAX_PACKS, ({ name }) => name)
    : { page: await index.packs(crawl.id), cursor: null };
  const info = cursor === "" ? crawlWarcinfo(crawl) : NO_INFO;
  return {
    bytes: info.byteLength + sizeOf(part),
    open: (from) => streamOf(warcBytes(crawl.id, info, part, from, deps)),
    next,
  };
}

/**
 * Exports the complete WACZ. Once the crawl has ended its bytes stay the same, so an interrupted transfer can be
 * resumed.
 */
export async function exportWacz(
  crawl: Crawl,
  index: PartedStores["archiveIndex"],
  deps: StoredPacks,
): Promise<ArchivePart> {
  const packs = await index.packs(crawl.id);
  const info = crawlWarcinfo(crawl);
  /** Where the first byte of each pack would be in the file. */
  const starts = new Map<string, number>();
  let end = info.byteLength;
  for (const { name, start, bytes } of packs) {
    starts.set(name, end - start);
    end += bytes;
  }
  const texts = crawl.options.search ? await index.texts(crawl.id, MAX_TEXT_BYTES) : new Map<string, string>();
  const mostText = Math.max(MIN_TEXT_CHARACTERS, Math.floor(end / 2 / Math.max(1, texts.size)));
  const lines: string[] = [];
  const pages: string[] = [pagesHeader(texts.size > 0)];
  let main: { url: string; date: number } | undefined;
  for await (const record of index.records(crawl.id)) {
    const { url, fetchedAt: date, status, contentType, sha256, length, page } = record;
    const offset = (starts.get(record.pack) ?? 0) + record.offset;
    const isRevisit = record.revisits !== null;
    lines.push(cdxjLine({ url, date, contentType, status, sha256, isRevisit, offset, length, filename: WARC_FILE }));
    if (page === null) continue;
    const text = texts.get(url)?.slice(0, mostText).toWellFormed();
    const id = `${sha256?.slice(0, 16)}${pages.length}`;
    pages.push(pageLine({ id, url, date, title: page.title, ...(text === undefined ? {} : { text }) }));
    if (page.depth === 0) main ??= { url, date };
  }
  lines.sort(compareLines);
  const blocks: Uint8Array[] = [];
  let idx = IDX_HEADER;
  for await (const { bytes, idxLine } of cdxBlocks(lines)) {
    blocks.push(bytes);
    idx += idxLine;
  }
  // An index without lines is an empty gzip member, because no bytes at all are no gzip file.
  if (blocks.length === 0) blocks.push(gzipMember([]));
  const parts: WaczPart[] = [
    { path: `archive/${WARC_FILE}`, bytes: end, open: () => warcBytes(crawl.id, info, packs, 0, deps) },
    bufferedPart("indexes/index.cdx.gz", joinBytes(blocks)),
    bufferedPart("indexes/index.idx", encodeText(idx)),
    bufferedPart("pages/pages.jsonl", encodeText(pages.join(""))),
  ];
  const about = {
    title: crawl.options.urls[0] ?? crawl.id,
    created: crawl.createdAt,
    software: SOFTWARE,
    ...(main === undefined ? {} : { mainPage: main }),
  };
  return { bytes: waczBytes(parts, about), open: (from) => skipBytes(writeWacz(parts, about), from), next: null };
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

function sizeOf(packs: PackSlice[]): number {
  return packs.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The bytes of a WARC file, or of a part of it, from this byte on. */
async function* warcBytes(
  crawl: string,
  info: Uint8Array,
  packs: PackSlice[],
  from: number,
  { packs: store }: StoredPacks,
): AsyncGenerator<Uint8Array> {
  if (from < info.byteLength) yield info.subarray(from);
  let at = info.byteLength;
  for (const { name, start, bytes } of packs) {
    const skipped = Math.max(0, from - at);
    at += bytes;
    if (skipped >= bytes) continue;
    const stream = await store.stream(crawl, name, start + skipped, bytes - skipped);
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
