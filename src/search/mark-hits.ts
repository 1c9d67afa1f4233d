// Porter's algorithm, as FTS5's tokenizer has it: 2 kB, without dependencies, of the unified collective's maintainer.
import { stemmer } from "stemmer";
import type { Term } from "./query.ts";
import { runsAt } from "./scripts.ts";
import { HIT_END, HIT_START } from "./snippet.ts";

/**
 * Marks the hits in a window of a page's text. FTS5's own functions for it read the whole page, and their time grows
 * with the square of its hits. The words are cut, folded and stemmed as the index's tokenizer does
 * (migrations/0006_search.sql), so a mark is where the index has its hit; a rare letter that is folded otherwise is
 * left unmarked.
 */

interface Word {
  stem: string;
  start: number;
  end: number;
}

interface Wanted {
  stems: string[];
  /** Whether the last stem is the beginning of one. */
  prefix: boolean;
}

/**
 * The marks that unicode61 removes, from Latin letters alone: https://www.sqlite.org/src/file/ext/fts5/fts5_unicode2.c
 */
const DIACRITICS = /(?<=[a-z][\u0300-\u0331]{0,8})[\u0300-\u0331]/g;

export function stemOf(word: string): string {
  return stemmer(word.toLowerCase().normalize("NFD").replace(DIACRITICS, "").normalize("NFC"));
}

/**
 * The text with HIT_START and HIT_END around each hit. Terms of scripts without spaces and excluded ones are left out.
 */
export function markHits(text: string, terms: readonly Term[]): string {
  const words = runsAt(text).map(({ run, at }) => ({ stem: stemOf(run), start: at, end: at + run.length }));
  const wanted = terms
    .filter(({ unspaced, excluded }) => !unspaced && !excluded)
    .map((term): Wanted => ({ stems: runsAt(term.text).map(({ run }) => stemOf(run)), prefix: term.prefix }))
    .filter(({ stems }) => stems.length > 0);
  let marked = "";
  let at = 0;
  for (let i = 0; i < words.length; ) {
    const length = Math.max(0, ...wanted.map((each) => (isAt(words, i, each) ? each.stems.length : 0)));
    const first = words[i];
    const last = words[i + length - 1];
    if (length > 0 && first !== undefined && last !== undefined) {
      marked += `${text.slice(at, first.start)}${HIT_START}${text.slice(first.start, last.end)}${HIT_END}`;
      at = last.end;
    }
    i += Math.max(1, length);
  }
  return marked + text.slice(at);
}

function isAt(words: readonly Word[], from: number, { stems, prefix }: Wanted): boolean {
  return stems.every((stem, i) => {
    const found = words[from + i]?.stem;
    return found === stem || (prefix && i === stems.length - 1 && found?.startsWith(stem) === true);
  });
}

/**
 * What to look for, in lower case, to find the first place of any wanted word in a text without cutting it into words:
 * the letters that the word and its stem begin with alike.
 */
export function beginningsOf(terms: readonly Term[]): string[] {
  const beginnings = terms
    .filter(({ excluded }) => !excluded)
    .flatMap(({ text, unspaced }) => runsAt(text).map(({ run }) => (unspaced ? run : sharedBeginning(run))));
  return [...new Set(beginnings)];
}

function sharedBeginning(word: string): string {
  const lower = word.toLowerCase();
  const stem = stemOf(word);
  let length = 0;
  while (length < stem.length && stem[length] === lower[length]) length++;
  return lower.slice(0, Math.max(1, length));
}
