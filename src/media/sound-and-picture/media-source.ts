/** The bytes of a file that is read in parts. */

/** The length of a range. */
export const RANGE_BYTES = 65_536;
/** Ranges of one file, at most. Most files take one or two; an MP4 film whose description is long takes four. */
export const MAX_RANGES = 6;

export interface MediaSource {
  /** Null if the server does not say. */
  readonly size: number | null;
  /**
   * Fewer bytes than `length` only at the end of the file. Throws MissingBytes if they are not there yet: the source
   * notes where, and the file is read again once they have come.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Like `read`, with zeros for what is missing; nothing is noted. */
  readKnown(offset: number, length: number): Promise<Uint8Array>;
}

export class MissingBytes extends Error {
  constructor(offset: number) {
    super(`the bytes from ${offset} on were not read`);
    this.name = "MissingBytes";
  }
}

/**
 * What a reading gives, or `otherwise` if it lacks bytes. The source has noted them: either they come, and the file is
 * read again, or they never do, and the other facts stand.
 */
export async function unlessMissing<T, Otherwise>(reading: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof MissingBytes) return otherwise;
    throw error;
  }
}

/** A part of the file that has come. */
export interface MediaChunk {
  offset: number;
  bytes: Uint8Array;
}

/** A file of which some chunks have come. */
export class ChunkSource implements MediaSource {
  readonly size: number | null;
  readonly #chunks: readonly MediaChunk[];
  #missingAt: number | null = null;

  constructor(chunks: readonly MediaChunk[], size: number | null) {
    this.#chunks = chunks;
    this.size = size;
  }

  /** Where the first bytes are that were read and had not come; null if there are none. */
  get missingAt(): number | null {
    return this.#missingAt;
  }

  /** The start of the next range: the missing bytes, or the whole end of the file if they are near it. */
  get nextRange(): number | null {
    const at = this.#missingAt;
    if (at === null || this.size === null) return at;
    const start = Math.max(0, Math.min(at, this.size - RANGE_BYTES));
    // What has come already is not asked for again.
    return this.#unknownFrom(start, this.size) ?? at;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const end = this.#endOf(offset, length);
    const missing = this.#unknownFrom(offset, end);
    if (missing !== null) {
      this.#missingAt ??= missing;
      throw new MissingBytes(missing);
    }
    return this.#copy(offset, end);
  }

  async readKnown(offset: number, length: number): Promise<Uint8Array> {
    return this.#copy(offset, this.#endOf(offset, length));
  }

  #endOf(offset: number, length: number): number {
    if (!Number.isSafeInteger(offset) || offset < 0 || length < 0) throw new RangeError(`no such place: ${offset}`);
    return Math.max(offset, Math.min(offset + length, this.size ?? Number.MAX_SAFE_INTEGER));
  }

  /** The first byte from `offset` to before `end` that has not come; null if all have. */
  #unknownFrom(offset: number, end: number): number | null {
    let at = offset;
    while (at < end) {
      const chunk = this.#chunks.find(({ offset: from, bytes }) => from <= at && at < from + bytes.byteLength);
      if (chunk === undefined) return at;
      at = chunk.offset + chunk.bytes.byteLength;
    }
    return null;
  }

  #copy(offset: number, end: number): Uint8Array {
    const copy = new Uint8Array(end - offset);
    for (const { offset: from, bytes } of this.#chunks) {
      const start = Math.max(offset, from);
      const stop = Math.min(end, from + bytes.byteLength);
      if (start < stop) copy.set(bytes.subarray(start - from, stop - from), start - offset);
    }
    return copy;
  }
}
