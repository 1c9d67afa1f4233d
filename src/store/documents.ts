import { sha256Of } from "../archive/sha256.ts";
import { putStream } from "./put-stream.ts";

/**
 * Documents that wait in R2 for the reader Worker. The page fetcher writes them, and the consumer of documents removes
 * each after its commit. Their keys lie beside the packs', so what is left goes with the crawl (Packs.removeSome).
 */

/** A body of known length comes as a stream, any other as a whole. */
export type DocumentBody = Uint8Array | { chunks: AsyncIterable<Uint8Array>; length: number };

export class Documents {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  async put(key: string, body: DocumentBody): Promise<void> {
    const put = (value: Uint8Array | ReadableStream) => this.#bucket.put(key, value).then(() => undefined);
    await (body instanceof Uint8Array ? put(body) : putStream(body.chunks, body.length, put));
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

/**
 * Each visit of a page has a key of its own, and all attempts of one visit share it: a second attempt replaces what the
 * first one left.
 */
export function documentKey(crawl: string, url: string, visit: number | null): string {
  return `${crawl}/packs/documents/${sha256Of(new TextEncoder().encode(url))}-${visit ?? "first"}`;
}
