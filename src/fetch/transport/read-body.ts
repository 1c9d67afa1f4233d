import { joinBytes } from "../../core/join-bytes.ts";
import type { Truncation } from "../../crawl/truncation.ts";
import { startsAsText } from "../../media/kind/sniff.ts";
import { decode, isKnownCoding } from "./content-coding.ts";
import { type Decoded, decodeBeginning, decodeUpTo } from "./decode-pieces.ts";
import { messageOf, NetworkFailure } from "./http.ts";

/** Reads a whole body within a limit, and undoes its content codings. */

interface Body {
  bytes: Uint8Array;
  /** Whether it ended within the limit. */
  complete: boolean;
  /** How it is broken; null if it is whole. */
  truncated: Truncation | null;
}

interface BodyOptions {
  /**
   * Before more than FREE_BODY_BYTES are held, this is called and awaited once, with the most bytes that the body can
   * have.
   */
  reserve?: (bytes: number) => Promise<void>;
  /** Return what has come of a broken body, if any has. Otherwise a broken body throws. */
  keepBroken?: boolean;
}

/** First buffer for a body of unknown length; it grows fourfold. Few large reads cost less than many small ones. */
const FIRST_READ_BYTES = 65_536;
/** A smaller body needs no reservation: the 25 of a batch hold 12.5 MiB. */
export const FREE_BODY_BYTES = 524_288;

/**
 * Reads at most `limit` bytes, then stops the transfer. The limit applies to the decoded body, and to the body before
 * it is decoded. Throws NetworkFailure if the signal ends the transfer, and for a broken body.
 */
export async function readBody(
  response: Response,
  limit: number,
  signal: AbortSignal,
  { reserve = async () => undefined, keepBroken = false }: BodyOptions = {},
): Promise<Body> {
  const codings = codingsOf(response);
  const declared = Number(response.headers.get("content-length")) || 0;
  // The length of a body with a coding is that before it is decoded.
  const isExact = declared > 0 && codings.length === 0;
  const hold = reserveOnce(isExact ? Math.min(declared, limit) : limit, reserve);
  const decoding = { codings, limit, hold, keepBroken };
  const expected = declared || FIRST_READ_BYTES;
  const sent = await readStream(response.body, expected, { ...decoding, signal });
  if (codings.length === 0) return sent;
  const body = await decodeBody(sent.bytes, !sent.complete || sent.truncated !== null, decoding);
  return { ...body, complete: sent.complete && body.complete, truncated: sent.truncated ?? body.truncated };
}

interface Decoding {
  /** The last applied first. */
  codings: readonly string[];
  limit: number;
  /** Waits for memory for this many bytes. */
  hold: (bytes: number) => Promise<void>;
  keepBroken: boolean;
}

/** `isPart`: the end of the body may be missing. */
async function decodeBody(sent: Uint8Array, isPart: boolean, decoding: Decoding): Promise<Body> {
  const { codings, limit, hold, keepBroken } = decoding;
  let bytes = sent;
  let complete = true;
  let truncated: Truncation | null = null;
  const take = (decoded: Decoded) => {
    bytes = decoded.bytes;
    complete &&= decoded.isWhole && bytes.length <= limit;
  };
  for (const [i, coding] of codings.entries()) {
    if (bytes.length === 0) break;
    try {
      take(await decodeWithin(coding, bytes, isPart || !complete, decoding));
    } catch {
      const isText = startsAsText(bytes, null);
      // Some servers name a coding twice that they have applied once.
      if (i > 0 && isText) break;
      if (!keepBroken) throw undecodable();
      truncated = "unspecified";
      if (isText) break;
      await hold(limit);
      const beginning = await decodeBeginning(coding, bytes, limit);
      if (beginning.bytes.length === 0) break;
      take(beginning);
    }
  }
  return { bytes: joinBytes([bytes], Math.min(bytes.length, limit)), complete, truncated };
}

