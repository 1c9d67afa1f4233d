import { normalizeText } from "./index-text.ts";
import { BREAK, breakScripts, hasLetter, hasUnspaced, runsOf } from "./scripts.ts";

/**
 * Parses a search query: words, "phrases", -excluded and prefixes*. Other signs have no meaning, so no query is an
 * error, and FTS5's own syntax never reaches it.
 */

export interface Term {
  /** A word or a phrase, with at least one letter or digit. */
  text: string;
  /** Whether pages with this term are left out. */
  excluded: boolean;
  /** Whether it is the beginning of a word. */
  prefix: boolean;
  /** Whether it is in a script without spaces, so that the index of trigrams is asked. */
  unspaced: boolean;
}

const TOKEN = /(?<minus>-?)"(?<phrase>[^"]*)(?:"|$)|(?<word>[^\s"]+)/g;

/** The terms in the order of the query, each once. */
export function parseQuery(query: string): Term[] {
  const text = normalizeText(query).replace(/[“”„‟]/g, '"');
  const terms = [...text.matchAll(TOKEN)].flatMap(({ groups = {} }) => {
    const { minus = "", phrase, word = "" } = groups;
    return phrase === undefined ? wordTerms(word) : toTerms(phrase, minus === "-");
  });
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

function wordTerms(word: string): Term[] {
  const excluded = word.startsWith("-");
  const bare = excluded ? word.slice(1) : word;
  // Only the entire word excludes a page, not a part of it.
  if (excluded) return toTerms(bare, true);
  const parts = breakScripts(bare).split(BREAK);
  return parts.flatMap((part) => {
    if (!hasUnspaced(part)) return toTerms(part, false);
    // In these scripts punctuation separates words without a space: 爬虫、.
    return runsOf(part).map((text) => ({ text, excluded: false, prefix: false, unspaced: true }));
  });
}

function toTerms(text: string, excluded: boolean): Term[] {
  if (!hasLetter(text)) return [];
  // Trigrams ignore the ends of words.
  if (hasUnspaced(text)) return [{ text: breakScripts(text).trim(), excluded, prefix: false, unspaced: true }];
  const stem = /^(.*[^\s*])\*+$/s.exec(text)?.[1];
  return [{ text: (stem ?? text).trim(), excluded, prefix: stem !== undefined, unspaced: false }];
}
