import { readNames } from "../facts/surrounding-names.ts";
import { textLength } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, nextNode } from "./content-tree.ts";

/** Finds what readers wrote: comments below an article, and the posts of a thread. */

const LEAST_POSTS = 3;
/** Characters. With less text beside its comments a page consists of them. */
const LEAST_REST = 250;
/** Elements that may be a single comment. Highlighted code has `comment` in its spans. */
const COMMENT_BLOCKS = new Set("article div li section tr".split(" "));
const SIGNATURE_CLASS = /(?:^|[\s_-])(?:author|avatar|fn|user|username|vcard)(?:$|[\s_-])/i;

/**
 * Removes comments. A section is one by its name together with the replies or the field that it holds. From a page that
 * calls itself an article, signed comments outside a section go too, even if they are longer than the article.
 */
export function removeComments(body: ContentElement, isArticle: boolean): void {
  const all = textLength(body);
  const doomed: ContentElement[] = [];
  let removed = 0;
  for (let node = nextNode(body, body), isDoomed = false; node !== null; node = nextNode(node, body, isDoomed)) {
    isDoomed = false;
    if (node.nodeType !== 1 || !(isCommentSection(node) || (isArticle && isSignedComment(node)))) continue;
    const length = textLength(node);
    if (!isArticle && length > all / 2) continue;
    doomed.push(node);
    removed += length;
    isDoomed = true;
  }
  if (all - removed >= LEAST_REST) for (const element of doomed) element.remove();
}

function isCommentSection(element: ContentElement): boolean {
  if (!COMMENT_BLOCKS.has(element.localName) && !/^(?:aside|form|ol|table|ul)$/.test(element.localName)) return false;
  if (!isNamedComments(element)) return false;
  for (const inside of elementsIn(element)) if (inside.localName === "textarea" || isComment(inside)) return true;
  return false;
}

function isNamedComments({ className, id }: ContentElement): boolean {
  return readNames(className).isComments || readNames(id).isComments;
}

function isComment(element: ContentElement): boolean {
  if (!COMMENT_BLOCKS.has(element.localName)) return false;
  return readNames(element.className).isReply || element.getAttribute("itemtype")?.endsWith("/Comment") === true;
}

function isSignedComment(element: ContentElement): boolean {
  if (!isComment(element)) return false;
  for (const inside of elementsIn(element))
    if (inside.localName === "time" || SIGNATURE_CLASS.test(inside.className)) return true;
  return false;
}

/** Whether the page is a series of posts, without a text that they comment on. */
export function looksLikeThread(body: ContentElement): boolean {
  let posts = 0;
  let postCharacters = 0;
  let replyCharacters = 0;
  let commentCharacters = 0;
  let end: ContentElement | null = null;
  const all = textLength(body);
  for (const element of elementsIn(body)) {
    if (end?.parentNode != null && isBelow(element, end)) continue;
    if (element.localName === "a") continue;
    const hints = readNames(element.className);
    if (isNamedComments(element)) commentCharacters = Math.max(commentCharacters, textLength(element));
    if (!hints.isPost && !hints.isReply) continue;
    const length = textLength(element);
    if (length < 20 || length > all * 0.8) continue;
    posts += 1;
    postCharacters += length;
    if (!hints.isPost) replyCharacters += length;
    end = element;
  }
  // Replies also occur below an article, unless there is little other text.
  const least = replyCharacters > postCharacters / 2 ? 0.75 : 0.5;
  return posts >= LEAST_POSTS && postCharacters > all * least && commentCharacters < all * 0.5;
}

export function isBelow(element: ContentElement, above: ContentElement): boolean {
  for (let node = element.parentNode; node !== null; node = node.parentNode) if (node === above) return true;
  return false;
}
