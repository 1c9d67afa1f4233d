import { DocumentProblem } from "../document-problem.ts";
import type { MediaSource } from "./media-source.ts";

/**
 * Finds the box of an MP4 file that describes it. It stands before or behind the sound and picture, which are passed
 * over. ISO/IEC 14496-12, section 4.2.
 */

/** A file in fragments has thousands; the description stands before them. */
const MAX_BOXES = 64;
const HEADER_BYTES = 16;

/** Where the box `moov` stands. Throws DocumentProblem if there is none, and MissingBytes. */
export async function findMoov(source: MediaSource): Promise<{ start: number; end: number }> {
  let at = 0;
  for (let box = 0; box < MAX_BOXES; box++) {
    const header = await source.read(at, HEADER_BYTES);
    if (header.byteLength < 8) break;
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    const written = view.getUint32(0);
    const isLong = written === 1 && header.byteLength === HEADER_BYTES;
    // 0: to the end of the file.
    const length = isLong ? Number(view.getBigUint64(8)) : written === 0 ? (source.size ?? 0) - at : written;
    const end = at + length;
    if (length < 8 || !Number.isSafeInteger(end)) break;
    if (view.getUint32(4) === MOOV) return { start: at, end };
    at = end;
  }
  throw new DocumentProblem("damaged", "it has no description of its tracks");
}

/** `moov` */
const MOOV = 0x6d6f6f76;
