import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { copyTree } from "./copy-tree.ts";
import { isHeading } from "./own-content.ts";

/** Keeps the heading of a page in its content, even if it stands above the article. */

/** Characters of a heading. */
const MAX_HEADING = 500;

interface Titles {
  documentTitle: string | null;
  headline: string | null;
}

/**
 * Returns a copy of the first `h1`, else `h2`, that the page's title begins with, or that is its headline. A site's own
 * name is mostly an `h1` too, and a link to the home page.
 */
export function findOwnHeading(body: ContentElement, { documentTitle, headline }: Titles): ContentElement | null {
  const title = simplify(documentTitle ?? "");
  let second: ContentElement | null = null;
  for (const element of elementsIn(body)) {
    if ((element.localName !== "h1" && element.localName !== "h2") || isInNavigation(element)) continue;
    const text = simplify(element.textContent.slice(0, 2 * MAX_HEADING));
    if (text === "" || text.length > MAX_HEADING || leadsHome(element)) continue;
    if (!title.startsWith(text) && text !== simplify(headline ?? "")) continue;
    if (element.localName === "h1") return copyTree(element);
    second ??= element;
  }
  return second === null ? null : copyTree(second);
}

/** Puts the heading before the content, unless the content has an `h1` or the same heading. */
export function restoreOwnHeading(root: ContentElement, heading: ContentElement): void {
  const text = simplify(heading.textContent);
  for (const element of elementsIn(root))
    if (isHeading(element) && (element.localName === "h1" || simplify(element.textContent) === text)) return;
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
