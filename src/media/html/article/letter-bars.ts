import type { ContentElement } from "./content-tree.ts";
import type { LinkHoldings } from "./link-holdings.ts";
import { BLOCKS } from "./measure.ts";

/**
 * Finds the bars of an index that lead to its letters: "A | B | C". The letters stand above their entries, too. Texinfo
 * writes such a bar as a table, and each table of a manual stays.
 */

/** Letters of a bar, at least, and their share of the links: others are signs, or say "0-9". Footnotes have none. */
const LEAST_LETTERS = 3;
const LEAST_SHARE = 0.5;
/** Characters of a link, in the mean. */
const MAX_SIGN = 3;
/** Characters around each letter: "A | B", and of a label. */
const MAX_SEPARATOR = 4;
const MAX_LABEL = 40;
/** The share of the links that lead to letters of this page. An index of several pages leads to those of others. */
const LEAST_OWN = 0.5;
const NEVER_BARS = new Set("a li table td th tr tbody thead tfoot dt dd h1 h2 h3 h4 h5 h6".split(" "));

export function letterBars(root: ContentElement, held: ReadonlyMap<ContentElement, LinkHoldings>): ContentElement[] {
  const found: ContentElement[] = [];
  const visit = (element: ContentElement): void => {
    for (const child of element.children) {
      const one = held.get(child);
      if (one === undefined || one.ownLinks < LEAST_LETTERS) continue;
      if (isLetterBar(child, one)) found.push(child);
      else visit(child);
    }
  };
  visit(root);
  return found;
}

function isLetterBar(element: ContentElement, { links, ownLinks, linked, own, headings }: LinkHoldings): boolean {
  if (!BLOCKS.has(element.localName) || NEVER_BARS.has(element.localName) || headings > 0) return false;
  if (ownLinks < links * LEAST_OWN || linked > links * MAX_SIGN || own > MAX_LABEL + links * MAX_SEPARATOR)
    return false;
  const letters = element.getElementsByTagName("a").filter(({ textContent }) => /^\s*\p{L}\s*$/u.test(textContent));
  return letters.length >= Math.max(LEAST_LETTERS, links * LEAST_SHARE);
}
