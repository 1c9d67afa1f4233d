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

/**
 * The beginning of a text that the index stores: a megabyte of UTF-8, as JSON and with the breaks between scripts, so
 * that a row fits into a parameter of D1 (2 MB): https://developers.cloudflare.com/d1/platform/limits/
 */
export const MAX_INDEX_BYTES = 1_000_000;
/** A character of UTF-16 takes up to three bytes, and a break before it three more. */
const MAX_BYTES_PER_UNIT = 6;
const encoder = new TextEncoder();

export function cutForIndex(text: string): string {
  let cut = text.slice(0, MAX_INDEX_BYTES);
  while (cut.length * MAX_BYTES_PER_UNIT > MAX_INDEX_BYTES) {
    const bytes = encoder.encode(JSON.stringify(toIndexText(cut).text)).length;
    if (bytes <= MAX_INDEX_BYTES) break;
    cut = cut.slice(0, Math.floor((cut.length * MAX_INDEX_BYTES) / bytes));
  }
  return cut;
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
