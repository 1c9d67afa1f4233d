import type { Term } from "./query.ts";

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

/**
 * `beginnings` has, for each short term, the trigrams that begin with it. Returns null if no page can match: some term
 * is on no page, or all terms are excluded.
 */
export function toMatches(terms: Term[], beginnings: Map<string, string[]>): Matches | null {
  const wanted = terms.filter(({ excluded }) => !excluded);
  const isNowhere = (term: Term) => isShort(term) && (beginnings.get(term.text) ?? []).length === 0;
  if (wanted.length === 0 || wanted.some(isNowhere)) return null;
  const present = terms.filter((term) => !isNowhere(term));
  const expression = (unspaced: boolean, excluded: boolean) => {
    const some = present.filter((term) => term.unspaced === unspaced && term.excluded === excluded);
    return some.length === 0
      ? null
      : some.map((term) => termExpression(term, beginnings)).join(excluded ? " OR " : " AND ");
  };
  return {
    words: expression(false, false),
    trigrams: expression(true, false),
    notWords: expression(false, true),
    notTrigrams: expression(true, true),
  };
}

function termExpression(term: Term, beginnings: Map<string, string[]>): string {
  if (isShort(term)) return `(${(beginnings.get(term.text) ?? []).map(quote).join(" OR ")})`;
  return quote(term.text) + (term.prefix ? " *" : "");
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
