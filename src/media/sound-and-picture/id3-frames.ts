import type { MediaSource } from "./media-source.ts";

/**
 * Reads the frames of an ID3v2 tag but its pictures. A tag is read at once, and a cover makes it longer than a range:
 * what is read here has come before. https://id3.org/id3v2.3.0, https://id3.org/id3v2.4.0-structure
 */

const HEADER_BYTES = 10;
/** Frames that hold files: a picture, a general object, a private one, and a picture of version 2.2. */
const FILES = new Set(["APIC", "GEOB", "PRIV", "PIC", "GEO"]);
/** Longer frames hold no text that anybody reads. */
const MAX_TEXT_BYTES = 8_192;
const MAX_FRAMES = 200;

/** Whether there is a tag. Throws MissingBytes. */
export async function readId3Frames(source: MediaSource): Promise<boolean> {
  const [i, d, three, major = 0, , flags = 0, ...size] = await source.read(0, HEADER_BYTES);
  const isTag = i === 0x49 && d === 0x44 && three === 0x33;
  if (!isTag || major < 2 || major > 4) return false;
  const end = HEADER_BYTES + syncsafe(size);
  const headerBytes = major === 2 ? 6 : 10;
  let at = HEADER_BYTES;
  if ((flags & 0x40) !== 0 && major > 2) {
    const extended = await source.read(at, 4);
    at += major === 4 ? syncsafe([...extended]) : 4 + bigEndian([...extended]);
  }
  for (let frame = 0; frame < MAX_FRAMES && at + headerBytes <= end; frame++) {
    const header = await source.read(at, headerBytes);
    const id = String.fromCharCode(...header.subarray(0, major === 2 ? 3 : 4));
    if (!/^[A-Z0-9]{3,4}$/.test(id)) break;
    const written = [...header.subarray(id.length, id.length === 3 ? 6 : 8)];
    const length = major === 4 ? syncsafe(written) : bigEndian(written);
    const isText = !FILES.has(id) && length <= MAX_TEXT_BYTES;
    if (isText) await source.read(at + headerBytes, Math.min(length, end - at - headerBytes));
    at += headerBytes + length;
  }
  return true;
}

function syncsafe(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function bigEndian(bytes: readonly number[]): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
