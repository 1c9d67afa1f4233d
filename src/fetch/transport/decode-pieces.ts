import type { Transform } from "node:stream";
import { joinBytes } from "../../core/join-bytes.ts";
import { createDecoder } from "./content-coding.ts";

/**
 * Undoes a content coding piece by piece, up to a limit: a few bytes can stand for gigabytes, of which no more than the
 * limit is ever made, and other work has its turn in between.
 *
 * The decoder's own buffer cannot be used: of Brotli, workerd makes all that a chunk stands for before anybody reads.
 */

/** A decoded body is longer than its limit. What was made until then has come. */
export class TooLong extends Error {
  constructor(limit: number) {
    super(`decompressed, the body has more than ${limit.toLocaleString("en")} bytes`);
  }
}

/** Of gzip, this much stands for 4 MiB at most. */
const PIECE_BYTES = 4_096;
/** The first piece tells whether `deflate` is zlib. */
const FIRST_BYTES = 2;
/** What is made before other work has its turn. */
const TURN_BYTES = 1_048_576;

interface Limits {
  /** In bytes, decoded. A little more may come. */
  limit: number;
  /** The end of the body may be missing. */
  isPart: boolean;
}

/** Throws TooLong, or an error if the bytes are not in the coding; after what was made of the bytes before. */
export async function* decodePieces(
  coding: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: Limits,
): AsyncGenerator<Uint8Array> {
  let decoder: PieceDecoder | null = null;
  let sinceTurn = 0;
  try {
    for await (const piece of pieces) {
      decoder ??= new PieceDecoder(coding, piece, limits);
      for (const chunk of await decoder.write(piece)) {
        sinceTurn += chunk.byteLength;
        yield chunk;
      }
      decoder.check();
      if (decoder.hasEnded) return;
      if (sinceTurn < TURN_BYTES) continue;
      sinceTurn = 0;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    yield* (await decoder?.end()) ?? [];
    decoder?.check();
  } finally {
    decoder?.close();
  }
}

/** `isWhole`: the body ends within the limit. Otherwise `bytes` is the beginning, and a little more than the limit. */
export interface Decoded {
  bytes: Uint8Array;
  isWhole: boolean;
}

/** Undoes one coding. Throws if the bytes are not in the coding. */
export async function decodeUpTo(coding: string, bytes: Uint8Array, limits: Limits): Promise<Decoded> {
  const { error, ...decoded } = await gather(decodePieces(coding, inPieces(bytes), limits));
  if (error === null) return decoded;
  throw error;
}

/** Undoes one coding as far as the bytes are in it. */
export async function decodeBeginning(coding: string, bytes: Uint8Array, limit: number): Promise<Decoded> {
  const limits = { limit, isPart: true };
  let fed = 0;
  const count = function* (pieces: Iterable<Uint8Array>) {
    for (const piece of pieces) {
      fed += piece.byteLength;
      yield piece;
    }
  };
  const { error, ...decoded } = await gather(decodePieces(coding, count(inPieces(bytes)), limits));
  if (error === null) return decoded;
  // What a decoder makes of a piece in which it fails is lost, so the piece with the damage comes byte by byte.
  const damaged = Math.floor((fed - 1) / PIECE_BYTES) * PIECE_BYTES || FIRST_BYTES;
  const again = [...inPieces(bytes.subarray(0, damaged)), ...inPieces(bytes.subarray(damaged, fed), 1)];
  const { bytes: found, isWhole } = await gather(decodePieces(coding, again, limits));
  return { bytes: found, isWhole };
}

export function* inPieces(bytes: Uint8Array, length = PIECE_BYTES): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Decoded & { error: unknown }> {
  const made: Uint8Array[] = [];
  let error: unknown = null;
  let isWhole = true;
  try {
    for await (const chunk of chunks) made.push(chunk);
  } catch (thrown) {
    if (thrown instanceof TooLong) isWhole = false;
    else error = thrown;
  }
  return { bytes: joinBytes(made), isWhole, error };
}

/** A decoder of node:zlib whose chunks are taken as it makes them, and which stops at the limit. */
class PieceDecoder {
  readonly #stream: Transform;
  readonly #limit: number;
  #made: Uint8Array[] = [];
  #length = 0;
  #error: Error | null = null;
  /** Whether the coding has ended. What follows does not belong to it. */
  hasEnded = false;
  #settle: () => void = () => undefined;

  constructor(coding: string, first: Uint8Array, { limit, isPart }: Limits) {
    this.#limit = limit;
    this.#stream = createDecoder(coding, first, isPart);
    this.#stream.push = (chunk: Uint8Array | null) => this.#take(chunk);
    this.#stream.on("error", (error) => {
      this.#error ??= error;
      this.#settle();
    });
    this.#stream.on("close", () => this.#settle());
  }

  /** Returns what it makes of a piece. */
  write(piece: Uint8Array): Promise<Uint8Array[]> {
    return this.#run((done) => void this.#stream.write(piece, done));
  }

  /** Returns what is left. */
  end(): Promise<Uint8Array[]> {
    return this.#run((done) => void this.#stream.end(done));
  }

  /** Throws if the last piece was bad, or the limit is reached. */
  check(): void {
    if (this.#length > this.#limit) throw new TooLong(this.#limit);
    if (this.#error !== null) throw this.#error;
  }

  close(): void {
    this.#stream.destroy();
  }

  async #run(act: (done: () => void) => void): Promise<Uint8Array[]> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settle = resolve;
    act(resolve);
    await promise;
    return this.#made.splice(0);
  }

  /** In place of the stream's own buffer. */
  #take(chunk: Uint8Array | null): boolean {
    if (chunk === null) this.hasEnded = true;
    else if (chunk.byteLength > 0) {
      this.#made.push(chunk);
      this.#length += chunk.byteLength;
    }
    if (this.#length > this.#limit) this.#stream.destroy();
    return true;
  }
}
