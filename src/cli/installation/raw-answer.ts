import { escapeLocation } from "./raw-location.ts";

/**
 * Reads an HTTP/1 answer from the bytes that a server sent, as leniently as RFC 9112 lets a client be, and says what is
 * wrong with it. workerd refuses such answers without a word; see diagnosis.ts.
 */

export interface RawAnswer {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  body: Uint8Array;
  /** How the body breaks off, for people; null if it is whole. */
  broken: string | null;
  /** What the answer has wrong, for people; null if nothing. */
  fault: string | null;
}

/** The answer cannot be read. The message says why, for people. */
export class UnreadableAnswer extends Error {}

/** No answer came. The next try may get one. */
export class NoAnswer extends Error {
  readonly reason: "dropped" | "timeout";

  constructor(reason: NoAnswer["reason"], detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The limit of a head; browsers have 256 KiB. */
const MAX_HEAD = 262_144;
const HEAD_END = /\r?\n\r?\n/g;
const STATUS_LINE = /^HTTP\/(\d\.\d) ([1-5]\d\d)(?: (.*))?$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Statuses whose answers have no body (RFC 9112, section 6.3; RFC 9110, section 15.3.6). */
const BODILESS = new Set([204, 205, 304]);
const NO_BODY: Body = { body: Buffer.alloc(0), broken: null };

interface Body {
  body: Buffer;
  broken: string | null;
}

/**
 * `isCut`: the reading stopped before the server closed the connection. Throws UnreadableAnswer and NoAnswer.
 */
export function readRawAnswer(raw: Buffer, isCut = false): RawAnswer {
  if (raw.length === 0 && isCut) throw new NoAnswer("timeout", "no answer in time");
  if (raw.length === 0) throw new NoAnswer("dropped", "the host closed the connection without an answer");
  let start = 0;
  for (;;) {
    const { lines, bodyStart } = headAt(raw, start, isCut);
    const [first = "", ...fields] = lines;
    const [, version = "", code = "", statusText = ""] = STATUS_LINE.exec(first) ?? [];
    if (code === "") throw new UnreadableAnswer(`the answer does not begin like one of HTTP, but with ${quote(first)}`);
    // An interim answer (RFC 9110, section 15.2).
    if (code === "101") throw new UnreadableAnswer("the answer switches to another protocol");
    if (code.startsWith("1")) {
      start = bodyStart;
      continue;
    }
    const { headers, faults } = readFields(fields);
    const status = Number(code);
    const rest = raw.subarray(bodyStart);
    const body = BODILESS.has(status) ? NO_BODY : readBody(rest, isCut, version, headers, faults);
    return { status, statusText, headers, ...body, fault: faults[0] ?? null };
  }
}

/** The lines of the head that begins at `start`. Lines may end with LF alone (RFC 9112, section 2.2). */
function headAt(raw: Buffer, start: number, isCut: boolean): { lines: string[]; bodyStart: number } {
  const text = raw.subarray(start, start + MAX_HEAD).toString("latin1");
  HEAD_END.lastIndex = 0;
  const end = HEAD_END.exec(text);
  if (end === null && !text.startsWith("HTTP/"))
    throw new UnreadableAnswer(`the answer does not begin like one of HTTP, but with ${quote(text)}`);
  if (end === null && text.length === MAX_HEAD)
    throw new UnreadableAnswer(`the headers of the answer are longer than ${MAX_HEAD.toLocaleString("en")} bytes`);
  if (end === null && isCut) throw new NoAnswer("timeout", "the headers of the answer did not end in time");
  if (end === null) throw new UnreadableAnswer("the headers of the answer do not end");
  return { lines: text.slice(0, end.index).split(/\r?\n/), bodyStart: start + HEAD_END.lastIndex };
}

/** Reads header lines. Each that violates RFC 9112, section 5, is a fault, and a line that says nothing is left out. */
function readFields(lines: readonly string[]): { headers: RawAnswer["headers"]; faults: string[] } {
  const headers: RawAnswer["headers"] = [];
  const faults: string[] = [];
  for (const line of lines) {
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      faults.push(`the header ${last[0]} is folded over several lines`);
      last[1] = `${last[1]} ${cleanValue(line)}`;
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trimEnd();
    if (!TOKEN.test(name)) {
      faults.push(`the header line ${quote(line)} has no name`);
      continue;
    }
    if (name.length < colon) faults.push(`the header ${name} has a space before its colon`);
    headers.push([name.toLowerCase(), cleanValue(line.slice(colon + 1))]);
  }
  const escaped = headers.map(([name, value]): RawAnswer["headers"][number] => [
    name,
    name === "location" ? escapeLocation(value) : value,
  ]);
  return { headers: escaped, faults };
}

/** Control characters of ASCII in a value become spaces (RFC 9110, section 5.5). Other bytes stay as they are. */
function cleanValue(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
  return value.replace(/[\0-\x1f\x7f]/g, " ").trim();
}

/** Finds the end of the body (RFC 9112, section 6.3), and undoes chunks. Removes the headers that frame it. */
function readBody(
  rest: Buffer,
  isCut: boolean,
  version: string,
  headers: RawAnswer["headers"],
  faults: string[],
): Body {
  const framing = (wanted: string) => headers.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const lengths = new Set(framing("content-length").flatMap((value) => value.split(",").map((one) => one.trim())));
  const isChunked = framing("transfer-encoding").some((value) => /\bchunked$/i.test(value));
  for (const name of ["content-length", "transfer-encoding"]) removeHeader(headers, name);
  if (isChunked && version === "1.0") faults.push("it is an answer of HTTP/1.0, which has no chunks, in chunks");
  if (isChunked) return undoChunks(rest);
  if (lengths.size > 1) throw new UnreadableAnswer(`the answer has two Content-Lengths: ${[...lengths].join(" and ")}`);
  const [length] = lengths;
  // Only the end of the connection ends such a body.
  if (length === undefined) return { body: rest, broken: isCut ? "the server did not end it" : null };
  if (!/^\d+$/.test(length)) throw new UnreadableAnswer(`the Content-Length of the answer is ${quote(length)}`);
  const broken = rest.length < Number(length) ? `its Content-Length is ${length}` : null;
  return { body: rest.subarray(0, Number(length)), broken };
}

function removeHeader(headers: RawAnswer["headers"], name: string): void {
  for (let at = headers.length - 1; at >= 0; at--) if (headers[at]?.[0] === name) headers.splice(at, 1);
}

/** RFC 9112, section 7.1. */
function undoChunks(rest: Buffer): Body {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf("\n", at);
    if (lineEnd === -1) return { body: Buffer.concat(chunks), broken: "its last chunk is missing" };
    const [, hex] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?\r?$/i.exec(rest.toString("latin1", at, lineEnd)) ?? [];
    if (hex === undefined) throw new UnreadableAnswer("a chunk of the answer does not say its size");
    const size = Number.parseInt(hex, 16);
    if (size === 0) return { body: Buffer.concat(chunks), broken: null };
    const from = lineEnd + 1;
    chunks.push(rest.subarray(from, from + size));
    if (rest.length < from + size) return { body: Buffer.concat(chunks), broken: "a chunk of it is cut" };
    at = from + size + (rest[from + size] === 0x0d ? 2 : 1);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
