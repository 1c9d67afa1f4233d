import { namesSurroundings, readNames } from "../facts/surrounding-names.ts";
import { cellsOf, isDataTable, rowsOf } from "../markdown/data-table.ts";
import { MAX_BYLINE } from "./byline.ts";
import type { ContentElement, ContentNode } from "./content-tree.ts";
import { nextNode } from "./content-tree.ts";
import { holdsContent, isFurniture, isHeading, isLinkBlock } from "./own-content.ts";
import { pageTurns } from "./page-turns.ts";

/**
 * Removes what surrounds the content of a page. Elements and roles are statements of their author. A class is a hint:
 * the element must also hold links alone, a form, or an imprint. An id is mostly the slug of a heading, and says
 * nothing.
 */

const NAVIGATION_ROLES = new Set(
  "navigation banner contentinfo search complementary menu menubar toolbar dialog alertdialog alert".split(" "),
);
/** Manuals give this role to notes, and news sites to boxes. */
const BOX_ROLES = new Set(["alert", "complementary"]);
const STRUCTURAL = new Set(["html", "body", "main"]);
const CONTROLS = new Set(["button", "select", "textarea"]);
/** Elements that no class makes surroundings. */
const NEVER_NAMED = new Set(
  "article h1 h2 h3 h4 h5 h6 p dt dd li pre code kbd samp table caption thead tbody tfoot tr th figcaption summary".split(
    " ",
  ),
);
/** Characters. */
const MAX_FOOTER = 500;
/** A byline has a link, a date, or a word for "by". */
const BYLINE_TEXT = /\d|(?:^|\s)(?:by|von|par|por|di|av|door)\s/i;
/** A sentence is no byline. A number follows the point of an abbreviation: "Sept. 5". */
const SENTENCE = /\p{Ll}{3}[.!?](?:\s*$|\s+[^\s\d])|[。！？]/u;
/** Characters that a box has beside its heading: "[edit]". */
const MAX_HEADING_LABEL = 60;

/** The properties that decide whether an element is surroundings, except for headers and footers. */
export type NamedElement = Pick<ContentElement, "localName" | "className" | "id"> & { role: string | null };

/**
 * Whether an element looks like surroundings by its name, role, class or id. Says where a link stands, and removes
 * nothing. `isEdge` decides for a header or footer without such a role.
 */
export function isSurroundings({ localName, role, className, id }: NamedElement, isEdge: () => boolean): boolean {
  if (STRUCTURAL.has(localName)) return false;
  if (localName === "nav" || localName === "aside") return true;
  if (NAVIGATION_ROLES.has(role ?? "")) return true;
  if (localName === "header" || localName === "footer") return isEdge();
  if (CONTROLS.has(localName)) return true;
  if (localName === "article" || localName === "pre" || localName === "code" || localName === "table") return false;
  return readNames(className).isSurroundings || namesSurroundings(id);
}

/**
 * Removes the surroundings from `root`. An element that holds most of the text stays, whatever it is: themes name whole
 * pages `has-sidebar` or `menu-open`. In the `main` of a page that is no article, a heading keeps the links below it.
 */
export function removeSurroundings(root: ContentElement, isArticle: boolean): void {
  const most = textLength(root) / 2;
  const keepsHeadings = root.localName !== "body" && !isArticle;
  const doomed = pageTurns(root);
  for (let node = nextNode(root, root), isDoomed = false; node !== null; node = nextNode(node, root, isDoomed)) {
    isDoomed = false;
    if (node.nodeType !== 1 || !isBoilerplate(node, root, keepsHeadings)) continue;
    if (node.localName !== "nav" && textLength(node) > most) continue;
    doomed.push(node);
    isDoomed = true;
  }
  for (const element of doomed) element.remove();
}

function isBoilerplate(element: ContentElement, root: ContentElement, keepsHeadings: boolean): boolean {
  const { localName } = element;
  if (STRUCTURAL.has(localName)) return false;
  if (localName === "nav") return true;
  if (CONTROLS.has(localName)) return !standsForHeading(element);
  // The header of an article or section holds its title, the footer its notes.
  if (localName === "header" && isInContent(element, root)) return false;
  if (localName === "footer" && isInContent(element, root))
    return element.parentNode?.localName !== "blockquote" && textLength(element) < MAX_FOOTER && !holdsContent(element);
  const role = element.getAttribute("role") ?? "";
  if (role === "alert") return isFurniture(element);
  if (localName === "aside" || BOX_ROLES.has(role)) return !isInContent(element, root) || isFurniture(element);
  if (NAVIGATION_ROLES.has(role)) return true;
  if (localName === "header") return element.getElementsByTagName("h1").length === 0;
  if (localName === "footer") return element.parentNode?.localName !== "blockquote";
  if (NEVER_NAMED.has(localName) || !readNames(element.className).isSurroundings || isInline(element)) return false;
  return isFurniture(element) && !(keepsHeadings && hasHeading(element));
}

