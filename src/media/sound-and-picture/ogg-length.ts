import { type MediaSource, RANGE_BYTES } from "./media-source.ts";

/**
 * The length of an Ogg file in samples: its last page says how many came before. https://www.rfc-editor.org/rfc/rfc3533
 */

const PAGE = "OggS";
/** How the first packet of a stream of sound begins. */
const SOUNDS = ["\x01vorbis", "OpusHead", "Speex   ", "\x7fFLAC"];
const HEADER_BYTES = 27;

/** `start`: the beginning of the file. Null if its end does not say it. Throws MissingBytes. */
export async function readOggSamples(source: MediaSource, start: Uint8Array): Promise<number | null> {
  const sound = findSoundStream(start);
  if (sound === null || source.size === null) return null;
  const tailAt = Math.max(0, source.size - RANGE_BYTES);
  const tail = await source.read(tailAt, RANGE_BYTES);
  const text = toLatin1(tail);
  for (let at = text.lastIndexOf(PAGE); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(PAGE, at - 1)) {
    if (at + HEADER_BYTES > tail.byteLength) continue;
    const view = new DataView(tail.buffer, tail.byteOffset + at);
    const samples = Number(view.getBigInt64(6, true));
    // −1: no packet ends on this page.
    if (view.getUint32(14, true) === sound.serial && samples >= 0 && Number.isSafeInteger(samples))
      return Math.max(0, samples - sound.skipped);
  }
  return null;
}

/** The first stream of sound, and the samples that a player of Opus leaves out (RFC 7845, section 4.2). */
function findSoundStream(start: Uint8Array): { serial: number; skipped: number } | null {
  const text = toLatin1(start);
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  // The first pages of all streams come first.
  for (let at = 0; text.startsWith(PAGE, at) && at + HEADER_BYTES < start.byteLength; ) {
    const segments = start[at + 26] ?? 0;
    const packetAt = at + HEADER_BYTES + segments;
    const length = start.subarray(at + HEADER_BYTES, packetAt).reduce((sum, byte) => sum + byte, 0);
    const packet = text.slice(packetAt, packetAt + length);
    const serial = view.getUint32(at + 14, true);
    const isOpus = packet.startsWith("OpusHead") && packet.length >= 12;
    if (SOUNDS.some((start) => packet.startsWith(start)))
      return { serial, skipped: isOpus ? view.getUint16(packetAt + 10, true) : 0 };
    at = packetAt + length;
  }
  return null;
}

/** The size of the picture in a Theora stream: its frames are larger. https://www.theora.org/doc/Theora.pdf, 6.2 */
export function readTheoraSize(start: Uint8Array): { pixelWidth: number; pixelHeight: number } | null {
  // The type of the packet stands before its name.
  const at = toLatin1(start).indexOf("theora") - 1;
  if (at < 0 || at + 20 > start.byteLength) return null;
  const view = new DataView(start.buffer, start.byteOffset + at);
  return { pixelWidth: view.getUint32(13) & 0xffffff, pixelHeight: view.getUint32(16) & 0xffffff };
}

/** A character for each byte. */
function toLatin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
