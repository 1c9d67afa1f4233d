import { CDXIndexer, WARCParser } from "warcio";

/** Reads our files with another reader, warcio.js. */

export interface Seen {
  type: string;
  url: string | null;
  /** As in the file: algorithm, colon, value. */
  digest: string | null;
  startLine: string | null;
  /** warcio joins the values of a name that occurs twice. */
  headers: [name: string, value: string][];
  /** The record's own fields, by names in lower case. */
  warcHeaders: Record<string, string>;
  payload: Uint8Array;
  offset: number;
  length: number;
}

/** Every record, in order. Warnings of warcio are errors here. */
export async function readWithWarcio(file: Uint8Array): Promise<Seen[]> {
  const complaints: unknown[] = [];
  const { warn } = console;
  console.warn = (...words) => complaints.push(words);
  try {
    const parser = new WARCParser(chunks(file), { keepHeadersCase: false });
    const seen: Seen[] = [];
    for await (const record of parser) {
      const payload = await record.readFully(false);
      const { httpHeaders } = record;
      seen.push({
        type: record.warcType,
        url: record.warcTargetURI ?? null,
        digest: record.warcPayloadDigest ?? null,
        startLine: httpHeaders?.statusline ?? null,
        headers: httpHeaders === null ? [] : Array.from(httpHeaders.headers),
        warcHeaders: Object.fromEntries(
          Array.from(record.warcHeaders.headers, ([name, value]) => [name.toLowerCase(), value]),
        ),
        payload,
        offset: parser.offset,
        length: parser.recordLength,
      });
    }
    if (complaints.length > 0) throw new Error(`warcio complains: ${JSON.stringify(complaints)}`);
    return seen;
  } finally {
    console.warn = warn;
  }
}

/** warcio's index of a file, as `cdx-index --format cdxj` prints it. */
export async function indexWithWarcio(file: Uint8Array, filename: string): Promise<string[]> {
  const indexer = new CDXIndexer({ format: "cdxj" });
  const lines: string[] = [];
  for await (const entry of indexer.iterIndex([{ filename, reader: chunks(file) }]))
    lines.push(indexer.serialize(entry));
  return lines;
}

/** The bytes in chunks of 64 KiB. */
async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}
