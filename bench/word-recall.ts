/** How many of a document's words, as another program reads them, our reader has too. */

export interface WordRecall {
  /** From 0 to 1. */
  recall: number;
  /** Words of the other program, each as often as it stands there. */
  words: number;
  /** The first words that are missing, for people. */
  missing: string[];
}

/** A Chinese or Japanese character is a word. Marks on letters belong to their word. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{N}\p{M}]+?(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\p{L}\p{N}\p{M}]|$)/gu;
/** A word that is broken at the end of a line, or of a column. */
const BROKEN = /([\p{L}\p{N}\p{M}]+)[-\u00ad\u2010](?=[^\S\n]*(?:\n|[^\S\n]{3}))/gu;
const MAX_MISSING = 40;

/**
 * `expected`: the other program's text, in which words may be broken at line ends. Both halves of such a word count as
 * found where our text has it whole. Upper case, compatibility forms (ligatures, full width) and order do not count.
 */
export function wordRecall(found: string, expected: string): WordRecall {
  const left = new Map<string, number>();
  for (const word of wordsOf(found)) left.set(word, (left.get(word) ?? 0) + 1);
  const missing: string[] = [];
  let missed = 0;
  let words = 0;
  for (const { word, heads } of pieces(expected)) {
    words += 1;
    const head = heads.find(({ text }) => take(left, text + word.text));
    if (head !== undefined) {
      // Its first half was missed when it came.
      if (head.isMissed) missed -= 1;
      head.isMissed = false;
    } else if (!take(left, word.text)) {
      missed += 1;
      word.isMissed = true;
      if (missing.length < MAX_MISSING) missing.push(word.text);
    }
  }
  return { recall: words === 0 ? 1 : 1 - missed / words, words, missing };
}

function take(left: Map<string, number>, word: string): boolean {
  const times = left.get(word) ?? 0;
  if (times === 0) return false;
  left.set(word, times - 1);
  return true;
}

interface Piece {
  text: string;
  isMissed: boolean;
}

/** Each word, with the halves of words that may belong before it: those that end the line above. */
function* pieces(text: string): Generator<{ word: Piece; heads: readonly Piece[] }> {
  let heads: Piece[] = [];
  for (const line of normalize(text).split("\n")) {
    if (line.trim() === "") continue;
    const broken = new Set([...`${line}\n`.matchAll(BROKEN)].map(([, head]) => head));
    const words = (line.match(WORD) ?? []).map((written) => ({ text: written, isMissed: false }));
    for (const word of words) yield { word, heads };
    heads = words.filter((word) => broken.has(word.text));
  }
}

function wordsOf(text: string): string[] {
  return normalize(text).match(WORD) ?? [];
}

function normalize(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
