import { sha256Of } from "../../archive/sha256.ts";
import { putStream } from "./put-stream.ts";

/**
 * Documents that wait in R2 for the reader Worker. The page fetcher writes them, and the consumer of documents removes
 * each after its commit. Their keys lie beside the packs, so what is left goes with the crawl (Packs.removeSome).
 */

/** A body of known length comes as a stream, any other as a whole or in parts. */
export type DocumentBody = Uint8Array | { chunks: AsyncIterable<Uint8Array>; length: number };

/**
 * All parts of an upload but the last have the same size, at least this:
 * https://developers.cloudflare.com/r2/objects/upload-objects/#multipart-upload
 */
export const PART_BYTES = 5 * 1_048_576;

/** What the page fetcher does with documents. */
export type DocumentStore = Pick<Documents, "put" | "putParts" | "remove">;

export class Documents {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async put(key: string, body: DocumentBody): Promise<void> {
    const put = (value: Uint8Array | ReadableStream) => this.#bucket.put(key, value).then(() => undefined);
    await (body instanceof Uint8Array ? put(body) : putStream(body.chunks, body.length, put));
  }

  /**
   * Puts a body of unknown length. Holds PART_BYTES of it. Returns the number of writes. If it throws what `chunks`
   * throws, nothing is written.
   */
  async putParts(key: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const upload = await this.#bucket.createMultipartUpload(key);
    try {
      const uploaded: R2UploadedPart[] = [];
      for await (const part of inParts(chunks)) uploaded.push(await upload.uploadPart(uploaded.length + 1, part));
      await upload.complete(uploaded);
      return uploaded.length + 2;
    } catch (error) {
      // R2 removes what was not completed after a week.
      await upload.abort().catch(() => undefined);
      throw error;
    }
  }

  /** Null if there is no such document. */
  async read(key: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = await this.#bucket.get(key);
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  async remove(key: string): Promise<void> {
    await this.#bucket.delete(key);
  }
}

/** The body in parts of PART_BYTES, each in the memory of the one before. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.byteLength; ) {
      const taken = chunk.subarray(at, at + PART_BYTES - filled);
      part.set(taken, filled);
      filled += taken.byteLength;
      at += taken.byteLength;
      if (filled < PART_BYTES) continue;
      yield part;
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

/**
 * Each visit of a page has a key of its own, and all attempts of one visit share it: a second attempt replaces what the
 * first one left.
 */
export function documentKey(crawl: string, url: string, visit: number | null): string {
  return `${crawl}/packs/documents/${sha256Of(new TextEncoder().encode(url))}-${visit ?? "first"}`;
}
