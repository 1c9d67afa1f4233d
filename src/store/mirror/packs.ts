import { joinBytes } from "../../core/join-bytes.ts";
import { putStream } from "./put-stream.ts";

/**
 * The packed mirror: the records of a batch are one R2 object, a complete WARC file. Reading a page is one ranged get.
 */

/** What a batch holds at most before it writes a pack, and some more. */
const MAX_JOINED_BYTES = 12 * 1024 * 1024;

/** Objects that one call of R2 deletes, or lists. */
const MOST_AT_ONCE = 1_000;

export class Packs {
  readonly #bucket: R2Bucket;

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket;
  }

  /** A large pack is not copied into one array. */
  async put(crawl: string, name: string, pieces: readonly Uint8Array[]): Promise<void> {
    const httpMetadata = { contentType: "application/warc" };
    const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    const put = (body: Uint8Array | ReadableStream) =>
      this.#bucket.put(packKey(crawl, name), body, { httpMetadata }).then(() => undefined);
    await (length <= MAX_JOINED_BYTES ? put(joinBytes(pieces)) : putStream(pieces, length, put));
  }

  /** `length` bytes of a pack from `offset` on; null if there is no such pack. */
  async read(crawl: string, name: string, offset: number, length: number): Promise<Uint8Array | null> {
    const object = await this.#bucket.get(packKey(crawl, name), { range: { offset, length } });
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  /** Streams the same bytes. */
  async stream(crawl: string, name: string, offset: number, length: number): Promise<ReadableStream | null> {
    const object = await this.#bucket.get(packKey(crawl, name), { range: { offset, length } });
    return object?.body ?? null;
  }

  /** Removes these packs: up to 1,000. */
  async remove(crawl: string, names: readonly string[]): Promise<void> {
    await this.#bucket.delete(names.map((name) => packKey(crawl, name)));
  }

  /**
   * Removes up to 1,000 packs of a crawl, and objects of its passes. It lists them, to find packs without a commit,
   * too. Returns false if none is left.
   */
  async removeSome(crawl: string): Promise<boolean> {
    const { objects, truncated } = await this.#bucket.list({ prefix: `${crawl}/packs/`, limit: MOST_AT_ONCE });
    if (objects.length > 0) await this.#bucket.delete(objects.map(({ key }) => key));
    return truncated;
  }
}

/** The beginning of the names of packs that are written at this time. They are in the order of their times. */
export function packNameAt(now: number): string {
  return now.toString(36).padStart(9, "0");
}

/** No page has this key: a file directly in a host's folder never has such a name. */
function packKey(crawl: string, name: string): string {
  return `${crawl}/packs/${name}.warc.gz`;
}
