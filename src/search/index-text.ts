import { BREAK, breakScripts, hasUnspaced } from "./scripts.ts";

/** A text as the indexes take it, and back. What somebody looks for is made the same way, or it would not be found. */

export interface IndexText {
  text: string;
  /** Whether the index of trigrams takes it, too. */
  unspaced: boolean;
}

/**
 * So that its last characters begin a trigram too: words of one or two characters are found by the trigrams that begin with them.
 */
const PAD = "\n\n";

/** Control characters, which mark the hits of a snippet, and what stands in words unseen: soft hyphens, zero-width spaces, byte-order marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\ufeff]/g;

/** Composed, as most of the web writes; without what is not seen; well-formed, for SQLite takes nothing else. */
export function normalize(text: string): string {
  return text.toWellFormed().normalize("NFC").replace(UNSEEN, "");
}

export function toIndexText(text: string): IndexText {
  const normal = normalize(text);
  const unspaced = hasUnspaced(normal);
  return { text: unspaced ? breakScripts(normal) + PAD : normal, unspaced };
}

/** As people read it, in one line. */
export function toShownText(text: string): string {
  return text.replaceAll(BREAK, "").replace(/\s+/g, " ");
}
