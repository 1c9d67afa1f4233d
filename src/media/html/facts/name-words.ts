import { UNSPACED } from "../../../core/unspaced-scripts.ts";

/** Compares titles and names by their words: without case, accents and punctuation. */

/** Scripts without spaces have a word for each character. */
const ALONE = new RegExp(`[${UNSPACED}]`, "gu");
const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{N}]+/gu;
const IGNORED = /[\p{M}'’‘`´\u00ad]/gu;

/** Most titles are in ASCII, which has nothing to fold but case. */
const ASCII = /^[\x20-\x7e]*$/;

export function nameWords(text: string): string[] {
  if (ASCII.test(text)) return text.replaceAll("'", "").replaceAll("`", "").toLowerCase().match(ASCII_WORD) ?? [];
  const plain = text.replace(/[®™©]/g, "").normalize("NFKD").replace(IGNORED, "").toLowerCase();
  return plain.replace(ALONE, " $& ").match(WORD) ?? [];
}

/** What two names share of their words, as the harmonic mean of their shares: 0 to 1. */
export function sharedWords(words: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of words) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of others) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared += 1;
    left.set(word, count - 1);
  }
  return shared === 0 ? 0 : (2 * shared) / (words.length + others.length);
}
