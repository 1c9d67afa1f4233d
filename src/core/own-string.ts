/**
 * Copies a string that stays in memory longer than the text that it was cut from. In V8 a `slice` of 13 characters or
 * more has no characters of its own: it refers to the whole text. So a cache of such slices keeps whole pages.
 * https://github.com/v8/v8/blob/main/src/objects/string.h (SlicedString)
 */
export function ownString(text: string): string {
  // V8 writes a joined text out before it cuts it. The slice refers to that new text.
  return ` ${text}`.slice(1);
}
