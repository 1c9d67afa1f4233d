import type { PageKind } from "../document.ts";
import { isCommentSection, isPost, isReply, removeBoilerplate, removeLeftovers, textLength } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import type { CopiedPage } from "./copy-document.ts";
import { copyTree } from "./copy-tree.ts";
import type { Measure } from "./measure.ts";
import { measure } from "./measure.ts";
import type { Claims } from "./metadata.ts";
import { readArticle } from "./readable.ts";

/**
 * Finds the main content of a page. Readability finds articles, and loses half of everything else. So its result is
 * compared with the page without its surroundings, and if it lost too much, that page is used.
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
const MUCH_PROSE = 2_000;
/** The share of the text outside links that a `main` must hold. */
const LEAST_MAIN = 0.4;
/** The share of the text that a child must hold to replace its parent. */
const MOST = 0.9;
const INDIVISIBLE = new Set("p table thead tbody tr ul ol dl pre blockquote a span".split(" "));
const LEAST_POSTS = 3;

/** Changes `page.body`. */
export function findMainContent(page: CopiedPage, hints: Hints): MainContent {
  const { isArticle, isManual } = hints;
  const isThread = hints.isThread || (!isArticle && looksLikeThread(page.body));
  // A large page is not copied: two copies and the document would exceed the memory of an isolate.
  const isLarge = page.elementCount > MAX_ELEMENTS || page.weight > MAX_WEIGHT;
  const root = cleanedBody(isLarge ? page.body : copyTree(page.body), isThread, isManual);
  const all = measure(root);
  const isListing = all.linkCharacters > all.characters / 2;
  const cleaned: MainContent = { root, kind: isArticle ? "article" : isListing ? "listing" : "other" };
  if (isThread || all.characters + 2 * all.hanCharacters < SHORT) return { root, kind: "other" };
  const isProse = all.proseCharacters > all.characters * LEAST_PROSE;
  if ((isListing || isManual || !isProse) && !isArticle) return cleaned;
  if (isLarge) return cleaned;
  const article = read(page, hints, all.hanCharacters > all.characters / 3);
  if (article === null) return cleaned;
  const found = measure(article);
  if (!keepsEnough(found, all, isArticle)) return cleaned;
  return { root: article, kind: isArticle || found.proseCharacters > found.characters / 2 ? "article" : cleaned.kind };
}

/** Readability throws if a page has a structure that it does not expect. */
function read(page: CopiedPage, { documentTitle, headline }: Hints, isHan: boolean): ContentElement | null {
  // Before Readability, because it removes class names.
  removeLeftovers(page.body);
  try {
    return readArticle(page.body, documentTitle, headline, isHan);
  } catch {
    return null;
  }
}

/** Whether the result of Readability can be all of the content. */
function keepsEnough(found: Measure, all: Measure, isArticle: boolean): boolean {
  if (found.characters === 0) return false;
  if (all.proseCharacters > 0) {
    // Much prose in one place is an article even if the page does not claim one; the rest is comments.
    const least = isArticle ? 0.3 : found.proseCharacters > MUCH_PROSE ? 0.5 : 0.65;
    if (found.proseCharacters < all.proseCharacters * least) return false;
  } else if (found.characters < all.characters * 0.6) return false;
  const isStructured = all.structuredCharacters > all.characters * 0.2;
  return !isStructured || found.structuredCharacters >= all.structuredCharacters * (isArticle ? 0.5 : 0.9);
}

/** Returns the `main` of the page, or else its body, without surroundings. */
function cleanedBody(body: ContentElement, keepsComments: boolean, isManual: boolean): ContentElement {
  const main = mainElement(body);
  if (main !== null) {
    removeBoilerplate(main, keepsComments, isManual);
    return main;
  }
  removeBoilerplate(body, keepsComments, isManual);
  return withoutEdges(body);
}

/** Descends to the element that holds nearly all text, unless a heading or a paragraph is beside it. */
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
  if (element.querySelectorAll("h1,h2,h3,pre,table,img,video").length > 0) return true;
  return measure(element).proseCharacters > 0;
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

/** Whether the page is a series of posts, without a text that they comment on. */
function looksLikeThread(body: ContentElement): boolean {
  let posts = 0;
  let postCharacters = 0;
  let replyCharacters = 0;
  let commentCharacters = 0;
  let end: ContentElement | null = null;
  const all = textLength(body);
  for (const element of elementsIn(body)) {
    if (end?.parentNode != null && isBelow(element, end)) continue;
    if (element.localName === "a" || element.localName === "body") continue;
    if (isCommentSection(element)) commentCharacters = Math.max(commentCharacters, textLength(element));
    const isOnlyReply = !isPost(element);
    if (isOnlyReply && !isReply(element)) continue;
    const length = textLength(element);
    if (length < 20 || length > all * 0.8) continue;
    posts += 1;
    postCharacters += length;
    if (isOnlyReply) replyCharacters += length;
    end = element;
  }
  // Replies also occur below an article, unless there is little other text.
  const least = replyCharacters > postCharacters / 2 ? 0.75 : 0.5;
  return posts >= LEAST_POSTS && postCharacters > all * least && commentCharacters < all * 0.5;
}

function isBelow(element: ContentElement, above: ContentElement): boolean {
  for (let node = element.parentNode; node !== null; node = node.parentNode) if (node === above) return true;
  return false;
}
