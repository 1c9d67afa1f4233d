import { analyse } from "chardet"; // ICU's detector in JavaScript: statistical, no dependencies, kept up; runs in workerd

/**
 * The last step of the HTML standard's order: what a page's bytes look like, where nothing says what they are and they are not UTF-8.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */

/** Of the text between the tags: enough to tell, and a few milliseconds at the most. */
const SAMPLE_BYTES = 8_192;
const SCAN_BYTES = 262_144;
/** Of 100. Below this the detector is guessing among Latin ones. */
const LEAST_CONFIDENCE = 30;
/** The detector counts pairs of two-byte characters against the commonest ones, which takes some text. */
const LEAST_HIGH_BYTES = 16;
/** One in so many bytes above ASCII may be no character of the encoding. A page may have a slip or two. */
const MOST_MISFITS = 50;

/** The WHATWG label of the encoding that the bytes look like; null where they do not tell. `detect` is given a sample of text, and asked once at the most. */
export function guessEncoding(bytes: Uint8Array, detect = analyse): string | null {
  const sample = textBetweenTags(bytes);
  let high = 0;
  for (const byte of sample) if (byte >= 0x80) high += 1;
  if (high < LEAST_HIGH_BYTES) return null;
  for (const { name, confidence } of detect(sample)) {
    if (confidence < LEAST_CONFIDENCE) return null;
    if (!name.startsWith("UTF-") && misfits(sample, name) <= high / MOST_MISFITS) return name;
  }
  return null;
}

/** UTF-16 of a mostly Latin page without its mark: a NUL in nearly every second place, always the same one. */
export function utf16WithoutMark(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const length = Math.min(bytes.length, 1_024) & ~1;
  // The first character of a page is `<` or white space.
  const first = (bytes[0] ?? 0) | (bytes[1] ?? 0);
  if (length < 16 || !(first === 0x3c || (first >= 0x09 && first <= 0x20))) return null;
  const nuls = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) nuls[at & 1] = (nuls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (odd > length / 8 && even < odd / 16) return "utf-16le";
  return even > length / 8 && odd < even / 16 ? "utf-16be" : null;
}

/** Markup is ASCII in every encoding that is told apart here, and drowns what is not. */
function textBetweenTags(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  let inTag = false;
  const end = Math.min(bytes.length, SCAN_BYTES);
  for (let at = 0; at < end && length < SAMPLE_BYTES; at++) {
    const byte = bytes[at] as number;
    // Shift_JIS and GB18030 have 0x3C and 0x3E in no second byte.
    if (byte === 0x3c) inTag = true;
    else if (byte === 0x3e) inTag = false;
    else if (!inTag) sample[length++] = byte;
  }
  return sample.subarray(0, length);
}

/** How often the bytes are no character of the encoding; all the time where the runtime does not know it. */
function misfits(sample: Uint8Array, label: string): number {
  try {
    // As a stream: a character that the sample's end cuts in two is none.
    return new TextDecoder(label).decode(sample, { stream: true }).split("\ufffd").length - 1;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
