import type { Term } from "./query.ts";

/** FTS5 expressions for terms: https://www.sqlite.org/fts5.html#full_text_query_syntax. Every word stands in quotes, so none is an operator. */

export interface Matches {
  /** What each index is asked for; null where it is not asked. */
  words: string | null;
  trigrams: string | null;
  /** What keeps a page out that the other index found; null where nothing does. */
  notWords: string | null;
  notTrigrams: string | null;
}

/** A trigram has three characters, so a shorter word is in none as a whole, and is looked up among those that begin with it. */
export function isShort({ text, unspaced }: Term): boolean {
  return unspaced && [...text].length < 3;
}

/**
 * `beginnings` holds the trigrams that begin with each short term. Null where nothing can be found: a term that no page has, or none but
 * excluded ones.
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
