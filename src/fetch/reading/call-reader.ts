import type { PageVersion } from "../../changes/page-version.ts";
import { DOCUMENT_HUNG } from "../../core/document-hung.ts";
import { streamOf } from "../../core/stream-of.ts";
import type { PageFetched, PageRejected, StoredPage } from "../../crawl/page/outcome.ts";
import type { ReadRequest } from "../request/page-request.ts";
import type { ContentRequest, StoredVersionRequest } from "./read-page.ts";

/**
 * Calls the reader Worker (src/reader.ts): a service binding, and on this machine another process. What it is asked and
 * what it answers has the same shape: JSON, and byte arrays after it. RPC would end at 32 MiB.
 */

/** What the reader is asked to do with a document. */
export type ReaderOrder = { contentType: string | null; headers: StoredPage["headers"] } & (
  | { task: "page"; request: ReadRequest; httpStatus: number; durationMs: number; now: number }
  | { task: "content"; request: ContentRequest }
  | { task: "version"; request: StoredVersionRequest }
);

/** The answer to each task. `parts` of a page are its content and the line of its links. */
export type ReaderAnswer =
  | { task: "page"; page: Omit<PageFetched, "body" | "content" | "pageLinks"> | PageRejected; has: PagePart[] }
  | { task: "content" }
  | { task: "version"; version: PageVersion | null }
  | { task: "unreadable"; why: string };

export type PagePart = "content" | "pageLinks";

/** The reader ended without an answer: by its CPU time, its memory, or a document on which it hung. */
export class ReaderDied extends Error {
  /** Whether this document is the cause, and no other that was read beside it. */
  readonly isCertain: boolean;

  constructor(why: string, isCertain = false) {
    super(why);
    this.name = "ReaderDied";
    this.isCertain = isCertain;
  }
}

/** Throws ReaderDied, and Error for a document that cannot be read. */
export async function callReader(
  reader: Fetcher,
  order: ReaderOrder,
  document: Uint8Array,
): Promise<{ answer: Exclude<ReaderAnswer, { task: "unreadable" }>; parts: Uint8Array[] }> {
  const body = streamOf(each(frame(order, [document])));
  const answered = await reader.fetch("http://reader/", { method: "POST", body }).catch(died);
  if (!answered.ok) {
    const why = (await answered.text()) || `status ${answered.status}`;
    throw new ReaderDied(why, answered.status === DOCUMENT_HUNG);
  }
  const bytes = new Uint8Array(await answered.arrayBuffer().catch(died));
  const { head, parts } = unframe<ReaderAnswer>(bytes);
  if (head.task === "unreadable") throw new Error(head.why);
  return { answer: head, parts };
}

async function* each(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

function died(error: unknown): never {
  throw new ReaderDied(error instanceof Error ? error.message : String(error));
}

interface Head<T> {
  head: T;
  /** The length of each part, in bytes. */
  lengths: number[];
}

const LENGTH_BYTES = 4;

/** The pieces of a message. */
export function frame(head: unknown, parts: readonly Uint8Array[]): Uint8Array[] {
  const lengths = parts.map(({ byteLength }) => byteLength);
  const json = new TextEncoder().encode(JSON.stringify({ head, lengths } satisfies Head<unknown>));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, json.byteLength);
  return [length, json, ...parts];
}

/** The parts are views of `bytes`. */
export function unframe<T>(bytes: Uint8Array): { head: T; parts: Uint8Array[] } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  let at = LENGTH_BYTES + length;
  const { head, lengths } = JSON.parse(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, at))) as Head<T>;
  const parts = lengths.map((size) => {
    at += size;
    return bytes.subarray(at - size, at);
  });
  return { head, parts };
}
