import { PRINT_HEAD_BYTES, SKETCH_BYTES } from "./text-print.ts";

/**
 * Compares texts by what was kept of them: the hash of all words, and of a text of at least 80 words the least shingle
 * of each of 256 bins, a byte each. The share of equal bins estimates the Jaccard index of the shingles: Li, Owen and
 * Zhang, "One Permutation Hashing", 2012; Li and König, "b-Bit Minwise Hashing", 2010. The standard error at 0.9 is
 * 0.02.
 */

/** Two bins are equal by chance. */
const CHANCE = 1 / 255;

/**
 * 0 to 1, and at most the number of words of the shorter text by that of the longer one, because a text that repeats
 * itself has no more shingles. 1 only for texts of the same words. `one` and `other`: the bytes of sketches.
 */
export function estimateSimilarity(one: Uint8Array, other: Uint8Array): number {
  if (isSameText(one, other)) return 1;
  if (one.length < SKETCH_BYTES || other.length < SKETCH_BYTES) return 0;
  let [equal, filled] = [0, 0];
  for (let at = PRINT_HEAD_BYTES; at < SKETCH_BYTES; at++) {
    const [a, b] = [one[at] as number, other[at] as number];
    if (a === 0 && b === 0) continue;
    filled += 1;
    if (a === b) equal += 1;
  }
  const share = equal / Math.max(filled, 1);
  const [words, others] = [wordsOf(one), wordsOf(other)];
  return Math.min(
    0.999,
    Math.min(words, others) / Math.max(words, others),
    Math.max(0, (share - CHANCE) / (1 - CHANCE)),
  );
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): number {
  return new DataView(buffer, byteOffset, byteLength).getUint32(PRINT_HEAD_BYTES - 4);
}

function isSameText(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < PRINT_HEAD_BYTES; at++) if (one[at] !== other[at]) return false;
  return true;
}
