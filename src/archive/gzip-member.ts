// Native in workerd: a CompressionStream for each record takes three times as long.

import { crc32, gzipSync } from "node:zlib";
import { joinBytes } from "../core/join-bytes.ts";
import type { RecordBytes } from "./warc-record.ts";

/** A page is a tenth larger than at level 6, which takes twice as long. The bytes of an object cost almost nothing. */
const LEVEL = 2;

/**
 * Compresses one record to one gzip member (ISO 28500:2017, annex D). Members in a row are a `.warc.gz`, and each can
 * be read alone by its offset and length.
 */
export function gzipMember(record: RecordBytes): Uint8Array<ArrayBuffer> {
  return gzipSync(joinBytes(record), { level: LEVEL });
}

/** https://www.rfc-editor.org/rfc/rfc1952: no name, no time, an unknown system. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const MAX_STORED_BYTES = 65_535;

/**
 * Like `gzipMember`, in stored blocks (https://www.rfc-editor.org/rfc/rfc1951#section-3.2.4), for a large body that is
 * compressed already: it costs a checksum, and no copy. Returns the pieces of the member, which hold the record's
 * bytes.
 */
export function storedMember(record: RecordBytes): Uint8Array[] {
  const pieces: Uint8Array[] = [GZIP_HEADER];
  let checksum = 0;
  let length = 0;
  for (const part of record) {
    checksum = crc32(part, checksum);
    length += part.byteLength;
    for (let at = 0; at < part.byteLength; at += MAX_STORED_BYTES) {
      const block = part.subarray(at, at + MAX_STORED_BYTES);
      pieces.push(blockHeader(block.byteLength, false), block);
    }
  }
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, checksum, true);
  trailer.setUint32(4, length % 2 ** 32, true);
  return [...pieces, blockHeader(0, true), new Uint8Array(trailer.buffer)];
}

function blockHeader(length: number, isLast: boolean): Uint8Array {
  const header = new DataView(new ArrayBuffer(5));
  header.setUint8(0, isLast ? 1 : 0);
  header.setUint16(1, length, true);
  header.setUint16(3, ~length & 0xffff, true);
  return new Uint8Array(header.buffer);
}

/** Throws if `member` is not exactly one complete gzip member. */
export async function gunzipMember(member: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable }: { readable: ReadableStream; writable: WritableStream } = new DecompressionStream(
    "gzip",
  );
  const writer = writable.getWriter();
  // Not awaited before reading starts: a stream accepts only as much as it has room for.
  const writing = Promise.all([writer.write(member), writer.close()]);
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), writing]);
  return new Uint8Array(bytes);
}
