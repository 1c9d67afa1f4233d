/**
 * Estimates how wide a search result shows a text: the advance widths of Arial, in thousandths of its size. Characters
 * beyond Latin are as wide as an em if they are ideographs, and else as a mean letter.
 */

/** Pixels, as Google's results for desktops have them. The limits are those of Screaming Frog. */
export const SHOWN_TITLE = { size: 20, most: 561 };
export const SHOWN_DESCRIPTION = { size: 14, most: 985 };

const WIDTHS: readonly (readonly [characters: string, width: number])[] = [
  ["ijl'|", 222],
  ["ftI !,./:;[]\\()-`\u00b7", 290],
  ["r", 333],
  ["ckszvxyJ\u2019", 500],
  ["ABEKPSVXY&", 667],
  ["FTZL", 600],
  ["CDHNRUw", 722],
  ["GOQ", 778],
  ["mM", 833],
  ["W%@", 944],
  ["\u2014\u2026", 1_000],
];
const BY_CHARACTER = new Map(
  WIDTHS.flatMap(([characters, width]) => [...characters].map((one) => [one, width] as const)),
);
const MEAN = 556;
const EM = 1_000;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

/** Whole pixels at a font size in pixels. */
export function widthOf(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += BY_CHARACTER.get(character) ?? (WIDE.test(character) ? EM : MEAN);
  return Math.round((width * size) / 1_000);
}
