import { readRecord } from "../../archive/read-warc-record.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { PackedPage, StoredPage } from "../../crawl/page/outcome.ts";
import { DRAWN_TYPE, type Part, type StoredContent } from "../../crawl/page/page-format.ts";
import type { Records } from "../records/records.ts";
import type { Mirror } from "./mirror.ts";
import type { Packs } from "./packs.ts";

/** Reads a stored page and its content from the packs or files of its crawl. */

/** The stores that hold the pages of a crawl. */
export interface Stores {
  mirror: Mirror;
  packs: Packs;
  records: Records;
}

/** What reading a stored page takes of them. */
export interface PageStores {
  mirror: Pick<Mirror, "read" | "content">;
  packs: Pick<Packs, "read">;
  records: Pick<Records, "packed" | "packedAs" | "allPacked">;
}

/** A page's place in its pack, as the ledger has it. */
export type PackedRow = PackedPage & { contentType: string; sha256: string | null };

/**
 * Null if there is no such page. `row`: the page's place, if the caller has already read it. Throws UnreadableRecord if
 * a pack does not match the ledger.
 */
export async function readStoredPage(
  crawl: Crawl,
  url: string,
  deps: PageStores,
  row?: PackedRow | null,
): Promise<StoredPage | null> {
  const packed = row === undefined ? await deps.records.packed(crawl.id, url) : row;
  const page = packed === null ? null : await unpack(crawl.id, packed, deps);
  // A watch packs what it reads later.
  return page === null && crawl.options.store === "files" ? deps.mirror.read(crawl.id, url) : page;
}

/** A stored page as it was read: in place of its answer the page that a browser drew, if one did. */
export async function readRenderedPage(
  crawl: Crawl,
  url: string,
  deps: PageStores,
  row?: PackedRow | null,
): Promise<StoredPage | null> {
  if (crawl.options.render === "never") return readStoredPage(crawl, url, deps, row);
  const packed = row === undefined ? await deps.records.packed(crawl.id, url) : row;
  const page = await readStoredPage(crawl, url, deps, packed);
  const content = page === null || packed === null ? null : await packedContent(crawl.id, packed, deps);
  return page === null ? null : asDrawn(page, content);
}

/** The page that a browser drew, if its content has one. */
export function asDrawn(page: StoredPage, content: StoredContent | null): StoredPage {
  if (content?.drawn === undefined) return page;
  return { ...page, body: new TextEncoder().encode(content.drawn.html), contentType: DRAWN_TYPE };
}

/** The stored content of a page, as far as these parts need it; null if there is none. */
export async function readStoredContent(
  crawl: Crawl,
  url: string,
  parts: readonly Part[],
  deps: PageStores,
  row: PackedRow | null,
): Promise<StoredContent | null> {
  const packed = row === null ? null : await packedContent(crawl.id, row, deps);
  if (packed !== null && parts.every((part) => packed[part] !== undefined)) return packed;
  // Content that is made later has its own object, which repeats all earlier parts. A watch replaces pages.
  const sha256 = crawl.watchingSince === null ? null : (row?.sha256 ?? null);
  return (await deps.mirror.content(crawl.id, url, sha256)) ?? packed;
}

async function packedContent(
  crawl: string,
  { pack, contentOffset, contentLength }: PackedRow,
  { packs }: PageStores,
): Promise<StoredContent | null> {
  if (contentOffset === null || contentLength === null) return null;
  const member = await packs.read(crawl, pack, contentOffset, contentLength);
  if (member === null) return null;
  return JSON.parse(new TextDecoder().decode((await readRecord(member)).payload)) as StoredContent;
}

async function unpack(
  crawl: string,
  { pack, offset, length, revisits, contentType, sha256 }: PackedRow,
  deps: PageStores,
): Promise<StoredPage | null> {
  if (offset === null || length === null) return null;
  const member = await deps.packs.read(crawl, pack, offset, length);
  if (member === null) return null;
  const { status, httpHeaders, payload } = await readRecord(member);
  const page = { contentType, headers: httpHeaders, httpStatus: status ?? 200 };
  if (revisits === null) return { ...page, body: payload };
  // A revisit has its own head, and the body of the page that had the same content first; no revisit refers to a
  // revisit. In a watch that page may say something else by now.
  const row = await deps.records.packedAs(crawl, revisits, sha256);
  const original = row === null || row.revisits !== null ? null : await unpack(crawl, row, deps);
  return original === null ? null : { ...page, body: original.body };
}
