import { gunzipMember } from "./gzip-member.ts";
import { type HeaderBlock, readHeaderBlock } from "./header-block.ts";

/**
 * Reads a WARC record from its gzip member, which a ranged get returns. It reads what warc-record.ts writes and
 * rejects the rest.
 */

interface ArchivedRecord {
  /** Names in lower case. */
  warcHeaders: ReadonlyMap<string, string>;
  /** Null unless it is a response or a revisit. */
  status: number | null;
  statusText: string;
  /** As stored; empty if the record has no HTTP message. */
  httpHeaders: [name: string, value: string][];
  /** The block after the HTTP head, or the entire block if there is none. A view of the record's bytes. */
  payload: Uint8Array<ArrayBuffer>;
}

/** Thrown for bytes that are not such a record. */
export class UnreadableRecord extends Error {}

/** Reads one complete gzip member. Throws UnreadableRecord. */
export async function readRecord(member: Uint8Array): Promise<ArchivedRecord> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await gunzipMember(member);
  } catch (error) {
    throw new UnreadableRecord(`not one gzip member: ${error instanceof Error ? error.message : error}`);
  }
  return parseRecord(bytes);
}

/** Like `readRecord`, for bytes that are not compressed. */
export function parseRecord(bytes: Uint8Array<ArrayBuffer>): ArchivedRecord {
  const { startLine, fields, length } = readHeader(bytes, "WARC");
  if (startLine !== "WARC/1.1") throw new UnreadableRecord(`no WARC/1.1 record: ${JSON.stringify(startLine)}`);
  const warcHeaders = new Map(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const said = warcHeaders.get("content-length") ?? "";
  const rest = bytes.byteLength - length - 4;
  if (!/^\d+$/.test(said) || Number(said) !== rest || !endsInEmptyLines(bytes))
    throw new UnreadableRecord(`a block of ${rest} bytes, called ${said || "nothing"}`);
  const content = bytes.subarray(length, length + rest);
  const type = warcHeaders.get("content-type") ?? "";
  if (!type.startsWith("application/http;"))
    return { warcHeaders, status: null, statusText: "", httpHeaders: [], payload: content };
  const head = readHeader(content, "HTTP");
  const isAnswer = type.endsWith("msgtype=response");
  const [, code = "", statusText = ""] = isAnswer ? (/^HTTP\/1\.1 (\d+) (.*)$/s.exec(head.startLine) ?? []) : [];
  if (isAnswer && code === "") throw new UnreadableRecord(`no status line: ${JSON.stringify(head.startLine)}`);
  const status = isAnswer ? Number(code) : null;
  return { warcHeaders, status, statusText, httpHeaders: head.fields, payload: content.subarray(head.length) };
}

function readHeader(bytes: Uint8Array, protocol: string): HeaderBlock {
  try {
    return readHeaderBlock(bytes);
  } catch (error) {
    throw new UnreadableRecord(`its ${protocol} header: ${error instanceof Error ? error.message : error}`);
  }
}

function endsInEmptyLines(bytes: Uint8Array): boolean {
  return [13, 10, 13, 10].every((byte, at) => bytes[bytes.byteLength - 4 + at] === byte);
}
