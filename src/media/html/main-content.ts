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
 * Which part of a page is its content. Readability knows articles, and cuts everything else in half: so what it finds is weighed against
 * the page without its surroundings, and where it lost too much, that is taken.
 */

export type ContentKind = "article" | "listing" | "other";

export interface MainContent {
  root: ContentElement;
  kind: ContentKind;
}

export interface Hints extends Claims {
  documentTitle: string | null;
}

/** Readability reads some texts again for each element that they stand in, and remembers them. */
const MAX_ELEMENTS = 20_000;
const MAX_WEIGHT = 10_000_000;
/** Shorter than any article. A Chinese character says as much as three letters. */
const SHORT = 250;
/** Without so much of it, a page is no article, or says so. */
const LEAST_PROSE = 0.3;
const MUCH_PROSE = 2_000;
/** Of its own text, what a `main` must hold to be one. */
const LEAST_MAIN = 0.4;
/** Of the text of an element, what one in it must hold to stand for it. */
const MOST = 0.9;
const INDIVISIBLE = new Set("p table thead tbody tr ul ol dl pre blockquote a span".split(" "));
const LEAST_POSTS = 3;

/** `page.body` is taken apart. */
export function findMainContent(page: CopiedPage, hints: Hints): MainContent {
  const { isArticle, isManual } = hints;
  const isThread = hints.isThread || (!isArticle && looksLikeThread(page.body));
  // A large page is not copied, for two copies and the document are too much for an isolate.
  const isLarge = page.elementCount > MAX_ELEMENTS || page.weight > MAX_WEIGHT;
  const root = cleanedBody(isLarge ? page.body : copyTree(page.body), isThread, isManual);
  const whole = measure(root);
  const isListing = whole.linkCharacters > whole.characters / 2;
  const cleaned: MainContent = { root, kind: isArticle ? "article" : isListing ? "listing" : "other" };
  if (isThread || whole.characters + 2 * whole.hanCharacters < SHORT) return { root, kind: "other" };
  const isProse = whole.proseCharacters > whole.characters * LEAST_PROSE;
  if ((isListing || isManual || !isProse) && !isArticle) return cleaned;
  if (isLarge) return cleaned;
  const article = read(page, hints, whole.hanCharacters > whole.characters / 3);
  if (article === null) return cleaned;
  const found = measure(article);
  if (!keepsEnough(found, whole, isArticle)) return cleaned;
  return { root: article, kind: isArticle || found.proseCharacters > found.characters / 2 ? "article" : cleaned.kind };
}

/** Readability throws where a page is built as it does not expect. */
function read(page: CopiedPage, { documentTitle, headline }: Hints, isHan: boolean): ContentElement | null {
  // Before, for Readability takes names away.
  removeLeftovers(page.body);
  try {
    return readArticle(page.body, documentTitle, headline, isHan);
  } catch {
    return null;
  }
}

/** Whether what Readability found can be all of the content. */
function keepsEnough(found: Measure, whole: Measure, isArticle: boolean): boolean {
  if (found.characters === 0) return false;
  if (whole.proseCharacters > 0) {
    // Much prose in one place is an article even where it does not say so, and the rest is what others wrote about it.
    const least = isArticle ? 0.3 : found.proseCharacters > MUCH_PROSE ? 0.5 : 0.65;
    if (found.proseCharacters < whole.proseCharacters * least) return false;
  } else if (found.characters < whole.characters * 0.6) return false;
  const isStructured = whole.structuredCharacters > whole.characters * 0.2;
  return !isStructured || found.structuredCharacters >= whole.structuredCharacters * (isArticle ? 0.5 : 0.9);
}

/** The page without its surroundings, or what it calls its main part. */
function cleanedBody(body: ContentElement, keepsComments: boolean, isManual: boolean): ContentElement {
  const main = mainElement(body);
  if (main !== null) {
    removeBoilerplate(main, keepsComments, isManual);
    return main;
  }
  removeBoilerplate(body, keepsComments, isManual);
  return withoutEdges(body);
}

/** Down to the element that holds nearly all, as long as what stands beside it is neither heading nor paragraph. */
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

/** The only `main`, or the only `article`, if it holds a good part of the text that is no link. */
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

/** Posts by several people, one after the other, and no text that they comment on. */
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
  // Replies stand below an article too, unless there is next to nothing else.
  const least = replyCharacters > postCharacters / 2 ? 0.75 : 0.5;
  return posts >= LEAST_POSTS && postCharacters > all * least && commentCharacters < all * 0.5;
}

function isBelow(element: ContentElement, above: ContentElement): boolean {
  for (let node = element.parentNode; node !== null; node = node.parentNode) if (node === above) return true;
  return false;
}
