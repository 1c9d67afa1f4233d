import { type MediaFacts, toName, toPositive } from "./media-facts.ts";
import type { MediaSource } from "./media-source.ts";

/**
 * The dimensions of a QuickTime film and its user data, which its parser takes from MP4 alone.
 * https://developer.apple.com/documentation/quicktime-file-format/user_data_atoms
 */

type QuickTimeFacts = Partial<Pick<MediaFacts, "width" | "height" | "title" | "artist" | "album" | "year" | "genre">>;

const HEADER_BYTES = 8;
/** A track, its header, a list of texts, a text. */
const MAX_BOXES = 200;
/** Of `tkhd` in version 1. Its last eight bytes are width and height. */
const MAX_TRACK_HEADER = 104;
const MAX_TEXT = 2_048;
const TEXTS: Readonly<Record<string, "title" | "artist" | "album" | "genre" | "date">> = {
  "\xa9nam": "title",
  "\xa9ART": "artist",
  "\xa9alb": "album",
  "\xa9gen": "genre",
  "\xa9day": "date",
};

/** `moov`: its place. Throws MissingBytes. */
export async function readQuickTime(
  source: MediaSource,
  moov: { start: number; end: number },
): Promise<QuickTimeFacts> {
  const facts: QuickTimeFacts = {};
  const open = [{ at: moov.start + HEADER_BYTES, end: moov.end }];
  for (let box = 0, level = open.pop(); box < MAX_BOXES && level !== undefined; box++) {
    const { at, end } = level;
    const header = at + HEADER_BYTES <= end ? await source.read(at, HEADER_BYTES) : new Uint8Array(0);
    const length = header.byteLength < HEADER_BYTES ? 0 : new DataView(header.buffer, header.byteOffset).getUint32(0);
    if (length < HEADER_BYTES || at + length > end) {
      level = open.pop();
      continue;
    }
    const name = String.fromCharCode(...header.subarray(4));
    level = { at: at + length, end };
    if (name === "trak" || name === "udta") {
      open.push(level);
      level = { at: at + HEADER_BYTES, end: at + length };
    } else if (name === "tkhd" && length <= MAX_TRACK_HEADER) {
      addDimensions(facts, await source.read(at, length));
    } else if (TEXTS[name] !== undefined && length > HEADER_BYTES + 4) {
      // The length of the text and its language come first.
      const written = await source.read(at + HEADER_BYTES + 4, Math.min(length - HEADER_BYTES - 4, MAX_TEXT));
      const text = toName(String.fromCharCode(...written));
      if (TEXTS[name] === "date") facts.year = toPositive(Number(text?.slice(0, 4)));
      else facts[TEXTS[name]] = text;
    }
  }
  return facts;
}

/** Of the first track that shows something: fixed-point numbers. */
function addDimensions(facts: QuickTimeFacts, track: Uint8Array): void {
  const view = new DataView(track.buffer, track.byteOffset, track.byteLength);
  const width = toPositive(view.getUint32(track.byteLength - 8) / 65_536);
  const height = toPositive(view.getUint32(track.byteLength - 4) / 65_536);
  if (width !== null && height !== null && facts.width === undefined) Object.assign(facts, { width, height });
}
