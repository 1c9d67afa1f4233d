import type { Term } from "./query.ts";
import { runsOf } from "./scripts.ts";

/**
 * Makes FTS5 expressions of terms: https://www.sqlite.org/fts5.html#full_text_query_syntax. Every word is quoted, so
 * none is an operator.
 */

export interface Matches {
  /** The expression for each index; null if it is not needed. */
  words: string | null;
  trigrams: string | null;
  /** The expression for pages to exclude from the results; null if there is none. */
  notWords: string | null;
  notTrigrams: string | null;
}

/** Whether a term is shorter than a trigram. Such a term is found by the trigrams that begin with it. */
export function isShort({ text, unspaced }: Term): boolean {
  return unspaced && [...text].length < 3;
}

/** For each short term, the trigrams that begin with it. */
export type Beginnings = ReadonlyMap<string, readonly string[]>;

/**
 * `needed`: whether a page must have all terms, or any of them. Returns null if no page can match: a needed term is on
 * no page, or all terms are excluded.
 */
export function toMatches(terms: Term[], beginnings: Beginnings, needed: "all" | "any" = "all"): Matches | null {
  const present = terms.filter((term) => !isNowhere(term, beginnings));
  const wanted = terms.filter(({ excluded }) => !excluded);
  const found = present.filter(({ excluded }) => !excluded);
  if (found.length === 0 || (needed === "all" && found.length < wanted.length)) return null;
  const expression = (unspaced: boolean, excluded: boolean) => {
    const some = present.filter((term) => term.unspaced === unspaced && term.excluded === excluded);
    if (some.length === 0) return null;
    const isAny = excluded || needed === "any";
    return some.map((term) => termExpression(term, beginnings)).join(isAny ? " OR " : " AND ");
  };
  return {
    words: expression(false, false),
    trigrams: expression(true, false),
    notWords: expression(false, true),
    notTrigrams: expression(true, true),
  };
}

/** Expressions for each index. */
export interface Expressions {
  words: string[];
  trigrams: string[];
}

/** For each wanted term, the expression for pages that have it, or all words of it, in their title. */
export function toTitleMatches(terms: Term[], beginnings: Beginnings): Expressions {
  const inTitle = (term: Term) => {
    const words = wordsOf(term);
    return `title : (${words.length > 1 ? words.map(quote).join(" AND ") : termExpression(term, beginnings)})`;
  };
  return byIndex(terms, beginnings, inTitle);
}

/**
 * The expressions that BM25 counts, each once: a word twice would weigh twice. Of a phrase they are its words, because
 * SQLite would compare the phrase with all places of its words twice more. Beginnings of words count only where nothing
 * else does.
 */
export function toRanked(terms: Term[], beginnings: Beginnings): Expressions {
  const ranked = byIndex(terms, beginnings, (term) => {
    if (isShort(term)) return (beginnings.get(term.text) ?? []).map(quote);
    return term.prefix ? [] : term.unspaced ? quote(term.text) : wordsOf(term).map(quote);
  });
  const isRanked = ranked.words.length + ranked.trigrams.length > 0;
  const { words, trigrams } = isRanked
    ? ranked
    : byIndex(terms, beginnings, (term) => termExpression(term, beginnings));
  return { words: eachOnce(words), trigrams: eachOnce(trigrams) };
}

/** The index folds case. */
function eachOnce(expressions: readonly string[]): string[] {
  return [...Map.groupBy(expressions, (each) => each.toLowerCase()).values()].flatMap(([first]) => first ?? []);
}

function byIndex(terms: Term[], beginnings: Beginnings, toExpressions: (term: Term) => string | string[]): Expressions {
  const wanted = terms.filter((term) => !term.excluded && !isNowhere(term, beginnings));
  const { words = [], trigrams = [] } = Object.groupBy(wanted, ({ unspaced }) => (unspaced ? "trigrams" : "words"));
  return { words: words.flatMap(toExpressions), trigrams: trigrams.flatMap(toExpressions) };
}

/** The words of a term; none of one in a script without spaces. */
function wordsOf({ text, prefix, unspaced }: Term): string[] {
  return unspaced || prefix ? [] : runsOf(text);
}

function isNowhere(term: Term, beginnings: Beginnings): boolean {
  return isShort(term) && (beginnings.get(term.text) ?? []).length === 0;
}

function termExpression(term: Term, beginnings: Beginnings): string {
  if (isShort(term)) return `(${(beginnings.get(term.text) ?? []).map(quote).join(" OR ")})`;
  return quote(term.text) + (term.prefix ? " *" : "");
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
