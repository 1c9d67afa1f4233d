import { joinBytes } from "../../core/join-bytes.ts";
import { logError } from "../../core/log.ts";
import { type DocumentStore, PART_BYTES } from "../../store/mirror/documents.ts";
import type { Readable } from "../answer/readable.ts";
import { NoRoom } from "../transport/byte-budget.ts";
import { NetworkFailure } from "../transport/http.ts";
import { codingsOf, FREE_BODY_BYTES } from "../transport/read-body.ts";
import { streamBody, TooLongBody } from "../transport/stream-body.ts";

/** Puts the body of a document into the mirror as it arrives, for the reader Worker. */

/** Where a document goes. */
export interface DocumentOrder {
  /** Its key in the mirror (store/mirror/documents.ts). */
  key: string;
  /** Maximum size, decompressed. */
  maxBytes: number;
  /** Whether it takes pages of all kinds that weigh much too. */
  takesLarge: boolean;
}

/** `writes`: of the mirror. `other`: its first bytes show no such document. `failed`: the mirror did not take it. */
export type StoredDocument = { writes: number } | "failed" | "empty" | "too-large" | "other";

/** Enough to tell a document by its first bytes. An archive may name its parts late. */
const START_BYTES = 65_536;
/** What a body of unknown length needs: a part, and the chunk that comes meanwhile. */
const RESERVED_BYTES = PART_BYTES + FREE_BODY_BYTES;

/**
 * `begins`: decides by the first bytes whether it is a document. No body is held in memory as a whole: `reserve` is
 * asked, once, for the memory of a part of a long body whose length is not known. Throws NetworkFailure for a transfer
 * that breaks off, and NoRoom.
 */
export async function storeDocument(
  { response, signal, received }: Readable,
  { key, maxBytes }: DocumentOrder,
  begins: (start: Uint8Array) => boolean,
  documents: DocumentStore,
  reserve: (bytes: number) => Promise<void>,
): Promise<StoredDocument> {
  const chunks = count(streamBody(response, signal, { maxBytes, asServed: true }), received);
  try {
    const start = await readOn(NOTHING, chunks, START_BYTES);
    if (start.byteLength === 0) return "empty";
    if (!begins(start)) return "other";
    const declared = Number(response.headers.get("content-length"));
    const isExact = declared > 0 && codingsOf(response).length === 0;
    if (isExact) {
      await documents.put(key, { chunks: prepend(start, chunks), length: declared });
      return { writes: 1 };
    }
    const small = await readOn(start, chunks, FREE_BODY_BYTES);
    if (small.byteLength > maxBytes) return "too-large";
    if (small.byteLength < FREE_BODY_BYTES) {
      await documents.put(key, small);
      return { writes: 1 };
    }
    await reserve(RESERVED_BYTES);
    return { writes: await documents.putParts(key, within(prepend(small, chunks), maxBytes)) };
  } catch (error) {
    if (error instanceof TooLongBody) return "too-large";
    if (error instanceof NetworkFailure || error instanceof NoRoom) throw error;
    logError("document-not-stored", error, {});
    // It may be there although the answer was lost, and its URL may end without another attempt.
    await documents.remove(key).catch(() => undefined);
    return "failed";
  } finally {
    await chunks.return(undefined);
  }
}

async function* count(chunks: AsyncIterable<Uint8Array>, received: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    received.bytes += chunk.byteLength;
    yield chunk;
  }
}

const NOTHING = new Uint8Array(0);

/** Reads until it has at least `length` bytes, or fewer if no more come. */
async function readOn(start: Uint8Array, chunks: AsyncGenerator<Uint8Array>, length: number): Promise<Uint8Array> {
  const found = [start];
  let bytes = start.byteLength;
  while (bytes < length) {
    const { done, value } = await chunks.next();
    if (done) break;
    found.push(value);
    bytes += value.byteLength;
  }
  return joinBytes(found);
}

async function* prepend(start: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}

/** Throws TooLongBody beyond `limit` bytes. */
async function* within(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    if (length > limit) throw new TooLongBody("parse", `more than ${limit} bytes`);
    yield chunk;
  }
}