/** The headings of an accordion are buttons. */
export function standsForHeading(button: ContentElement): boolean {
  if (button.localName !== "button") return false;
  if (hasHeading(button)) return true;
  const above = button.parentNode;
  return above !== null && (isHeading(above) || above.localName === "summary" || above.localName === "dt");
}

function hasHeading(element: ContentElement): boolean {
  return element.querySelectorAll("h1,h2,h3,h4,h5,h6").length > 0;
}

/** Whether a link or a word stands in a text. */
function isInline({ localName, parentNode, previousSibling, nextSibling }: ContentElement): boolean {
  if ((localName !== "a" && localName !== "span") || parentNode === null) return false;
  return NEVER_NAMED.has(parentNode.localName) || isWord(previousSibling) || isWord(nextSibling);
}

function isWord(node: ContentNode | null): boolean {
  return node?.nodeType === 3 && /[\p{L}\p{N}]/u.test(node.data);
}

function isInContent(element: ContentElement, root: ContentElement): boolean {
  if (root.localName !== "body") return true;
  for (let above = element.parentNode; above !== null && above !== root; above = above.parentNode)
    if (above.localName === "article" || above.localName === "main" || above.localName === "section") return true;
  return false;
}

/** Removes short elements that are named bylines, and look like it: author and dates are in the metadata. */
export function removeBylines(root: ContentElement): void {
  const doomed: ContentElement[] = [];
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (node.nodeType !== 1 || NEVER_NAMED.has(node.localName) || !readNames(node.className).isByline) continue;
    if (textLength(node) >= MAX_BYLINE || holdsContent(node) || hasHeading(node)) continue;
    if (SENTENCE.test(node.textContent)) continue;
    if (BYLINE_TEXT.test(node.textContent) || node.getElementsByTagName("a").length > 0) doomed.push(node);
  }
  for (const element of doomed) element.remove();
}

/** Removes blocks of links alone from both ends of a page without a `main`: also rows and cells of its layout. */
export function removeEdgeLinks(body: ContentElement): void {
  for (;;) {
    const links = firstLinksIn(body);
    if (links === null) break;
    links.remove();
  }
  for (;;) {
    const last = body.lastElementChild;
    if (last === null || !/^(?:div|center|p)$/.test(last.localName) || isAnnounced(last, body) || !isLinkBlock(last))
      break;
    last.remove();
  }
}

/** The first element, if it is a block of links; of a table that only lays out the page, the first row or cell. */
function firstLinksIn(body: ContentElement): ContentElement | null {
  const first = body.firstElementChild;
  if (first === null) return null;
  if (first.localName !== "table") return !NEVER_NAMED.has(first.localName) && isLinkBlock(first) ? first : null;
  if (isDataTable(first)) return null;
  const [row] = rowsOf(first);
  return row === undefined ? null : ([row, ...cellsOf(row).slice(0, 1)].find(isLinkBlock) ?? null);
}

/**
 * Whether a heading or a colon stands before a block, or before the elements of `root` that begin with it. The page's
 * own `h1` announces only the block beside it.
 */
function isAnnounced(block: ContentElement, root: ContentElement): boolean {
  let first = block;
  while (first.previousElementSibling === null && first.parentNode !== null && first.parentNode !== root)
    first = first.parentNode;
  const previous = first.previousElementSibling;
  if (previous === null) return false;
  if (previous.localName === "h1") return first === block;
  return isHeading(previous) || isHeadingBox(previous) || endsInColon(previous);
}

/** Whether an element holds a heading below `h1`, and hardly anything else. */
function isHeadingBox(element: ContentElement): boolean {
  const [heading] = element.querySelectorAll("h2,h3,h4,h5,h6");
  return heading !== undefined && textLength(element) - textLength(heading) < MAX_HEADING_LABEL;
}

function endsInColon({ localName, textContent }: ContentElement): boolean {
  return localName === "p" && /[:：]\s*$/.test(textContent);
}

/** Characters of all texts, each trimmed. */
export function textLength(root: ContentElement): number {
  let length = 0;
  for (let node = root.firstChild, depth = 0; node !== null; ) {
    if (node.nodeType === 3) length += node.data.trim().length;
    else if (node.firstChild !== null) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node.nextSibling === null && depth > 0 && node.parentNode !== null) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node.nextSibling;
  }
  return length;
}
