/**
 * Estimates how many tokens a tokenizer makes of a text. The weights are fitted to cl100k_base, which OpenAI's
 * embedding models use, over Markdown in 27 languages; docs/feeding-models.md has the error. Newer tokenizers make
 * fewer tokens of most scripts, so a chunk that fits there fits here.
 *
 * A tokenizer itself would be exact for one model alone, and its table of merges weighs megabytes: a Worker may have
 * ten, and starts slower with each.
 */

/** Tokens of a word of ASCII letters, and of each letter after its fourth. */
const WORD = 0.7;
const LONG_WORD = 0.31;
const WORD_LETTERS = 4;
/** Tokens of a number, for each three digits begun. */
const DIGITS = 1.25;
const DIGITS_AT_ONCE = 3;
/** Tokens of a run of signs of ASCII, and of each sign after its first. */
const SIGNS = 0.75;
const MORE_SIGNS = 0.06;
const LINE_END = 0.95;
/** Of spaces after the first, which belongs to its word. */
const MORE_SPACES = 0.04;
/** Any sign or symbol beyond ASCII, and letters of scripts that are not listed. */
const OTHER = 1.5;
/** Of sums of weights. */
const ROUNDING = 1e-6;

/** Tokens of a character, by its script: the first code point behind the range, and the weight. */
const SCRIPTS: readonly (readonly [end: number, weight: number])[] = [
  [0xc0, OTHER],
  // Latin with marks. It breaks its word in two.
  [0x250, 1.6],
  [0x370, 1],
  // Greek and Cyrillic.
  [0x530, 0.5],
  [0x590, 1],
  // Hebrew and Arabic.
  [0x780, 0.85],
  // India, Thailand, Georgia, Ethiopia and others.
  [0x1e00, 1.2],
  // Latin with two marks: Vietnamese.
  [0x1f00, 2],
  [0x2000, 1],
  [0x3000, OTHER],
  [0x3040, 1],
  // Kana.
  [0x3100, 1],
  [0x3400, 1.2],
  // Han.
  [0xa000, 1.13],
  [0xac00, 1.5],
  // Hangul.
  [0xd7b0, 1.33],
  [0xf900, OTHER],
  [0xff00, 1.3],
  // Signs of full width, and the halves of characters beyond the basic plane.
  [0x10000, 1.3],
];

/** A table for the basic plane, made at the first use: 65,536 bytes. */
let table: Uint8Array | undefined;

/**
 * The estimate before it is rounded. Over texts that are put together between words or lines, it is their sum. Takes
 * time that is linear in the text.
 */
export function weighTokens(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      weight += weightOf(code);
      at += 1;
      continue;
    }
    const isSame = classOf(code);
    let end = at + 1;
    while (end < text.length && isSame(text.charCodeAt(end))) end += 1;
    weight += RUNS.get(isSame)?.(end - at) ?? 0;
    at = end;
  }
  return weight;
}

/** A whole number of tokens; 0 for an empty text. */
export function estimateTokens(text: string): number {
  return Math.max(0, Math.ceil(weighTokens(text) - ROUNDING));
}

const isLetter = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isLineEnd = (code: number) => code === 0x0a;
const isSpace = (code: number) => code <= 0x20 && code !== 0x0a;
const isSign = (code: number) => code > 0x20 && code < 0x80 && !isLetter(code) && !isDigit(code);

type Class = (code: number) => boolean;

function classOf(code: number): Class {
  if (isLetter(code)) return isLetter;
  if (isDigit(code)) return isDigit;
  if (isLineEnd(code)) return isLineEnd;
  return isSpace(code) ? isSpace : isSign;
}

const RUNS = new Map<Class, (length: number) => number>([
  [isLetter, (length) => WORD + LONG_WORD * Math.max(0, length - WORD_LETTERS)],
  [isDigit, (length) => DIGITS * Math.ceil(length / DIGITS_AT_ONCE)],
  [isLineEnd, (length) => LINE_END * length],
  [isSpace, (length) => MORE_SPACES * length],
  [isSign, (length) => SIGNS + MORE_SIGNS * (length - 1)],
]);

function weightOf(code: number): number {
  table ??= makeTable();
  return SCRIPTS[table[code] ?? 0]?.[1] ?? OTHER;
}

function makeTable(): Uint8Array {
  const indexes = new Uint8Array(0x10000);
  let from = 0;
  for (const [index, [end]] of SCRIPTS.entries()) {
    indexes.fill(index, from, end);
    from = end;
  }
  return indexes;
}
