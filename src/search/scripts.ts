/** Which of the two indexes knows a word: that of words, or that of trigrams for scripts that put no spaces between them. */

/**
 * Korean puts spaces, but joins particles to its words: 크롤러는 is to be found by 크롤러. The marks of length and voicing belong to no one
 * script, and stand in Japanese.
 */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Hangul}\\p{Script=Yi}" +
  "\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}\\u{30fc}\\u{ff70}\\u{3099}\\u{309a}";
/** What the index of words makes words of (migrations/0006_search.sql). */
const WORD = "\\p{L}\\p{N}\\p{Co}\\p{Mn}\\p{Mc}";

const unspaced = new RegExp(`[${UNSPACED}]`, "v");
const letter = /[\p{L}\p{N}\p{Co}]/v;
const boundary = new RegExp(
  `(?<=[${UNSPACED}])(?=[[${WORD}]--[${UNSPACED}]])|(?<=[[${WORD}]--[${UNSPACED}]])(?=[${UNSPACED}])`,
  "gv",
);
const noWord = new RegExp(`[^${WORD}]+`, "v");

/** ZERO WIDTH SPACE: it ends a word, and nobody sees it. */
export const BREAK = "\u200b";

export function hasUnspaced(text: string): boolean {
  return unspaced.test(text);
}

/** Whether there is anything in it that a word is made of. */
export function hasLetter(text: string): boolean {
  return letter.test(text);
}

/** Parts words where the script changes: 用Python写 holds a word for each of the two indexes. */
export function breakScripts(text: string): string {
  return text.replace(boundary, BREAK);
}

/** The runs of a text that words are made of. */
export function runsOf(text: string): string[] {
  return text.split(noWord).filter((run) => run !== "");
}
