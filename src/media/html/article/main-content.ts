import type { PageKind } from "../../document.ts";
import type { Claims } from "../facts/metadata.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { removeBylines, removeEdgeLinks, removeLinkBlocks, removeSurroundings, textLength } from "./boilerplate.ts";
import { looksLikeThread, removeComments } from "./comments.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { keepsSections } from "./kept-sections.ts";
import type { Measure } from "./measure.ts";
import { measure } from "./measure.ts";
import { findOwnHeading, restoreOwnHeading } from "./own-heading.ts";
import { readArticle } from "./readable.ts";

/**
 * Finds the main content of a page. Readability finds articles, and loses half of everything else. So its result is
 * compared with the page without its surroundings, and if it lost a section or too much text, that page is used.
 */

interface MainContent {
  root: ContentElement;
  kind: PageKind;
}

interface Hints extends Claims {
  documentTitle: string | null;
}

/** Readability reads some texts once for each element around them, and remembers them. */
const MAX_ELEMENTS = 20_000;
const MAX_WEIGHT = 10_000_000;
/** Characters. Any article is longer. A Chinese character counts as three letters. */
const SHORT = 250;
/** The share of prose that an article has, unless the page claims to be one. */
const LEAST_PROSE = 0.3;
/** The share of the text outside links that a `main` must hold. */
const LEAST_MAIN = 0.4;
/** The share of the text that a child must hold to replace its parent. */
const MOST = 0.9;
const INDIVISIBLE = new Set(
  "a b blockquote code dl em h1 h2 h3 h4 h5 h6 i kbd math ol p pre samp span strong table tbody thead tr tt ul".split(
    " ",
  ),
);

/** Changes `page.body`. */
export function findMainContent(page: CopiedPage, hints: Hints): MainContent {
  const isThread = hints.isThread || (!hints.isArticle && looksLikeThread(page.body));
  if (!isThread) removeComments(page.body, hints.isArticle);
  const heading = findOwnHeading(page.body, hints);
  const found = isThread ? { root: cleanedBody(page.body, false).root, kind: "forum" as const } : choose(page, hints);
  if (heading !== null) restoreOwnHeading(found.root, heading);
  return found;
}

function choose(page: CopiedPage, { isArticle, isManual }: Hints): MainContent {
  const { root, isMain } = cleanedBody(page.body, isArticle);
  const all = measure(root);
  const isListing = all.linkCharacters > all.characters / 2;
  if (all.characters + 2 * all.hanCharacters < SHORT) return { root, kind: "other" };
  const isProse = all.proseCharacters > all.characters * LEAST_PROSE;
  // A page that lists others says so by what it holds, whatever its theme claims of all pages.
  const isIndex = isMain && isListing;
  const cleaned: MainContent = { root, kind: isArticle ? "article" : isListing ? "listing" : "other" };
  if ((isListing || isManual || !isProse) && (!isArticle || isIndex)) return cleaned;
  removeBylines(root);
  if (isArticle) removeLinkBlocks(root);
  // A large page is not copied: a copy and the document would exceed the memory of an isolate.
  if (page.elementCount > MAX_ELEMENTS || page.weight > MAX_WEIGHT) return cleaned;
  const article = read(root, all.hanCharacters > all.characters / 3);
  if (article === null) return cleaned;
  const found = measure(article);
  if (!keepsEnough(found, measure(root), isArticle)) return cleaned;
  const kind = isArticle || found.proseCharacters > found.characters / 2 ? "article" : cleaned.kind;
  const isWhole = keepsSections(article, root, { isPart: !isMain, withoutLinks: isArticle });
  return { root: isWhole ? article : root, kind };
}

/** Readability throws if a page has a structure that it does not expect. */
function read(page: ContentElement, isHan: boolean): ContentElement | null {
  try {
    return readArticle(page, isHan);
  } catch {
    return null;
  }
}

/** Whether the result of Readability can be all of the content. */
function keepsEnough(found: Measure, all: Measure, isArticle: boolean): boolean {
  if (found.characters === 0) return false;
  if (all.proseCharacters > 0) {
    // Beside an article that calls itself one there may be the beginnings of others.
    if (found.proseCharacters < all.proseCharacters * (isArticle ? 0.7 : 0.8)) return false;
  } else if (found.characters < all.characters * 0.6) return false;
  const isStructured = all.structuredCharacters > all.characters * 0.2;
  return !isStructured || found.structuredCharacters >= all.structuredCharacters * (isArticle ? 0.7 : 0.9);
}

/** Returns the `main` of the page, or else its body, without surroundings. */
function cleanedBody(body: ContentElement, isArticle: boolean): { root: ContentElement; isMain: boolean } {
  const main = mainElement(body);
  if (main !== null) {
    removeSurroundings(main, isArticle);
    return { root: main, isMain: true };
  }
  removeSurroundings(body, isArticle);
  const { characters, linkCharacters } = measure(body);
  if (linkCharacters <= characters / 2) removeEdgeLinks(body);
  return { root: withoutEdges(body), isMain: false };
}

/** Descends to the element that holds nearly all text, unless content is beside it. */
function withoutEdges(body: ContentElement): ContentElement {
  let root = body;
  for (;;) {
    const characters = textLength(root);
    const next = root.children.find(
      (child) => textLength(child) > characters * MOST && !INDIVISIBLE.has(child.localName),
    );
    if (next === undefined || root.children.some((child) => child !== next && matters(child))) return root;
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
