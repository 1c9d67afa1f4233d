import { joinBytes } from "../core/join-bytes.ts";

/**
 * Splits a WARC file of any tool into its records, as its bytes arrive (ISO 28500:2017, WARC 1.0 and 1.1). Packages for
 * it end at the first record that is malformed; this goes on with the next one that can be found, and says what it left
 * out. A record is held only as far as somebody asks for.
 */

/** Where bytes are missing: the stream goes on after a part that could not be decompressed. */
export const GAP: unique symbol = Symbol("gap");
export type Piece = Uint8Array | typeof GAP;

export interface SplitRecord {
  /** Counts the records of the file that have a readable header, from 0. */
  nth: number;
  /** Names in lower case. Of a name that occurs several times, the first value. */
  fields: ReadonlyMap<string, string>;
  /** The header as it stands in the file. */
  header: Uint8Array;
  /** The beginning of the block: as many bytes as were asked for. */
  block: Uint8Array<ArrayBuffer>;
  /** Bytes of the block in the file. */
  length: number;
  /** Whether the file has the whole block that the header promises. */
  isWhole: boolean;
}

/** Bytes that belong to no record. */
export interface Malformed {
  malformed: string;
}

/** Longer headers are none: they would fill the memory. */
const MAX_HEADER_BYTES = 256 * 1024;
const VERSION = "WARC/";
const LF = 10;
const CR = 13;

/** `bytesOf`: how many bytes of a record's block are wanted. */
export async function* splitRecords(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  bytesOf: (fields: ReadonlyMap<string, string>, nth: number) => number,
): AsyncGenerator<SplitRecord | Malformed> {
  const input = new Input(pieces);
  try {
    /** Whether what is skipped belongs to a record that was named as malformed. */
    let isNamed = false;
    for (let nth = 0; ; ) {
      const skipped = await skipToRecord(input);
      if (skipped > 0 && !isNamed) yield { malformed: `${skipped.toLocaleString("en")} bytes that begin no record` };
      const header = await readHeader(input);
      if (header === null) return;
      isNamed = "malformed" in header || !/^\d{1,15}$/.test(header.fields.get("content-length") ?? "");
      if ("malformed" in header) {
        yield header;
        continue;
      }
      const { fields, bytes } = header;
      const said = fields.get("content-length") ?? "";
      if (isNamed) {
        yield { malformed: `a record whose Content-Length is ${JSON.stringify(said.slice(0, 40))}` };
        continue;
      }
      const own = nth++;
      const block = await input.take(Number(said), bytesOf(fields, own));
      yield { nth: own, fields, header: bytes, ...block, isWhole: block.length === Number(said) };
    }
  } finally {
    await input.close();
  }
}

/** Skips what does not begin a record. Returns the number of bytes beside empty lines. */
async function skipToRecord(input: Input): Promise<number> {
  let skipped = 0;
  for (;;) {
    if (!(await input.has(VERSION.length))) {
      // Less than a version is left before the end or a gap.
      skipped += input.dropRest();
      if (await input.isAtEnd()) return skipped;
      continue;
    }
    if (input.startsWith(VERSION)) return skipped;
    // Records end with two empty lines; some tools write one, or more.
    const next = input.bytes.indexOf(VERSION.charCodeAt(0), 1);
    const dropped = next === -1 ? input.bytes.length : next;
    skipped += textIn(input.bytes.subarray(0, dropped));
    input.drop(dropped);
  }
}

async function readHeader(
  input: Input,
): Promise<{ fields: Map<string, string>; bytes: Uint8Array } | Malformed | null> {
  let end = -1;
  for (let from = 0; ; ) {
    end = endOfHeader(input.bytes, from);
    if (end !== -1) break;
    from = Math.max(0, input.bytes.length - 3);
    if (input.bytes.length > MAX_HEADER_BYTES || !(await input.more())) {
      if (input.bytes.length === 0) return null;
      // The next record may begin within it.
      input.drop(VERSION.length);
      return { malformed: "a record whose header does not end" };
    }
  }
  const bytes = input.bytes.slice(0, end);
  const fields = readFields(bytes);
  if (fields === null) {
    input.drop(VERSION.length);
    return { malformed: "a record whose header cannot be read" };
  }
  input.drop(end);
  return { fields, bytes };
}

/** The index after the empty line; -1 if there is none yet. Some tools end lines with LF alone. */
export function endOfHeader(bytes: Uint8Array, from = 0): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

function readFields(bytes: Uint8Array): Map<string, string> | null {
  const [version = "", ...lines] = foldedLines(decoder.decode(bytes));
  if (!/^WARC\/\d+\.\d+$/.test(version.trim())) return null;
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields.has("warc-type") ? fields : null;
}

/** The lines of a header without the empty one; a line that begins with a blank goes on from the one before. */
export function foldedLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === "") continue;
    if (/^[ \t]/.test(line) && lines.length > 1) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(line);
  }
  return lines;
}

/** Bytes beside line ends. */
function textIn(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum + (byte === CR || byte === LF ? 0 : 1), 0);
}

/** The bytes that have come and are not used yet. */
class Input {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  readonly #pieces: AsyncIterator<Piece> | Iterator<Piece>;
  /** After `bytes` nothing comes that belongs to them. */
  #isBroken = false;
  #isDone = false;

  constructor(pieces: AsyncIterable<Piece> | Iterable<Piece>) {
    this.#pieces =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : (pieces as Iterable<Piece>)[Symbol.iterator]();
  }

  /** Lets go of what the pieces come from. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  /** Adds a piece. False at the end, and before a gap. */
  async more(): Promise<boolean> {
    if (this.#isBroken || this.#isDone) return false;
    const { value, done } = await this.#pieces.next();
    if (done === true) this.#isDone = true;
    else if (value === GAP) this.#isBroken = true;
    else this.bytes = this.bytes.length === 0 ? value.slice() : joinBytes([this.bytes, value]);
    return !(this.#isDone || this.#isBroken);
  }

  async has(count: number): Promise<boolean> {
    while (this.bytes.length < count) if (!(await this.more())) return false;
    return true;
  }

  startsWith(text: string): boolean {
    for (let at = 0; at < text.length; at++) if (this.bytes[at] !== text.charCodeAt(at)) return false;
    return true;
  }

  drop(count: number): void {
    this.bytes = this.bytes.subarray(count);
  }

  /** Drops what is left before the end or a gap, and passes the gap. Returns the bytes beside empty lines. */
  dropRest(): number {
    const left = textIn(this.bytes);
    this.bytes = new Uint8Array(0);
    this.#isBroken = false;
    return left;
  }

  async isAtEnd(): Promise<boolean> {
    return this.bytes.length === 0 && !(await this.more()) && this.#isDone;
  }

  /** Takes `length` bytes, and returns the first `most` of them. Fewer come before the end or a gap. */
  async take(length: number, most: number): Promise<{ block: Uint8Array<ArrayBuffer>; length: number }> {
    const kept: Uint8Array[] = [];
    let taken = 0;
    let held = 0;
    while (taken < length) {
      if (this.bytes.length === 0 && !(await this.more())) break;
      const part = this.bytes.subarray(0, length - taken);
      const wanted = part.subarray(0, Math.max(0, most - held));
      if (wanted.length > 0) kept.push(wanted);
      held += wanted.length;
      taken += part.length;
      this.drop(part.length);
    }
    return { block: joinBytes(kept), length: taken };
  }
}
