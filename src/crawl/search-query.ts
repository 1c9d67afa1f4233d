/** What people type into a search box, as expressions for SQLite's FTS5, which takes nothing of it for its own syntax. */

/** Scripts that put no spaces between words, or join particles to them: found by three characters in a row (trigrams), not by words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** A sign for leaving out, then a phrase or a word. */
const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/gu;
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]/u;
const MOST_TERMS = 32;
const MOST_CHARACTERS = 1_000;

export interface SearchQuery {
  /** For the index of words; empty where no term is for it. */
  words: string;
  /** For the index of trigrams; empty where no term is for it. */
  trigrams: string;
  /** Terms too short for a trigram: to be looked up as beginnings of trigrams. */
  short: string[];
}

export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

/** Null where there is nothing to look for: no word, or only words to be left out. */
export function readQuery(typed: string): SearchQuery | null {
  const wanted: Record<"words" | "trigrams", string[]> = { words: [], trigrams: [] };
  const unwanted: Record<"words" | "trigrams", string[]> = { words: [], trigrams: [] };
  const short: string[] = [];
  // A lone surrogate is no character, and SQLite takes none.
  const text = typed.slice(0, MOST_CHARACTERS).toWellFormed().replaceAll("\0", " ");
  for (const [, minus, phrase, word] of [...text.matchAll(TERM)].slice(0, MOST_TERMS)) {
    const term = (phrase ?? word ?? "").trim();
    if (!WORD.test(term)) continue;
    const index = UNSPACED.test(term) ? "trigrams" : "words";
    const isPrefix = index === "words" && phrase === undefined && term.endsWith("*");
    const expression = `${quote(term)}${isPrefix ? "*" : ""}`;
    if (minus === "-") unwanted[index].push(expression);
    else if (index === "trigrams" && [...term].length < 3) short.push(term);
    else wanted[index].push(expression);
  }
  if (wanted.words.length + wanted.trigrams.length + short.length === 0) return null;
  return { words: compose(wanted.words, unwanted.words), trigrams: compose(wanted.trigrams, unwanted.trigrams), short };
}

/** `NOT` needs something on its left, so what is only to be left out of an index that nothing is looked for in is not. */
function compose(wanted: string[], unwanted: string[]): string {
  if (wanted.length === 0) return "";
  return [`(${wanted.join(" AND ")})`, ...unwanted].join(" NOT ");
}

/** https://www.sqlite.org/fts5.html#fts5_strings */
function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

/** A term whose trigrams these are: any of them will do. */
export function anyOf(trigrams: readonly string[]): string {
  return `(${trigrams.map(quote).join(" OR ")})`;
}
