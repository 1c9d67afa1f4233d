/**
 * Copies a string, for what stays in memory longer than the text that it was cut from. V8 keeps no characters for a
 * `slice` of 13 or more: it refers to the whole text, so that a cached class of a page would keep all of that page.
 * https://github.com/v8/v8/blob/main/src/objects/string.h (SlicedString)
 */
export function ownString(text: string): string {
  // The joined text is written out when it is cut, and the slice refers to that.
  return ` ${text}`.slice(1);
}
