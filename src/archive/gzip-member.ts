import { gzipSync } from "node:zlib"; // workerd's own, and native: a CompressionStream for each record took three times as long
import { joinBytes, type RecordBytes } from "./warc-record.ts";

/** A page is a tenth larger than at level 6, which takes twice as long; an object's bytes cost next to nothing. */
const LEVEL = 2;

/**
 * One gzip member for each record (ISO 28500:2017, annex D): members that follow one another are a `.warc.gz`, and each can be read by
 * itself, where it begins and how long it is once known.
 */
export function gzipMember(record: RecordBytes): Uint8Array<ArrayBuffer> {
  return gzipSync(joinBytes(record), { level: LEVEL });
}

/** Throws where `member` is anything but one whole gzip member. */
export async function gunzipMember(member: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable }: { readable: ReadableStream; writable: WritableStream } = new DecompressionStream(
    "gzip",
  );
  const writer = writable.getWriter();
  // Not awaited one by one: a stream takes no more than it has room for until somebody reads.
  const writing = Promise.all([writer.write(member), writer.close()]);
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), writing]);
  return new Uint8Array(bytes);
}
