import { hashWord, visitShingles, wordsOf } from "./shingles.ts";

/** Shorter texts are twins only if they are equal: a few changed words are a large part of their shingles. */
const MIN_WORDS = 80;
const BITS = 64;

/**
 * The fingerprint of a page's main text: 64 bits as 16 hex digits. That of similar texts differs in few bits: SimHash
 * over the text's shingles, Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002. A text of
 * fewer than 80 words has the hash of its words instead. Null for a text without words.
 */
export function fingerprintOf(text: string): string | null {
  const words = wordsOf(text);
  if (words.length === 0) return null;
  if (words.length < MIN_WORDS) {
    const [high, low] = hashWord(words.join(" "));
    return toHex(high) + toHex(low);
  }
  const counts = new Int32Array(BITS);
  const seen = new Set<number>();
  visitShingles(words, (high, low) => {
    // A passage that is repeated says nothing new.
    const key = (high >>> 11) * 2 ** 32 + low;
    if (seen.has(key)) return;
    seen.add(key);
    for (let bit = 0; bit < 32; bit++) {
      counts[bit] = (counts[bit] as number) + ((high >>> (31 - bit)) & 1);
      counts[bit + 32] = (counts[bit + 32] as number) + ((low >>> (31 - bit)) & 1);
    }
  });
  return toHex(majority(counts, 0, seen.size)) + toHex(majority(counts, 32, seen.size));
}

/** A bit is set if more than half of the shingles have it. */
function majority(counts: Int32Array, first: number, shingles: number): number {
  let word = 0;
  for (let bit = first; bit < first + 32; bit++) word = (word << 1) | ((counts[bit] as number) * 2 > shingles ? 1 : 0);
  return word >>> 0;
}

function toHex(word: number): string {
  return word.toString(16).padStart(8, "0");
}
