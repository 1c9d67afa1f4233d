import { analyse } from "chardet"; // ICU's statistical detector in JavaScript, without dependencies; runs in workerd

/**
 * Guesses the encoding of a page that declares none and is not UTF-8: the last step of the HTML standard's order.
 * https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
 */

/** Bytes of the text between the tags. They are enough, and take a few milliseconds at most. */
const SAMPLE_BYTES = 8_192;
const SCAN_BYTES = 262_144;
/** Minimum confidence, up to 100. With less, the detector only guesses among Latin encodings. */
const MIN_CONFIDENCE = 30;
/** The detector compares two-byte characters with the most frequent ones, which needs some text. */
const MIN_HIGH_BYTES = 16;
/** One of this many bytes above ASCII may be invalid in the encoding, because pages contain mistakes. */
const MISFIT_SHARE = 50;

/** Returns the WHATWG label of the likely encoding, or null. Calls `detect` with a sample of the text, at most once. */
export function guessEncoding(bytes: Uint8Array, detect = analyse): string | null {
  const sample = textBetweenTags(bytes);
  let high = 0;
  for (const byte of sample) if (byte >= 0x80) high += 1;
  if (high < MIN_HIGH_BYTES) return null;
  for (const { name, confidence } of detect(sample)) {
    if (confidence < MIN_CONFIDENCE) return null;
    if (!name.startsWith("UTF-") && misfits(sample, name) <= high / MISFIT_SHARE) return name;
  }
  return null;
}

/** Recognizes UTF-16 without a byte order mark in a mostly Latin page: nearly every second byte is NUL. */
export function utf16WithoutMark(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const length = Math.min(bytes.length, 1_024) & ~1;
  // A page begins with `<` or white space.
  const first = (bytes[0] ?? 0) | (bytes[1] ?? 0);
  if (length < 16 || !(first === 0x3c || (first >= 0x09 && first <= 0x20))) return null;
  const nuls = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) nuls[at & 1] = (nuls[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (odd > length / 8 && even < odd / 16) return "utf-16le";
  return even > length / 8 && odd < even / 16 ? "utf-16be" : null;
}

/**
 * Characters above ASCII for each invalid byte of a text that counts as UTF-8. In other encodings nearly every such
 * byte is invalid.
 */
const MIN_VALID = 2;

/** `text`: a page decoded as UTF-8. A page may have a few mistakes, such as a character that was cut in two. */
export function isNearlyUtf8(text: string): boolean {
  let valid = 0;
  let invalid = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) invalid += 1;
    // The second half of a character does not count.
    else if (code >= 0x80 && (code < 0xdc00 || code > 0xdfff)) valid += 1;
  }
  return invalid * MIN_VALID <= valid;
}

const ESCAPE = 0x1b;

/** Recognizes ISO-2022-JP by its escape to two bytes a character (`ESC $ @`, `ESC $ B`). All of its bytes are ASCII. */
export function isIso2022Jp(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(ESCAPE); at !== -1; at = bytes.indexOf(ESCAPE, at + 1)) {
    const isTwoByte = bytes[at + 1] === 0x24 && (bytes[at + 2] === 0x40 || bytes[at + 2] === 0x42);
    if (isTwoByte) return bytes.every((byte) => byte < 0x80);
  }
  return false;
}

/** Markup is ASCII in every encoding here, and would outweigh the rest. */
function textBetweenTags(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  let inTag = false;
  const end = Math.min(bytes.length, SCAN_BYTES);
  for (let at = 0; at < end && length < SAMPLE_BYTES; at++) {
    const byte = bytes[at] as number;
    // In Shift_JIS and GB18030, 0x3C and 0x3E are never second bytes.
    if (byte === 0x3c) inTag = true;
    else if (byte === 0x3e) inTag = false;
    else if (!inTag) sample[length++] = byte;
  }
  return sample.subarray(0, length);
}

/** Counts the bytes that are invalid in the encoding; infinite for an encoding that the runtime does not know. */
function misfits(sample: Uint8Array, label: string): number {
  try {
    // As a stream, so that a character that the end of the sample cuts in two does not count.
    return new TextDecoder(label).decode(sample, { stream: true }).split("\ufffd").length - 1;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
