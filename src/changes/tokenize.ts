import { UNSPACED } from "../core/unspaced-scripts.ts";

const TOKEN = new RegExp(`(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_])+|\\s+|[^]`, "gu");

/**
 * Divides a text into words, numbers, runs of white space, and all other characters one by one. So are the letters of
 * scripts without spaces. The tokens together are the text.
 */
export function* tokenize(text: string): Generator<string, void> {
  for (const [token] of text.matchAll(TOKEN)) yield token;
}
