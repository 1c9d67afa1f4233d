import type { Claims } from "../facts/page-claims.ts";
import { removeEdgeLinks, removeSurroundings, textLength } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, hasText } from "./content-tree.ts";
import { flattenLists } from "./flatten-lists.ts";
import { manualNavigation } from "./manual-navigation.ts";
import { measure } from "./measure.ts";

/** The content of a page by what its author says of the elements: for manuals, and for pages of a few words. */

/** The share of the text outside links that a `main` must hold. */
const LEAST_MAIN = 0.4;
/** The share of the text that a child must hold to replace its parent. */
const MOST = 0.9;
/** Elements that hold one text, however much of the page it is. */
export const INDIVISIBLE = new Set(
  "a b blockquote code dl em h1 h2 h3 h4 h5 h6 i kbd math ol p pre samp span strong table tbody thead tr tt ul".split(
    " ",
  ),
);

/** What is known of a page before its content is found. */
export interface Hints extends Claims {
  documentTitle: string | null;
}

/** Returns the `main` of the page, or else its body, without surroundings. */
export function cleanedBody(body: ContentElement, hints: Hints): ContentElement {
  const main = mainElement(body);
  const root = main ?? body;
  removeSurroundings(root, hints.isArticle);
  if (hints.isManual) {
    removeNavigation(root, hints);
    flattenLists(root);
  }
  if (main !== null) return main;
  const { characters, linkCharacters } = measure(body);
  if (linkCharacters <= characters / 2) removeEdgeLinks(body);
  return withoutEdges(body, hints.isManual);
}

function removeNavigation(root: ContentElement, { kind: { url }, documentTitle }: Hints): void {
  for (const element of manualNavigation(root, { url, documentTitle })) element.remove();
}

/**
 * Descends to the element that holds nearly all text, unless content is beside it. In a manual, words above it are its
 * title: Doxygen has no headings for that.
 */
function withoutEdges(body: ContentElement, isManual: boolean): ContentElement {
  let root = body;
  for (;;) {
    const characters = textLength(root);
    const next = root.children.find(
      (child) => textLength(child) > characters * MOST && !INDIVISIBLE.has(child.localName),
    );
    if (next === undefined || root.children.some((child) => child !== next && matters(child))) return root;
    if (isManual && root.children.slice(0, root.children.indexOf(next)).some(hasText)) return root;
    root = next;
  }
}

function matters(element: ContentElement): boolean {
  if (/^(?:h[1-6]|table|pre|dl|img|video)$/.test(element.localName)) return true;
  if (element.querySelectorAll("h1,h2,h3,h4,h5,h6,pre,table,img,video").length > 0) return true;
  const { characters, linkCharacters, proseCharacters } = measure(element);
  if (/^(?:p|ul|ol|blockquote)$/.test(element.localName)) return linkCharacters < characters / 2;
  return proseCharacters > 0;
}

/** Returns the only `main`, or the only `article`, if it holds enough of the text outside links. */
function mainElement(body: ContentElement): ContentElement | null {
  const mains: ContentElement[] = [];
  const articles: ContentElement[] = [];
  for (const element of elementsIn(body)) {
    if (element.localName === "main" || element.getAttribute("role") === "main") mains.push(element);
    else if (element.localName === "article") articles.push(element);
  }
  const all = measure(body);
  const own = all.characters - all.linkCharacters;
  for (const candidates of [mains, articles]) {
    const [first, second] = candidates;
    if (first === undefined || (second !== undefined && second.parentNode !== first)) continue;
    const { characters, linkCharacters } = measure(first);
    if (characters > 0 && characters - linkCharacters >= own * LEAST_MAIN) return first;
  }
  return null;
}