/** Undoes one coding, within the limit. Throws if the bytes are not in the coding. */
async function decodeWithin(
  coding: string,
  bytes: Uint8Array,
  isPart: boolean,
  { limit, hold }: Pick<Decoding, "limit" | "hold">,
): Promise<Decoded> {
  const free = decode(coding, bytes, Math.min(limit, FREE_BODY_BYTES), isPart);
  if (free !== null) return { bytes: free, isWhole: true };
  await hold(limit);
  return decodeUpTo(coding, bytes, { limit, isPart });
}

/** Whether a body that begins so is longer than the limit after it is decoded. */
async function isTooLong(start: Uint8Array, decoding: Decoding): Promise<boolean> {
  const [coding] = decoding.codings;
  if (coding === undefined) return false;
  try {
    return !(await decodeWithin(coding, start, true, decoding)).isWhole;
  } catch {
    // It is not in its coding, which `decodeBody` finds again.
    return false;
  }
}

/** A coding of the body that `readBody` leaves as it is; null if there is none. */
export function unknownCoding(response: Response): string | null {
  return codingNames(response).find((name) => !isKnownCoding(name)) ?? null;
}

/**
 * The codings to undo, the last applied first. Unknown names (`utf-8`, `none`, `chunked`) are ignored, as browsers do.
 */
export function codingsOf(response: Response): string[] {
  return codingNames(response).filter(isKnownCoding).reverse();
}

/** In lower case, in the order in which the server applied them. */
function codingNames({ headers }: Response): string[] {
  const names = (headers.get("content-encoding") ?? "").split(",").map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== "" && name !== "identity");
}

/** Returns a function that waits for `reserve` when more than FREE_BODY_BYTES are to be held, and only once. */
function reserveOnce(most: number, reserve: (bytes: number) => Promise<void>): (held: number) => Promise<void> {
  let isReserved = false;
  return async (held) => {
    if (isReserved || held <= FREE_BODY_BYTES) return;
    isReserved = true;
    await reserve(most);
  };
}

async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  expected: number,
  { signal, ...decoding }: Decoding & { signal: AbortSignal },
): Promise<Body> {
  if (stream === null) return { bytes: new Uint8Array(0), complete: true, truncated: null };
  const { limit, hold, keepBroken } = decoding;
  const reader = stream.getReader({ mode: "byob" });
  // One byte more than expected, so a short read is the last one.
  let room = Math.min(expected, limit) + 1;
  const chunks: Uint8Array[] = [];
  let length = 0;
  let checkAt = FIRST_READ_BYTES;
  let complete = true;
  let truncated: Truncation | null = null;
  try {
    for (;;) {
      // A read that fails returns none of its bytes, so a body that may break is read as its bytes come.
      const size = keepBroken ? Math.min(room, FIRST_READ_BYTES) : room;
      const least = keepBroken ? 1 : size;
      await hold(length + size - 1);
      // https://developers.cloudflare.com/workers/runtime-apis/streams/readablestreambyobreader/
      const { value } = await reader.readAtLeast(least, new Uint8Array(size));
      // A copy, because few bytes would hold a whole buffer.
      if (value !== undefined) chunks.push(keepBroken ? value.slice() : value);
      length += value?.byteLength ?? 0;
      if (value === undefined || value.byteLength < least) break;
      complete = length <= limit;
      if (complete && length > checkAt) {
        checkAt = length * 4;
        complete = !(await isTooLong(joinBytes(chunks, length), decoding));
      }
      if (!complete) break;
      room = Math.min(room * 4, limit - length) + 1;
    }
  } catch (error) {
    const failure = brokenOff(error, length, signal);
    if (!keepBroken || failure.reason !== "connection" || length === 0) throw failure;
    truncated = "disconnect";
  }
  if (!complete) await reader.cancel();
  return { bytes: joinBytes(chunks, Math.min(length, limit)), complete, truncated };
}

export function brokenOff(error: unknown, length: number, signal: AbortSignal): NetworkFailure {
  return signal.aborted
    ? new NetworkFailure("timeout", `the body did not end in time (${length} bytes came)`)
    : new NetworkFailure("connection", `the transfer broke off after ${length} bytes (${messageOf(error)})`);
}

export function undecodable(): NetworkFailure {
  return new NetworkFailure("parse", "the body is not in its content-encoding");
}
