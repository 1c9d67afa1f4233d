import { joinBytes } from "../../core/join-bytes.ts";
import { isMisnamed } from "./content-coding.ts";
import { decodePieces, inPieces, TooLong } from "./decode-pieces.ts";
import { NetworkFailure } from "./http.ts";
import { brokenOff, codingsOf, undecodable } from "./read-body.ts";

/** Reads a body piece by piece, for documents that are too long to be held. */

/** The first two bytes tell whether a body is in gzip, and whether `deflate` is zlib. */
const CODING_BYTES = 2;

/** The body, or what its last coding is undone from, is longer than the caller takes. */
export class TooLongBody extends NetworkFailure {}

interface StreamOptions {
  /**
   * The caller stops after so many bytes, decoded. A body that is longer before its last coding is undone is broken.
   */
  maxBytes: number;
  /** For a broken body: end after what has come of it, if anything has, and call this. Otherwise it throws. */
  onBroken?: (failure: NetworkFailure) => void;
  /** Leave a file that was compressed before it was served as it is. */
  asServed?: boolean;
}

/**
 * Streams the body. Undoes its codings, and the gzip of a file that was compressed before it was served. The transfer
 * stops when the caller stops reading. Throws NetworkFailure if the signal ends the transfer, and for a broken body.
 */
export async function* streamBody(
  response: Response,
  signal: AbortSignal,
  { maxBytes, onBroken, asServed = false }: StreamOptions,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let chunks = transfer(response.body, signal);
  // The end of a broken coding is accepted silently, because a decoder that fails drops what it holds.
  for (const coding of [...codingsOf(response), ...(asServed ? [] : ["gzip"])])
    chunks = decodeStream(coding, chunks, { limit: maxBytes, isPart: onBroken !== undefined });
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    const failure = failureOf(error);
    if (onBroken === undefined || length === 0 || failure.reason === "timeout") throw failure;
    onBroken(failure);
  }
}

function failureOf(error: unknown): NetworkFailure {
  if (error instanceof NetworkFailure) return error;
  return error instanceof TooLong ? new TooLongBody("parse", error.message) : undecodable();
}

async function* transfer(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw brokenOff(error, length, signal);
  }
}

/** Undoes one coding of a stream. A stream that is called gzip and is not stays as it is. */
async function* decodeStream(
  coding: string,
  chunks: AsyncGenerator<Uint8Array>,
  limits: { limit: number; isPart: boolean },
): AsyncGenerator<Uint8Array> {
  const first = await firstBytes(chunks);
  if (first.length === 0) return;
  const whole = prepend(first, chunks);
  yield* isMisnamed(coding, first) ? whole : decodePieces(coding, cut(whole), limits);
}

async function* cut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield* inPieces(chunk);
}

/** The first chunks, joined: at least CODING_BYTES, or fewer if no more come. */
async function firstBytes(chunks: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let first = new Uint8Array(0);
  while (first.length < CODING_BYTES) {
    const { done, value } = await chunks.next();
    if (done) break;
    first = joinBytes([first, value]);
  }
  return first;
}

async function* prepend<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
