import { normalize } from "./index-text.ts";
import { BREAK, breakScripts, hasLetter, hasUnspaced, runsOf } from "./scripts.ts";

/**
 * What somebody looks for: words, "phrases", -without and beginnings*. Nothing else has a meaning, so nothing is an error; FTS5's own
 * language is never let through.
 */

export interface Term {
  /** A word or a phrase, with at least one letter or digit. */
  text: string;
  /** Pages that have it are left out. */
  excluded: boolean;
  /** It is the beginning of a word. */
  prefix: boolean;
  /** It is in a script without spaces: the index of trigrams is asked. */
  unspaced: boolean;
}

const TOKEN = /(?<minus>-?)"(?<phrase>[^"]*)(?:"|$)|(?<word>[^\s"]+)/g;

/** In the order in which they stand, each once. */
export function parseQuery(query: string): Term[] {
  const text = normalize(query).replace(/[“”„‟]/g, '"');
  const terms = [...text.matchAll(TOKEN)].flatMap(({ groups = {} }) => {
    const { minus = "", phrase, word = "" } = groups;
    return phrase === undefined ? wordTerms(word) : whole(phrase, minus === "-");
  });
  return [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()];
}

function wordTerms(word: string): Term[] {
  const excluded = word.startsWith("-");
  const bare = excluded ? word.slice(1) : word;
  // A page is left out for all of the word, not for a part of it.
  if (excluded) return whole(bare, true);
  const parts = breakScripts(bare).split(BREAK);
  return parts.flatMap((part) => {
    if (!hasUnspaced(part)) return whole(part, false);
    // Nobody types a space after 爬虫、 either.
    return runsOf(part).map((text) => ({ text, excluded: false, prefix: false, unspaced: true }));
  });
}

function whole(text: string, excluded: boolean): Term[] {
  if (!hasLetter(text)) return [];
  // A trigram takes no notice of where words end.
  if (hasUnspaced(text)) return [{ text: breakScripts(text).trim(), excluded, prefix: false, unspaced: true }];
  const beginning = /^(.*[^\s*])\*+$/s.exec(text)?.[1];
  return [{ text: (beginning ?? text).trim(), excluded, prefix: beginning !== undefined, unspaced: false }];
}
