import type { RecordBytes } from "./warc-record.ts";

/**
 * One gzip member for each record (ISO 28500:2017, annex D): members that follow one another are a `.warc.gz`, and each can be read by
 * itself, where it begins and how long it is once known.
 */
export async function gzipMember(record: RecordBytes): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new CompressionStream("gzip");
  return through(record, writable, readable);
}

export interface Members {
  /** One after the other. */
  bytes: Uint8Array<ArrayBuffer>;
  /** In the order of the records; `offset` into `bytes`. */
  places: { offset: number; length: number }[];
}

/** The records of a fetch, compressed side by side: where the runtime has threads for that, they are used. */
export async function gzipMembers(records: readonly RecordBytes[]): Promise<Members> {
  const members = await Promise.all(records.map(gzipMember));
  const bytes = new Uint8Array(members.reduce((length, member) => length + member.byteLength, 0));
  let offset = 0;
  const places = members.map((member) => {
    const place = { offset, length: member.byteLength };
    bytes.set(member, offset);
    offset += member.byteLength;
    return place;
  });
  return { bytes, places };
}

/** Throws where `member` is anything but one whole gzip member. */
export async function gunzipMember(member: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream("gzip");
  return through([member], writable, readable);
}

async function through(
  pieces: RecordBytes,
  writable: WritableStream,
  readable: ReadableStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = writable.getWriter();
  // Not awaited one by one: a stream takes no more than it has room for until somebody reads.
  const writing = Promise.all([...pieces.map((piece) => writer.write(piece)), writer.close()]);
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), writing]);
  return new Uint8Array(bytes);
}
