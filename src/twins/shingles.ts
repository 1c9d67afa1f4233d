import { tokenize } from "../changes/tokenize.ts";

/**
 * The shingles of a text: each three words that follow one another, as numbers. Two texts are as similar as the sets of
 * their shingles: Broder, "On the resemblance and containment of documents", 1997. Where a script has no spaces, a
 * character counts as a word. Case, punctuation and forms of a character that look the same do not count.
 */

const WORDS_PER_SHINGLE = 3;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** The words of a text in their normal form. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const token of tokenize(text.normalize("NFKC").toLowerCase())) if (HAS_WORD.test(token)) words.push(token);
  return words;
}

/** The shingles of a text as pairs of 32-bit numbers, which `visit` gets once for each place in the text. */
export function visitShingles(words: readonly string[], visit: (high: number, low: number) => void): void {
  const hashes = new Uint32Array(words.length * 2);
  for (const [i, word] of words.entries()) hashes.set(hashWord(word), 2 * i);
  for (let i = 0; i + WORDS_PER_SHINGLE <= words.length; i++) {
    let [high, low] = [0x9e37_79b9, 0x85eb_ca6b];
    for (let word = i; word < i + WORDS_PER_SHINGLE; word++) {
      high = mix(Math.imul(high, 5) ^ (hashes[2 * word] as number));
      low = mix(Math.imul(low, 5) ^ (hashes[2 * word + 1] as number));
    }
    visit(high >>> 0, low >>> 0);
  }
}

/** The distinct shingles of a text as numbers of 53 bits. Empty for fewer than three words. */
export function shinglesOf(text: string): Set<number> {
  const shingles = new Set<number>();
  visitShingles(wordsOf(text), (high, low) => shingles.add((high >>> 11) * 2 ** 32 + low));
  return shingles;
}

/** The Jaccard index of two sets, 0 to 1: how much of what both have together is in both. Two empty sets have 1. */
export function similarityOf(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of one) if (other.has(shingle)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 1 : shared / all;
}

/** Two independent 32-bit hashes: FNV-1a of the UTF-16 units from two starts, each mixed at the end. */
export function hashWord(word: string): [high: number, low: number] {
  let high = 0x811c_9dc5;
  let low = 0x6b43_a9b5;
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x0100_0193);
    low = Math.imul(low ^ unit, 0x85eb_ca77);
  }
  return [mix(high) >>> 0, mix(low) >>> 0];
}

/** The final mix of MurmurHash3: each bit of the result depends on all bits. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
