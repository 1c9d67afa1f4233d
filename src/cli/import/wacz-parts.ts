import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createInflateRaw } from "node:zlib";
import { UserError } from "../errors.ts";
import { type ArchivePart, readAt } from "./archive-pieces.ts";

/**
 * The WARC files and the list of pages in a WACZ file (https://specs.webrecorder.net/wacz/1.1.1/), by the directory of
 * the ZIP file. The file is read where it lies, whatever its size; packages that do so are larger than this.
 */

export interface Wacz {
  warcs: ArchivePart[];
  /** Where somebody would begin to read: the pages that are seeds, or else the first ones. */
  seeds: string[];
}

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
const IN_ZIP64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;
const MAX_SEEDS = 100;
const WARC = /\.warc(?:\.gz)?$/i;
/** What an import needs of a WACZ file. */
export const WACZ_FILES = /\.warc(?:\.gz)?$|^pages\/pages\.jsonl$/i;

export async function readWacz(path: string, parts: readonly ArchivePart[]): Promise<Wacz> {
  const warcs = parts.filter(({ name }) => WARC.test(name));
  if (warcs.length === 0) throw new UserError(`${path} has no WARC file, so it is no WACZ.`);
  const pages = parts.find(({ name }) => name === "pages/pages.jsonl");
  return { warcs, seeds: pages === undefined ? [] : await readSeeds(pages) };
}

/** The files in a ZIP file whose names match. Throws UserError. */
export async function zipParts(path: string, size: number, wanted: RegExp): Promise<ArchivePart[]> {
  const file = await open(path);
  try {
    const parts: ArchivePart[] = [];
    for (const { name, method, length, at } of await readDirectory(file, path, size)) {
      if (!wanted.test(name)) continue;
      if (method !== STORED && method !== DEFLATED)
        throw new UserError(`${path}: ${name} is compressed by method ${method}, which is not read.`);
      const start = await startOf(file, at, `${path}: ${name}`);
      parts.push({ name, path, start, end: Math.min(size, start + length), isDeflated: method === DEFLATED });
    }
    return parts;
  } finally {
    await file.close();
  }
}

/** The text of a file in a ZIP file. */
export async function textOf({ path, start, end, isDeflated }: ArchivePart): Promise<string> {
  if (end <= start) return "";
  const input = createReadStream(path, { start, end: end - 1 });
  return text(isDeflated ? input.pipe(createInflateRaw()) : input);
}

interface Entry {
  name: string;
  method: number;
  length: number;
  /** Of its local header. */
  at: number;
}

/** https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.12 to 4.3.16. */
async function readDirectory(file: FileHandle, path: string, size: number): Promise<Entry[]> {
  const tailAt = Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await readAt(file, tailAt, size);
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end === -1 || end + END_BYTES > tail.length)
    throw new UserError(`${path} is no whole ZIP file: the directory at its end is missing. Was it copied completely?`);
  let length = tail.readUInt32LE(end + 12);
  let start = tail.readUInt32LE(end + 16);
  if (length === IN_ZIP64 || start === IN_ZIP64 || tail.readUInt16LE(end + 10) === 0xffff) {
    const locator = await readAt(file, tailAt + end - 20, tailAt + end);
    const record = await readAt(file, Number(locator.readBigUInt64LE(8)), Number(locator.readBigUInt64LE(8)) + 56);
    if (record.length < 56) throw new UserError(`${path} is no whole ZIP file: its directory cannot be found.`);
    length = Number(record.readBigUInt64LE(40));
    start = Number(record.readBigUInt64LE(48));
  } else {
    // Where something stands before the ZIP file, all positions count from its own start.
    start = tailAt + end - length;
  }
  if (length > MAX_DIRECTORY_BYTES) throw new UserError(`${path} has too many files.`);
  const bytes = await readAt(file, start, start + length);
  return [...entriesIn(bytes)];
}

function* entriesIn(bytes: Buffer): Generator<Entry> {
  for (let at = 0; at + 46 <= bytes.length && bytes.readUInt32LE(at) === 0x02014b50; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const extraAt = at + 46 + nameLength;
    const extra = bytes.subarray(extraAt, extraAt + extraLength);
    yield {
      name: bytes.toString("utf8", at + 46, extraAt).replaceAll("\\", "/"),
      method: bytes.readUInt16LE(at + 10),
      ...placeOf(bytes, at, extra),
    };
    at = extraAt + extraLength + commentLength;
  }
}

/** By the entry, or by its field of ZIP64, which has the values that did not fit, in this order. */
function placeOf(bytes: Buffer, at: number, extra: Buffer): Pick<Entry, "length" | "at"> {
  const values = [24, 20, 42].map((offset) => bytes.readUInt32LE(at + offset));
  for (let field = 0; field + 4 <= extra.length; field += 4 + extra.readUInt16LE(field + 2)) {
    if (extra.readUInt16LE(field) !== 1) continue;
    let value = field + 4;
    for (const [i, written] of values.entries()) {
      if (written !== IN_ZIP64 || value + 8 > extra.length) continue;
      values[i] = Number(extra.readBigUInt64LE(value));
      value += 8;
    }
  }
  const [, length = 0, start = 0] = values;
  return { length, at: start };
}

/** The local header may have another length than the entry says. */
async function startOf(file: FileHandle, at: number, what: string): Promise<number> {
  const header = await readAt(file, at, at + 30);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50)
    throw new UserError(`${what} does not begin where the directory of the file says. Is the file damaged?`);
  return at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function readSeeds(part: ArchivePart): Promise<string[]> {
  if (part.end <= part.start) return [];
  const input = createReadStream(part.path, { start: part.start, end: part.end - 1 });
  const list: Readable = part.isDeflated ? input.pipe(createInflateRaw()) : input;
  const seeds: string[] = [];
  let first: string | null = null;
  try {
    for await (const line of createInterface({ input: list, crlfDelay: Number.POSITIVE_INFINITY })) {
      const { url, seed } = parsePage(line);
      if (url === undefined) continue;
      first ??= url;
      if (seed && seeds.push(url) === MAX_SEEDS) break;
    }
  } catch {
    // The list is a help for people alone: the WARC files have the pages.
  } finally {
    input.destroy();
  }
  return seeds.length > 0 || first === null ? seeds : [first];
}

/** The first line of the file describes it, and has no URL. */
function parsePage(line: string): { url?: string; seed: boolean } {
  try {
    const { url, seed } = JSON.parse(line) as { url?: unknown; seed?: unknown };
    return typeof url === "string" && /^https?:/i.test(url) ? { url, seed: seed === true } : { seed: false };
  } catch {
    return { seed: false };
  }
}
