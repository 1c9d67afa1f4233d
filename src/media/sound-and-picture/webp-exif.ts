import { type MediaSource, RANGE_BYTES } from "./media-source.ts";

/** Finds the EXIF of a WebP picture, which stands behind its pixels. https://www.rfc-editor.org/rfc/rfc9649 */

const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const MAX_CHUNKS = 32;
const HAS_EXIF = 0x08;
/** JPEG's prefix, which some programs write here too. */
const PREFIX = "Exif\0\0";

/** The EXIF as TIFF; null if there is none. Throws MissingBytes. */
export async function findWebpExif(source: MediaSource): Promise<Uint8Array | null> {
  let at = HEADER_BYTES;
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const header = await source.read(at, CHUNK_HEADER_BYTES + 1);
    if (header.byteLength < CHUNK_HEADER_BYTES) return null;
    const id = String.fromCharCode(...header.subarray(0, 4));
    const length = new DataView(header.buffer, header.byteOffset).getUint32(4, true);
    if (id === "EXIF") {
      const exif = await source.read(at + CHUNK_HEADER_BYTES, Math.min(length, RANGE_BYTES));
      const hasPrefix = String.fromCharCode(...exif.subarray(0, PREFIX.length)) === PREFIX;
      return hasPrefix ? exif.subarray(PREFIX.length) : exif;
    }
    // Only the extended format has it, and says so.
    const mayHave = chunk > 0 || (id === "VP8X" && ((header[CHUNK_HEADER_BYTES] ?? 0) & HAS_EXIF) !== 0);
    if (!mayHave) return null;
    at += CHUNK_HEADER_BYTES + length + (length % 2);
  }
  return null;
}
