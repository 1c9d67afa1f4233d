import { DocumentProblem } from "../document-problem.ts";

/**
 * Counts what a JSON Feed holds before it is parsed, because `JSON.parse` makes all of it: 9 MB of `{},` take 200 MB.
 * The text is passed once.
 */

interface BoundJson {
  json: string;
  /** The entries of the whole feed. */
  entries: number;
  /** How many of them are in `json`. */
  kept: number;
}

/** Of objects, arrays and their members, as many as tags of a feed in XML. */
const MAX_VALUES = 300_000;
/** Feeds have five levels or so. Extensions may have more. */
const MAX_DEPTH = 100;
/** The levels of a feed: its members, its entries, and what is in an entry. */
const FEED = 1;
const ENTRIES = 2;
const ENTRY = 3;

/**
 * Leaves out the last entries of a feed that has too many of them, or too much in them. Throws DocumentProblem for one
 * that is nested too deeply, or too large beside its entries. JSON that is broken stays so.
 */
export function boundJson(text: string, maxEntries: number): BoundJson {
  let depth = 0;
  let values = 0;
  let entries = 0;
  let isInEntries = false;
  let key = "";
  /** Where the first entry begins that is left out, how many are before it, and the values up to there. */
  let cut: { at: number; kept: number; values: number } | null = null;
  let last = { at: 0, kept: 0, values: 0 };
  /** Where the entries end, and the values up to there. */
  let end: { at: number; values: number } | null = null;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34 /* " */:
        {
          const from = at + 1;
          at = endOfString(text, from);
          if (depth === FEED) key = text.slice(from, Math.min(at, from + 10));
          break;
        }
      case 123 /* { */:
      case 91 /* [ */:
        if (depth === FEED && key === "items" && text[at] === "[") isInEntries = true;
        if (depth === ENTRIES && isInEntries) {
          last = { at, kept: entries, values };
          entries += 1;
          if (entries > maxEntries) cut ??= last;
        }
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) throw tooComplex(`nested deeper than ${MAX_DEPTH} levels`);
        break;
      case 125 /* } */:
      case 93 /* ] */:
        depth -= 1;
        if (depth === FEED && isInEntries) {
          isInEntries = false;
          end ??= { at, values };
        }
        break;
      case 44 /* , */:
        values += 1;
    }
    if (isInEntries && depth >= ENTRY && values > MAX_VALUES) cut ??= last;
  }
  const after = end === null ? 0 : values - end.values;
  const kept = (cut?.values ?? values) + (cut === null ? 0 : after);
  if (kept > MAX_VALUES || cut?.kept === 0) throw tooComplex(`more than ${MAX_VALUES} values`);
  if (cut === null) return { json: text, entries, kept: entries };
  const before = text.slice(0, cut.at).trimEnd().replace(/,$/, "");
  return { json: before + (end === null ? "]}" : text.slice(end.at)), entries, kept: cut.kept };
}

/** The place of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34 /* " */) break;
    if (code === 92 /* \ */) at += 1;
  }
  return at;
}

function tooComplex(message: string): DocumentProblem {
  return new DocumentProblem("too-complex", message);
}
