import { BREAK, breakScripts, hasUnspaced } from "./scripts.ts";

/** Converts a text to what the indexes store, and back. Queries are converted the same way, or nothing would match. */

interface IndexText {
  text: string;
  /** Whether the index of trigrams stores it too, because it has a script without spaces. */
  unspaced: boolean;
}

/**
 * Padding, so that the last characters begin a trigram too: words of one or two characters are found by such trigrams.
 */
const PAD = "\n\n";

/**
 * Control characters, which mark the hits of a snippet, and characters that are invisible inside words: soft hyphens,
 * zero-width spaces, byte-order marks.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes them.
const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\ufeff]/g;

/**
 * Composes the text (NFC), as most of the web writes, removes invisible characters, and makes it well-formed for
 * SQLite.
 */
export function normalizeText(text: string): string {
  return text.toWellFormed().normalize("NFC").replace(UNSEEN, "");
}

export function toIndexText(text: string): IndexText {
  const normal = normalizeText(text);
  const unspaced = hasUnspaced(normal);
  return { text: unspaced ? breakScripts(normal) + PAD : normal, unspaced };
}

/** The text for people, in one line. */
export function toShownText(text: string): string {
  return text.replaceAll(BREAK, "").replace(/\s+/g, " ");
}
