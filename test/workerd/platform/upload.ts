import { joinBytes } from "../../../src/core/join-bytes.ts";

/**
 * A multipart upload of R2: parts that may be replaced until it is completed or aborted. The object is there when it is
 * completed, and not before: https://developers.cloudflare.com/r2/objects/upload-objects/#multipart-upload. Errors:
 * https://developers.cloudflare.com/r2/api/error-codes/
 */

/** All parts but the last have the same size, at least this. */
const MIN_PART_BYTES = 5 * 1_048_576;
const MAX_PARTS = 10_000;

interface Part {
  bytes: Uint8Array;
  etag: string;
}

export class Upload {
  readonly #parts = new Map<number, Part>();
  #puts = 0;
  #isOpen = true;

  put(partNumber: number, bytes: Uint8Array): R2UploadedPart {
    if (partNumber < 1 || partNumber > MAX_PARTS)
      throw new TypeError(
        `Part number must be between 1 and ${MAX_PARTS} (inclusive). Actual value was: ${partNumber}`,
      );
    this.#expectOpen("uploadPart");
    this.#puts += 1;
    const etag = `part ${this.#puts}`;
    this.#parts.set(partNumber, { bytes, etag });
    return { partNumber, etag };
  }

  /** The whole object. A part that was not uploaded, or was replaced later, is an error. */
  complete(uploaded: readonly R2UploadedPart[]): Uint8Array {
    this.#expectOpen("completeMultipartUpload");
    const sorted = uploaded.toSorted((a, b) => a.partNumber - b.partNumber);
    const pieces = sorted.map(({ partNumber, etag }) => {
      const part = this.#parts.get(partNumber);
      if (part?.etag === etag) return part.bytes;
      throw new Error("completeMultipartUpload: One or more of the specified parts could not be found. (10025)");
    });
    const [first, ...others] = pieces.slice(0, -1).map(({ byteLength }) => byteLength);
    const last = pieces.at(-1)?.byteLength ?? 0;
    if (first !== undefined && first < MIN_PART_BYTES)
      throw new Error(
        "completeMultipartUpload: Your proposed upload is smaller than the minimum allowed size. (10011)",
      );
    if (first !== undefined && (last > first || others.some((length) => length !== first)))
      throw new Error("completeMultipartUpload: All non-trailing parts must have the same length. (10048)");
    this.#isOpen = false;
    return joinBytes(pieces);
  }

  /** R2 takes the abortion of an upload that has ended. */
  abort(): void {
    this.#isOpen = false;
    this.#parts.clear();
  }

  #expectOpen(call: string): void {
    if (!this.#isOpen) throw new Error(`${call}: The specified multipart upload does not exist. (10024)`);
  }
}
