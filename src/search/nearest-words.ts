import { stemOf } from "./mark-hits.ts";
import type { Term } from "./query.ts";
import { runsOf } from "./scripts.ts";

/** The words that a mistyped one may mean, and names as their parts: what a search tries where nothing is found. */

/** A word of a query that no page has, and the word that was searched for instead. */
export interface Correction {
  word: string;
  by: string;
}

/** A shorter word has too many near ones. */
const MIN_LETTERS = 4;
const MAX_LETTERS = 24;
/** Words of a query that are corrected. */
export const MOST_CORRECTED = 4;
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
/** Two letters that changed places are the likeliest slip. */
const SWAP_WEIGHT = 4;

/** Whether a term is one word of Latin letters that may be mistyped. */
export function mayBeMistyped({ text, excluded, prefix, unspaced }: Term): boolean {
  return (
    !excluded &&
    !prefix &&
    !unspaced &&
    /^[a-z]+$/i.test(text) &&
    text.length >= MIN_LETTERS &&
    text.length <= MAX_LETTERS
  );
}

/** The words that are one slip away: a letter too many, too few, another one, or two that changed places. */
export function nearWords(word: string): Map<string, number> {
  const lower = word.toLowerCase();
  const near = new Map<string, number>();
  for (let at = 0; at <= lower.length; at++) {
    const [before, after] = [lower.slice(0, at), lower.slice(at)];
    if (after !== "") near.set(before + after.slice(1), 1);
    for (const letter of LETTERS) {
      near.set(before + letter + after, 1);
      if (after !== "") near.set(before + letter + after.slice(1), 1);
    }
  }
  for (let at = 0; at + 1 < lower.length; at++)
    near.set(lower.slice(0, at) + lower[at + 1] + lower[at] + lower.slice(at + 2), SWAP_WEIGHT);
  near.delete(lower);
  return near;
}

/** The stems under which the index has the words; a word of no page has none among `pages`. */
export function stemsOf(words: Iterable<string>): string[] {
  return [...new Set(Array.from(words, stemOf))];
}

/** The nearest word that pages have, the most frequent first; null if there is none. `pages`: by stem. */
export function nearestWord(word: string, pages: ReadonlyMap<string, number>): string | null {
  let best: { word: string; weight: number } | null = null;
  for (const [near, likely] of nearWords(word)) {
    const weight = (pages.get(stemOf(near)) ?? 0) * likely;
    if (weight > (best?.weight ?? 0)) best = { word: near, weight };
  }
  return best?.word ?? null;
}

/** Names such as `pg_dump` and `os.path` as their parts, where no page has them as one; null if there are none. */
export function splitNames(terms: readonly Term[]): Term[] | null {
  const split = terms.flatMap((term) => {
    const isName = !term.excluded && !term.unspaced && !term.prefix && !/\s/.test(term.text);
    const parts = isName ? runsOf(term.text) : [];
    return parts.length > 1 ? parts.map((text) => ({ ...term, text })) : [term];
  });
  return split.length > terms.length ? split : null;
}
