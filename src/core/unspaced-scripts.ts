/**
 * Scripts that are written without spaces between words, as they stand in character classes of regular expressions.
 * Korean has spaces, but joins particles to its words: who looks for words adds it.
 */
export const UNSPACED_SCRIPTS = "Han Hiragana Katakana Bopomofo Yi Thai Lao Khmer Myanmar Tibetan".split(" ");
/** The marks of length and voicing belong to no single script, and occur in Japanese. */
export const JAPANESE_MARKS = "\\u{30fc}\\u{ff70}\\u{3099}\\u{309a}";

export const UNSPACED = UNSPACED_SCRIPTS.map((script) => `\\p{Script=${script}}`).join("") + JAPANESE_MARKS;
/** Likewise, with Korean. */
export const UNSPACED_OR_KOREAN = `${UNSPACED}\\p{Script=Hangul}`;
