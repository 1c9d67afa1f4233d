import type { Swap } from "./find-mutants.ts";
import { FLIPPED, neighboursOf } from "./swaps.ts";

/** The changes of SQL, which stands in templates and strings. */

/** A template's text between two expressions, and where it begins in the source. */
interface Text {
  start: number;
  text: string;
}

const IS_SQL =
  /\b(SELECT|FROM|WHERE|UPDATE|SET|VALUES|ORDER BY|LIMIT|CASE|WHEN|JOIN|AND|OR|NOT|IS NULL|EXISTS|sum|count|coalesce)\b[ (]|^\w+ (<=|>=|=|<|>) /;

const SWAPS: readonly [pattern: RegExp, by: (match: string) => string | readonly string[] | undefined][] = [
  [/\bAND\b/g, () => "OR"],
  [/\bOR\b(?! (?:IGNORE|REPLACE))/g, () => "AND"],
  [/(?<= )(?:<=|>=|<|>)(?= )/g, (sign) => (sign.endsWith("=") ? sign.slice(0, -1) : `${sign}=`)],
  [/(?<= )[+-](?= )/g, (sign) => (sign === "+" ? "-" : "+")],
  [/\bIS (?:NOT )?NULL\b/g, (words) => (words === "IS NULL" ? "IS NOT NULL" : "IS NULL")],
  [/\bNOT EXISTS\b/g, () => "EXISTS"],
  [/\bNOT IN\b/g, () => "IN"],
  [/\b(?:min|max)\(/g, (name) => (name === "min(" ? "max(" : "min(")],
  [/\bsum\(/g, () => "count("],
  [/\bDESC\b/g, () => "ASC"],
  [/\bORDER BY (?:(?!LIMIT\b)[\w., ])+/g, () => ""],
  [/\bDISTINCT /g, () => ""],
  [/\bLEFT JOIN\b/g, () => "JOIN"],
  [/(?<=')\w+(?=')/g, (word) => FLIPPED.get(word)],
  // No parameter, no part of a name, of a decimal or of a string, and not the 1 of `EXISTS (SELECT 1`.
  [/(?<![\w.'?]|SELECT )\d+(?![\w.'])/g, (number) => neighboursOf(Number(number))],
];

/** A comparison, unless the clause assigns. */
const EQUALS = /(?<= )=(?= (?!NULL))/g;
const CLAUSE = /\b(SET|WHERE|AND|OR|ON|WHEN|HAVING|AS)\b/g;

export function swapsOfSql(texts: readonly Text[]): Swap[] {
  if (!IS_SQL.test(texts.map(({ text }) => text).join("?"))) return [];
  const swaps: Swap[] = [];
  let clause = "WHERE";
  for (const { start, text } of texts) {
    const add = (index: number, length: number, by: string) =>
      swaps.push({ start: start + index, end: start + index + length, text: by });
    for (const [pattern, by] of SWAPS) {
      for (const { 0: found, index } of text.matchAll(pattern)) {
        for (const changed of [by(found) ?? []].flat()) add(index, found.length, changed);
      }
    }
    for (const { index } of text.matchAll(EQUALS)) {
      if ((text.slice(0, index).match(CLAUSE)?.at(-1) ?? clause) !== "SET") add(index, 1, "<>");
    }
    clause = text.match(CLAUSE)?.at(-1) ?? clause;
  }
  return swaps;
}
