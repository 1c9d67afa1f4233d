import { UNSPACED_OR_KOREAN as UNSPACED } from "../core/unspaced-scripts.ts";

/**
 * Decides which index has a word: the one of words, or the one of trigrams for scripts without spaces. In Korean, 크롤러
 * must find 크롤러는.
 */

/** The characters of words in the index of words (migrations/0006_search.sql). */
const WORD = "\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}";

const unspaced = new RegExp(`[${UNSPACED}]`, "v");
const letter = /[\p{L}\p{N}\p{Co}]/v;
const boundary = new RegExp(
  `(?<=[${UNSPACED}])(?=[[${WORD}]--[${UNSPACED}]])|(?<=[[${WORD}]--[${UNSPACED}]])(?=[${UNSPACED}])`,
  "gv",
);
const words = new RegExp(`[${WORD}]+`, "gv");

/** ZERO WIDTH SPACE: it ends a word and is invisible. */
export const BREAK = "\u200b";

export function hasUnspaced(text: string): boolean {
  return unspaced.test(text);
}

/** Whether it has a letter or a digit. */
export function hasLetter(text: string): boolean {
  return letter.test(text);
}

/** Separates words where the script changes: 用Python写 has words for both indexes. */
export function breakScripts(text: string): string {
  return text.replace(boundary, BREAK);
}

/** The runs of a text's word characters. */
export function runsOf(text: string): string[] {
  return text.match(words) ?? [];
}

/** The same, with the offset of each. */
export function runsAt(text: string): { run: string; at: number }[] {
  return Array.from(text.matchAll(words), ({ 0: run, index }) => ({ run, at: index }));
}
