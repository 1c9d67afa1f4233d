import { hashWords, mix, visitShingles } from "./shingles.ts";

/** What is kept of a page's main text, so that texts can be compared without reading them again. */
export interface TextPrint {
  /**
   * 64 bits as 16 hex digits. That of similar texts differs in few bits: SimHash over the text's shingles, Charikar,
   * "Similarity Estimation Techniques from Rounding Algorithms", 2002. A text of fewer than 80 words has the hash of
   * its words instead.
   */
  fingerprint: string;
  /** The bytes of a `TextSketch` (text-sketch.ts). */
  sketch: Uint8Array;
}

/** Shorter texts are twins only if they are equal: a few changed words are a large part of their shingles. */
const MIN_WORDS = 80;
const BYTES = 8;
const HASH_BYTES = 8;
const LENGTH_BYTES = 4;
/** What stands before the bins. */
export const PRINT_HEAD_BYTES = HASH_BYTES + LENGTH_BYTES;
const VALUES = 256;
/** The sketch of a longer text has a byte for each of so many bins. */
const BINS = 256;
/** The hash of all words in their order, their number, and the bins. */
export const SKETCH_BYTES = PRINT_HEAD_BYTES + BINS;

/** Null for a text without words. */
export function printText(text: string): TextPrint | null {
  const hashes = hashWords(text);
  const words = hashes.length / 2;
  if (words === 0) return null;
  const [high, low] = hashAll(hashes);
  if (words < MIN_WORDS) {
    return { fingerprint: toHex(high) + toHex(low), sketch: toBytes(high, low, words, PRINT_HEAD_BYTES) };
  }
  const shingles = new ShingleSet(words);
  const counts = new Uint32Array(BYTES * VALUES);
  const least = new Uint32Array(BINS).fill(0xffff_ffff);
  const sketch = toBytes(high, low, words, SKETCH_BYTES);
  visitShingles(hashes, (high, low) => {
    // A passage that is repeated says nothing new.
    if (!shingles.add(high, low)) return;
    for (let byte = 0; byte < BYTES; byte++) {
      const at = byte * VALUES + (((byte < 4 ? high : low) >>> (24 - 8 * (byte & 3))) & 255);
      counts[at] = (counts[at] as number) + 1;
    }
    const bin = high >>> 24;
    if (low > (least[bin] as number)) return;
    least[bin] = low;
    // Zero is an empty bin.
    sketch[PRINT_HEAD_BYTES + bin] = 1 + ((low & 255) % 255);
  });
  return { fingerprint: majority(counts, shingles.size), sketch };
}

/** A bit is set if more than half of the shingles have it. `counts`: of each value of each byte. */
function majority(counts: Uint32Array, shingles: number): string {
  let hex = "";
  for (let byte = 0; byte < BYTES; byte++) {
    let value = 0;
    for (let bit = 128; bit > 0; bit >>= 1) {
      let set = 0;
      for (let i = bit; i < VALUES; i++) if ((i & bit) !== 0) set += counts[byte * VALUES + i] as number;
      if (2 * set > shingles) value |= bit;
    }
    hex += value.toString(16).padStart(2, "0");
  }
  return hex;
}

/** The hash of all words in their order. */
function hashAll(hashes: Uint32Array): [high: number, low: number] {
  let [high, low] = [0x2545_f491, 0x4f6c_dd1d];
  for (let i = 0; i < hashes.length; i += 2) {
    high = mix(Math.imul(high, 5) ^ (hashes[i] as number));
    low = mix(Math.imul(low, 5) ^ (hashes[i + 1] as number));
  }
  return [high >>> 0, low >>> 0];
}

function toBytes(high: number, low: number, words: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, high);
  view.setUint32(4, low);
  view.setUint32(HASH_BYTES, words);
  return bytes;
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, "0");
}

/** A hash table with open addressing: a Set of pairs takes ten times as long. */
class ShingleSet {
  readonly #words: Uint32Array;
  readonly #mask: number;
  size = 0;

  constructor(most: number) {
    const places = 2 ** Math.ceil(Math.log2(2 * most));
    this.#words = new Uint32Array(2 * places);
    this.#mask = places - 1;
  }

  /** False if it has the pair already. The pair of two zeros, one of 2^64, is never there. */
  add(high: number, low: number): boolean {
    const words = this.#words;
    for (let place = low & this.#mask; ; place = (place + 1) & this.#mask) {
      const hasHigh = words[2 * place];
      const hasLow = words[2 * place + 1];
      if (hasHigh === high && hasLow === low) return false;
      if (hasHigh !== 0 || hasLow !== 0) continue;
      words[2 * place] = high;
      words[2 * place + 1] = low;
      this.size += 1;
      return true;
    }
  }
}
