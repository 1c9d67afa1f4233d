import { pipeline, Readable } from "node:stream";
import { createDecoder, isGzip } from "./content-coding.ts";
import { NetworkFailure } from "./http.ts";
import { brokenOff, codingsOf, undecodable } from "./read-body.ts";

/** Reads a body piece by piece, for documents that are too long to be held. */

interface StreamOptions {
  /** For a broken body: end after what has come of it, if anything has, and call this. Otherwise it throws. */
  onBroken?: (failure: NetworkFailure) => void;
}

/**
 * Streams the body. Undoes its codings, and the gzip of a file that was compressed before it was served. The transfer
 * stops when the caller stops reading. Throws NetworkFailure if the signal ends the transfer, and for a broken body.
 */
export async function* streamBody(
  response: Response,
  signal: AbortSignal,
  { onBroken }: StreamOptions = {},
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let chunks = transfer(response.body, signal);
  // The end of a broken coding is accepted silently, because a decoder that fails drops what it holds.
  for (const coding of [...codingsOf(response), "gzip"]) chunks = decodeStream(coding, chunks, onBroken !== undefined);
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
  const { done, value: first } = await chunks.next();
  if (done) return;
  const whole = prepend(first, chunks);
  const isPlain = coding.endsWith("gzip") && !isGzip(first);
  yield* isPlain ? whole : pipeline(Readable.from(whole), createDecoder(coding, first, isPart), () => undefined);
}

async function* prepend<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
