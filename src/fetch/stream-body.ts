import { pipeline, Readable } from "node:stream";
import { joinBytes } from "../archive/warc-record.ts";
import { createDecoder, isMisnamed } from "./content-coding.ts";
import { NetworkFailure } from "./http.ts";
import { brokenOff, codingsOf, undecodable } from "./read-body.ts";

/** Reads a body piece by piece, for documents that are too long to be held. */

/** The first two bytes tell whether a body is in gzip, and whether `deflate` is zlib. */
const CODING_BYTES = 2;

interface StreamOptions {
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
  { onBroken, asServed = false }: StreamOptions = {},
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let chunks = transfer(response.body, signal);
  // The end of a broken coding is accepted silently, because a decoder that fails drops what it holds.
  for (const coding of [...codingsOf(response), ...(asServed ? [] : ["gzip"])])
    chunks = decodeStream(coding, chunks, onBroken !== undefined);
  let length = 0;
  try {
    for await (const chunk of chunks) {
      length += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    const failure = error instanceof NetworkFailure ? error : undecodable();
    if (onBroken === undefined || length === 0 || failure.reason === "timeout") throw failure;
    onBroken(failure);
  }
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
  isPart: boolean,
): AsyncGenerator<Uint8Array> {
  const first = await firstBytes(chunks);
  if (first.length === 0) return;
  const whole = prepend(first, chunks);
  yield* isMisnamed(coding, first)
    ? whole
    : pipeline(Readable.from(whole), createDecoder(coding, first, isPart), () => undefined);
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
