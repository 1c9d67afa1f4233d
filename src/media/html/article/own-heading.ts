import { copyTree } from "../tree/copy-tree.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, startOfText } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/** Keeps the heading of a page in its content, even if it stands above the article. */

/** Characters of a heading. */
const MAX_HEADING = 500;

interface Titles {
  documentTitle: string | null;
  headline: string | null;
}

/**
 * Returns a copy of the first `h1`, else `h2`, that the page's title begins with, or that is its headline; else the
 * only `h1`, if the title ends with it. A site's own name is mostly an `h1` too, and a link to the home page.
 */
export function findOwnHeading(body: ContentElement, { documentTitle, headline }: Titles): ContentElement | null {
  const title = simplify(documentTitle ?? "");
  const named = simplify(headline ?? "");
  let second: ContentElement | null = null;
  const firsts: ContentElement[] = [];
  for (const element of elementsIn(body)) {
    if ((element.localName !== "h1" && element.localName !== "h2") || isInNavigation(element)) continue;
    const text = simplify(startOfText(element, 2 * MAX_HEADING));
    if (text === "" || text.length > MAX_HEADING || leadsHome(element)) continue;
    const isOwn = title.startsWith(text) || text === named;
    if (element.localName === "h2") {
      if (isOwn) second ??= element;
    } else if (isOwn) return copyTree(element);
    else firsts.push(element);
  }
  const [only, ...others] = firsts;
  const isLast = (text: string) => title.endsWith(` ${text}`) && (named === "" || named.endsWith(` ${text}`));
  const own =
    second ??
    (only !== undefined && others.length === 0 && isLast(simplify(startOfText(only, 2 * MAX_HEADING))) ? only : null);
  return own === null ? null : copyTree(own);
}

/** Puts the heading before the content, unless the content has an `h1` or the same heading. The site's name goes. */
export function restoreOwnHeading(root: ContentElement, heading: ContentElement): void {
  for (const other of root.getElementsByTagName("h1")) if (leadsHome(other)) other.remove();
  const text = simplify(startOfText(heading, 2 * MAX_HEADING));
  for (const element of elementsIn(root))
    if (isHeading(element) && (element.localName === "h1" || simplify(startOfText(element, 2 * MAX_HEADING)) === text))
      return;
  root.insertBefore(heading, root.firstChild);
}

function leadsHome(heading: ContentElement): boolean {
  for (const element of [heading.parentNode, ...heading.children])
    if (element?.localName === "a" && /^(?:https?:\/\/[^/]+)?\/?$/.test(element.getAttribute("href") ?? ""))
      return true;
  return false;
}

function isInNavigation(element: ContentElement): boolean {
  for (let above = element.parentNode; above !== null; above = above.parentNode)
    if (above.localName === "nav" || above.localName === "aside") return true;
  return false;
}

/** Letters and digits in lower case. */
function simplify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
