import { joinBytes } from "../core/join-bytes.ts";
import { endOfHeader, foldedLines } from "./split-records.ts";

/**
 * Reads the block of a response record of any tool: an HTTP answer as it came over the wire, or as a browser or a
 * library gave it. Those two differ: the chunks of the transfer may be joined or not, and the codings undone or not,
 * whatever the headers say.
 */

export interface ForeignResponse {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** Without the framing of chunks. Content codings that its header names are still in it. */
  payload: Uint8Array<ArrayBuffer>;
}

/** Some servers and tools write HTTP/2, ICY, or no reason phrase. */
const STATUS_LINE = /^(?:HTTP\/\d+(?:\.\d+)?|ICY)[ \t]+(\d{3})(?:[ \t]+(.*))?$/s;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The length of the head with its empty line, as far as the block has it; 0 for what is no HTTP answer. */
export function headLengthOf(block: Uint8Array): number {
  const end = endOfHeader(block);
  // A head without an empty line has no body after it.
  return end === -1 ? block.length : end;
}

/** The status of an answer by the beginning of its block; null if that is no HTTP answer. */
export function statusOf(block: Uint8Array): number | null {
  const lineEnd = block.indexOf(10);
  const line = textOf(block.subarray(0, lineEnd === -1 ? Math.min(block.length, 1_000) : lineEnd));
  const status = STATUS_LINE.exec(line.trimEnd())?.[1];
  return status === undefined ? null : Number(status);
}

/** Null for what is no HTTP answer. */
export function readForeignResponse(block: Uint8Array<ArrayBuffer>): ForeignResponse | null {
  const headLength = headLengthOf(block);
  const [first = "", ...lines] = foldedLines(textOf(block.subarray(0, headLength)));
  const [, status, statusText = ""] = STATUS_LINE.exec(first.trimEnd()) ?? [];
  if (status === undefined) return null;
  const sent = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim();
    return colon > 0 && TOKEN.test(name) ? [[name, line.slice(colon + 1).trim()]] : [];
  });
  const { headers, payload } = withoutTransfer(sent, block.subarray(headLength));
  return { status: Number(status), statusText: statusText.trim(), headers: withoutUndone(headers, payload), payload };
}

/** UTF-8 if it is that, as we write it; Latin-1 otherwise, as HTTP has it. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

/** Joins the chunks of a body that has them, and leaves out the header that says so. */
function withoutTransfer(
  headers: [string, string][],
  body: Uint8Array<ArrayBuffer>,
): Pick<ForeignResponse, "headers" | "payload"> {
  const isTransfer = ([name]: [string, string]) => name.toLowerCase() === "transfer-encoding";
  const isChunked = headers.some((header) => isTransfer(header) && /\bchunked\b/i.test(header[1]));
  if (!isChunked) return { headers, payload: body };
  return { headers: headers.filter((header) => !isTransfer(header)), payload: joinChunks(body) ?? body };
}

/**
 * The body of chunks (RFC 9112, section 7.1); null if these are none, because a tool has joined them. A body that
 * breaks off within a chunk keeps what came.
 */
export function joinChunks(body: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const chunks: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf(10, at);
    const line = lineEnd === -1 || lineEnd - at > 200 ? "" : textOf(body.subarray(at, lineEnd));
    const [, size] = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r]*)?\r?$/i.exec(line) ?? [];
    if (size === undefined) return chunks.length > 0 && at >= body.length ? joinBytes(chunks) : null;
    const length = Number.parseInt(size, 16);
    if (length === 0) return joinBytes(chunks);
    const start = lineEnd + 1;
    chunks.push(body.subarray(start, start + length));
    at = start + length;
    if (at >= body.length) return joinBytes(chunks);
    if (body[at] === 13) at += 1;
    if (body[at] !== 10) return null;
    at += 1;
  }
}

/**
 * Leaves out the name of a content coding that the body shows not to have: a tool has undone it. Only gzip and zstd
 * begin with a signature; what cannot be decoded of the others is kept as it is when it is read.
 */
function withoutUndone(headers: [string, string][], payload: Uint8Array): [string, string][] {
  if (payload.length < 4) return headers;
  const [first = 0, second = 0, third = 0, fourth = 0] = payload;
  const isGzip = first === 0x1f && second === 0x8b;
  const isZstd = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd;
  return headers.map(([name, value]) => {
    if (name.toLowerCase() !== "content-encoding") return [name, value];
    const coding = value.trim().toLowerCase();
    const isUndone = (/^(?:x-)?gzip$/.test(coding) && !isGzip) || (coding === "zstd" && !isZstd);
    return [isUndone ? `x-orig-${name}` : name, value];
  });
}
