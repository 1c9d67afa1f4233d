import { joinBytes } from "../archive/warc-record.ts";
import type { DocumentBody, Documents } from "../store/documents.ts";
import { type ByteLease, bodies } from "./byte-budget.ts";
import { NetworkFailure } from "./http.ts";
import { codingsOf, FREE_BODY_BYTES } from "./read-body.ts";
import type { Readable } from "./readable.ts";
import { streamBody } from "./stream-body.ts";

/** Puts the body of a document into the mirror as it arrives, for the reader Worker. */

/** Where a document goes. */
export interface DocumentOrder {
  /** Its key in the mirror (store/documents.ts). */
  key: string;
  /** Maximum size, decompressed. */
  maxBytes: number;
}

/** `other`: its first bytes show no such document. `failed`: the mirror did not take it. */
export type StoredDocument = "stored" | "failed" | "empty" | "too-large" | "other";

/** Enough to tell a document by its first bytes. An archive may name its parts late. */
const START_BYTES = 65_536;

/**
 * `begins`: decides by the first bytes whether it is a document. A body of known length is never held in memory as a
 * whole; any other takes its share of the isolate's budget for at most `leaseMs`. Throws NetworkFailure for a transfer
 * that breaks off.
 */
export async function storeDocument(
  { response, signal, deadline, received }: Readable,
  { key, maxBytes }: DocumentOrder,
  begins: (start: Uint8Array) => boolean,
  documents: Documents,
  leaseMs: number,
): Promise<StoredDocument> {
  const chunks = count(streamBody(response, signal, { asServed: true }), received);
  const start = await readStart(chunks, maxBytes);
  if (start.byteLength === 0) return "empty";
  if (!begins(start)) return "other";
  const declared = Number(response.headers.get("content-length"));
  const isExact = declared > 0 && codingsOf(response).length === 0;
  let lease: ByteLease | undefined;
  try {
    let body: DocumentBody;
    if (isExact) body = { chunks: prepend(start, chunks), length: declared };
    else {
      if (maxBytes > FREE_BODY_BYTES) lease = await deadline.exclude(bodies.take(maxBytes, leaseMs));
      const whole = await collect(start, chunks, maxBytes);
      if (whole === null) return "too-large";
      body = whole;
    }
    await documents.put(key, body);
    return "stored";
  } catch (error) {
    if (error instanceof NetworkFailure) throw error;
    return "failed";
  } finally {
    lease?.release();
    await chunks.return(undefined);
  }
}

async function* count(chunks: AsyncIterable<Uint8Array>, received: { bytes: number }): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    received.bytes += chunk.byteLength;
    yield chunk;
  }
}

async function readStart(chunks: AsyncGenerator<Uint8Array>, limit: number): Promise<Uint8Array> {
  const found: Uint8Array[] = [];
  let length = 0;
  while (length < Math.min(START_BYTES, limit)) {
    const { done, value } = await chunks.next();
    if (done) break;
    found.push(value);
    length += value.byteLength;
  }
  return joinBytes(found);
}

async function* prepend(start: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}

/** Null if the body is longer than the limit. */
async function collect(start: Uint8Array, rest: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | null> {
  const found = [start];
  let length = start.byteLength;
  for await (const chunk of rest) {
    length += chunk.byteLength;
    if (length > limit) break;
    found.push(chunk);
  }
  return length > limit ? null : joinBytes(found);
}
