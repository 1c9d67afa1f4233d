/**
 * Texts of pages and servers as the ledger stores them. SQLite's text functions end at a NUL, and D1 does not store
 * lone surrogates: https://www.sqlite.org/nulinstr.html. A server may send both, and a cut text may end in half a pair.
 */

/** The text without NULs, with U+FFFD for each lone surrogate. */
export function toStoredText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** JSON whose strings can be stored. */
export function toStoredJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? toStoredText(part) : part));
}
