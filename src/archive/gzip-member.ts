// Native in workerd: a CompressionStream for each record takes three times as long.
import { gzipSync } from "node:zlib";
import { joinBytes, type RecordBytes } from "./warc-record.ts";

/** A page is a tenth larger than at level 6, which takes twice as long. The bytes of an object cost almost nothing. */
const LEVEL = 2;

/**
 * Compresses one record to one gzip member (ISO 28500:2017, annex D). Members in a row are a `.warc.gz`, and each can
 * be read alone by its offset and length.
 */
export function gzipMember(record: RecordBytes): Uint8Array<ArrayBuffer> {
  return gzipSync(joinBytes(record), { level: LEVEL });
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
