import type { Transform } from "node:stream";
import * as zlib from "node:zlib";

/**
 * Undoes content codings (RFC 9110, section 8.4.1), with what the runtime has of node:zlib. The runtime's own decoding
 * knows fewer codings, and of a body that breaks off it keeps nothing.
 * https://developers.cloudflare.com/workers/runtime-apis/nodejs/zlib/
 */

interface Coding {
  decode(bytes: Uint8Array, options: { maxOutputLength: number; finishFlush?: number }): Uint8Array;
  /** `first`: the first bytes of the body. */
  createDecoder(first: Uint8Array, options: { finishFlush?: number; chunkSize: number }): Transform;
  /** The flush that accepts a body without its end. */
  partial: number;
}

const GZIP: Coding = {
  decode: zlib.gunzipSync,
  createDecoder: (_, options) => zlib.createGunzip(options),
  partial: zlib.constants.Z_SYNC_FLUSH,
};

/** By names in lower case. */
const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: GZIP,
  "x-gzip": GZIP,
  deflate: {
    decode: (bytes, options) => (isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options),
    createDecoder: (first, options) => (isZlib(first) ? zlib.createInflate : zlib.createInflateRaw)(options),
    partial: zlib.constants.Z_SYNC_FLUSH,
  },
  br: {
    decode: zlib.brotliDecompressSync,
    createDecoder: (_, options) => zlib.createBrotliDecompress(options),
    partial: zlib.constants.BROTLI_OPERATION_FLUSH,
  },
  // An older runtime has no zstd.
  ...("zstdDecompressSync" in zlib && {
    zstd: {
      decode: zlib.zstdDecompressSync,
      createDecoder: (_, options) => zlib.createZstdDecompress(options),
      partial: zlib.constants.ZSTD_e_flush,
    },
  }),
};

/** The decoder may exceed its limit by this much. It stops only when its buffer is full. */
const SLACK_BYTES = 65_536;

/**
 * What a stream makes at a time. For each chunk of Brotli after the first, workerd goes a call deeper: the longest body
 * that is read, a sitemap of 50 MiB, needs 200 calls, and its stack has room for 500.
 */
const CHUNK_BYTES = 262_144;

/** `name`: in lower case. */
export function isKnownCoding(name: string): boolean {
  return Object.hasOwn(CODINGS, name);
}

/** Servers use `deflate` for RFC 1950, which is correct, or for bare RFC 1951. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/**
 * Undoes one coding in one go, for short bodies. Null if the result has more than `limit` bytes, or at least
 * SLACK_BYTES more. `isPart`: the end may be missing. Throws if the bytes are not in the coding.
 */
export function decode(coding: string, bytes: Uint8Array, limit: number, isPart = false): Uint8Array | null {
  const { decode: decodeBytes, partial } = CODINGS[coding] as Coding;
  const options = { maxOutputLength: limit + SLACK_BYTES };
  try {
    return decodeBytes(bytes, isPart ? { ...options, finishFlush: partial } : options);
  } catch (error) {
    // In Node with the code ERR_BUFFER_TOO_LARGE, in workerd without one.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A stream that undoes one coding. `first`: the first bytes of the body. `isPart`: the end may be missing. */
export function createDecoder(coding: string, first: Uint8Array, isPart: boolean): Transform {
  const { createDecoder: create, partial } = CODINGS[coding] as Coding;
  return create(first, { chunkSize: CHUNK_BYTES, ...(isPart ? { finishFlush: partial } : {}) });
}

/** Whether a body is called gzip and is not. `first`: its first bytes, at least two if it has them. */
export function isMisnamed(coding: string, [first = 0, second = 0]: Uint8Array): boolean {
  return coding.endsWith("gzip") && !(first === 0x1f && second === 0x8b);
}
