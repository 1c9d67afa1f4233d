import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createGunzip, createInflateRaw } from "node:zlib";
import { GAP, type Piece } from "../../archive/split-records.ts";

/**
 * The decompressed bytes of a WARC file, as a stream. A member that is damaged costs that member: what can be found
 * after it goes on, and a gap stands between.
 */

/** A WARC file, or one within another file. */
export interface ArchivePart {
  /** For people. */
  name: string;
  path: string;
  /** Of its bytes in the file; `end` is the first one after it. */
  start: number;
  end: number;
  /** How a ZIP file has it. */
  isDeflated: boolean;
}

const MEMBER = Buffer.from([0x1f, 0x8b, 8]);
const TRAILER_BYTES = 8;
const READ_BYTES = 65_536;

export async function* piecesOf(part: ArchivePart): AsyncGenerator<Piece> {
  if (part.isDeflated) return yield* inflate(part);
  const file = await open(part.path);
  try {
    const first = await readAt(file, part.start, Math.min(part.end, part.start + MEMBER.length));
    if (first.equals(MEMBER)) yield* gunzip(file, part);
    else if (part.end > part.start) yield* createReadStream(part.path, { start: part.start, end: part.end - 1 });
  } finally {
    await file.close();
  }
}

/** A file that a ZIP file has compressed once more. A damaged one breaks off. */
async function* inflate({ path, start, end }: ArchivePart): AsyncGenerator<Piece> {
  if (end <= start) return;
  const input = createReadStream(path, { start, end: end - 1 });
  const unzipped = input.pipe(createInflateRaw());
  input.on("error", (error) => unzipped.destroy(error));
  let isGzip: boolean | null = null;
  const gunzipped = createGunzip();
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      isGzip ??= chunk.subarray(0, MEMBER.length).equals(MEMBER);
      if (!isGzip) yield chunk;
      else if (!gunzipped.write(chunk)) {
        for (let piece = gunzipped.read(); piece !== null; piece = gunzipped.read()) yield piece as Buffer;
        if (gunzipped.writableNeedDrain) await once(gunzipped, "drain");
      }
    }
    if (isGzip !== true) return;
    gunzipped.end();
    yield* gunzipped;
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield GAP;
  } finally {
    input.destroy();
  }
}

/** Reads members in a row at full speed, and around a damaged one, member by member. */
async function* gunzip(file: FileHandle, { path, start, end }: ArchivePart): AsyncGenerator<Piece> {
  let at: number | null = start;
  while (at !== null && at < end) {
    const from: number = at;
    const stream = createGunzip();
    const input = createReadStream(path, { start: from, end: end - 1 });
    input.on("error", (error) => stream.destroy(error));
    let given = 0;
    try {
      for await (const chunk of input.pipe(stream) as AsyncIterable<Buffer>) {
        given += chunk.length;
        yield chunk;
      }
      at = await nextMember(file, from + stream.bytesWritten, end);
      if (at !== null) yield GAP;
    } catch (error) {
      if (!isDamage(error)) throw error;
      at = yield* passDamage(file, path, from, end, given);
    } finally {
      input.destroy();
    }
  }
}

/**
 * Reads members one at a time up to the damaged one, without the first `given` bytes, which were read before. Returns
 * where the member after it begins; null if there is none.
 */
async function* passDamage(
  file: FileHandle,
  path: string,
  from: number,
  end: number,
  given: number,
): AsyncGenerator<Piece, number | null> {
  let left = given;
  for (let at = from; at < end; ) {
    const header = await gzipHeaderLength(file, at, end);
    if (header === null) break;
    const stream = createInflateRaw();
    const input = createReadStream(path, { start: at + header, end: end - 1 });
    try {
      for await (const chunk of input.pipe(stream) as AsyncIterable<Buffer>) {
        const fresh = chunk.subarray(Math.min(left, chunk.length));
        left -= chunk.length - fresh.length;
        if (fresh.length > 0) yield fresh;
      }
      at += header + stream.bytesWritten + TRAILER_BYTES;
      from = at;
    } catch (error) {
      if (!isDamage(error)) throw error;
      break;
    } finally {
      input.destroy();
    }
  }
  yield GAP;
  return nextMember(file, from + 1, end);
}

/** Where the next member may begin, from `from` on; null if there is none. */
async function nextMember(file: FileHandle, from: number, end: number): Promise<number | null> {
  for (let at = from; at < end; at += READ_BYTES - MEMBER.length) {
    const found = (await readAt(file, at, Math.min(end, at + READ_BYTES))).indexOf(MEMBER);
    if (found !== -1) return at + found;
  }
  return null;
}

/** https://www.rfc-editor.org/rfc/rfc1952#section-2.3. Null if no member begins there. */
async function gzipHeaderLength(file: FileHandle, at: number, end: number): Promise<number | null> {
  const bytes = await readAt(file, at, Math.min(end, at + READ_BYTES));
  if (!bytes.subarray(0, MEMBER.length).equals(MEMBER) || bytes.length < 10) return null;
  const flags = bytes[3] ?? 0;
  let length = 10;
  if (flags & 4) length += 2 + (bytes[10] ?? 0) + 256 * (bytes[11] ?? 0);
  for (const text of [8, 16]) if (flags & text) length = bytes.indexOf(0, length) + 1 || end;
  if (flags & 2) length += 2;
  return length < bytes.length ? length : null;
}

export async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

/** Whether it is a fault of what zlib was given. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:Z_|ERR_.*ZLIB)/.test(String(error.code));
}
