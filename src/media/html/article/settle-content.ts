import { inPieces } from "../../../core/in-pieces.ts";
import { keepShape } from "../../../core/shapes.ts";
import { UrlSettler } from "../links/settle-urls.ts";
import { findBrokenCode } from "../markdown/code.ts";
import { quoteAdmonitions } from "./admonitions.ts";
import { standsForHeading } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, hasText, nextNode, startOfText } from "./content-tree.ts";
import { nameHeadings } from "./name-headings.ts";
import { isHeading, isTaskBox } from "./own-content.ts";

/** Prepares the chosen content for all formats: makes URLs absolute, and removes what has no meaning. */

const DROPPED = new Set("button select textarea input nav".split(" "));
/** Their content stays. */
const RENAMED = new Set(["button", "form", "label"]);
/** Links of headings to themselves, and links to edit a section. */
const MARK_NAMES =
  /(?:^|[\s_])(?:headerlink|header-?anchor|heading-?anchor|anchor-?link|hash-link|edit-?link|mw-editsection)(?:$|[\s_])/i;
/** Line numbers of code. */
const NUMBER_NAMES = /(?:^|[\s_])(?:linenos|lineno|line-numbers-rows|gutter)(?:$|[\s_])/i;
/** Text for screen readers only. */
const HIDDEN_NAMES = /(?:^|[\s_])(?:sr-only|screen-reader-text|visually-?hidden)(?:$|[\s_])/i;
/** Elements that no class makes a mark. */
const NEVER_MARKS = new Set("p dt dd li td th pre code".split(" "));
/** Characters. A longer text is content, whatever its class. */
const MAX_MARK = 100;
const EDIT = /^\s*\[?edit\b/i;
const HEADING_MARK = /^[\s¶#§🔗\u200b]*$/u;
const MEDIA = new Set("img picture source video audio br hr col td th input".split(" "));
const SPECIAL_SPACES = /[\u00a0\u00ad\u200b\ufeff]/;

export function settleContent(root: ContentElement, base: string): void {
  nameHeadings(root);
  quoteAdmonitions(root);
  for (const element of [...elementsIn(root)]) if (isDropped(element)) element.remove();
  const urls = keepShape(new UrlSettler(base));
  for (const element of elementsIn(root)) {
    if (RENAMED.has(element.localName)) rename(element);
    urls.settle(element);
  }
  settleCode(root);
  settleTexts(root);
  removeEmpty(root);
}

function isDropped(element: ContentElement): boolean {
  const { localName } = element;
  if (DROPPED.has(localName)) return !isTaskBox(element) && !standsForHeading(element);
  // The picture of a menu that a checkbox opens.
  if (localName === "label" && !hasText(element) && element.getElementsByTagName("input").length === 0) return true;
  const names = element.className;
  if (names !== "" && !isHeading(element)) {
    if (NUMBER_NAMES.test(names)) return !/[^\s\d]/.test(element.textContent);
    if (HIDDEN_NAMES.test(names) || (MARK_NAMES.test(names) && isMark(element)))
      return (
        !NEVER_MARKS.has(localName) && startOfText(element, MAX_MARK).length < MAX_MARK && !isWholeHeading(element)
      );
  }
  if (localName !== "a" || element.getAttribute("href")?.startsWith("#") !== true) return false;
  return element.firstChild?.nodeType === 3 && HEADING_MARK.test(element.textContent);
}

/** Whether a short element is what its class says: a mark of a heading, or a link to edit. */
function isMark(element: ContentElement): boolean {
  const { previousElementSibling: previous, textContent } = element;
  if (HEADING_MARK.test(textContent) || EDIT.test(textContent)) return true;
  if (element.getAttribute("href")?.startsWith("#") === true) return true;
  if (previous !== null && isHeading(previous)) return true;
  for (let above = element.parentNode; above !== null; above = above.parentNode) if (isHeading(above)) return true;
  return false;
}

/** Some generators put all of a heading into the link to itself. */
function isWholeHeading({ parentNode, textContent }: ContentElement): boolean {
  return parentNode !== null && isHeading(parentNode) && parentNode.textContent.trim() === textContent.trim();
}

function rename(element: ContentElement): void {
  element.localName = element.localName === "form" ? "div" : "span";
  element.tagName = element.localName.toUpperCase();
}

/** Collapses the white space of code with line breaks as browsers do, before non-breaking spaces become others. */
function settleCode(root: ContentElement): void {
  for (const code of findBrokenCode(root)) {
    let isStart = true;
    for (let node = nextNode(code, code); node !== null; node = nextNode(node, code)) {
      if (node.nodeType === 1) isStart ||= node.localName === "br";
      else {
        const collapsed = node.data.replace(/[ \t\r\n\f]+/g, " ");
        node.data = isStart ? collapsed.replace(/^ /, "") : collapsed;
        if (node.data !== "") isStart = false;
      }
    }
  }
}

function settleTexts(root: ContentElement): void {
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root))
    if (node.nodeType === 3 && SPECIAL_SPACES.test(node.data))
      node.data = inPieces(node.data, (data) => data.replace(/\u00a0/g, " ").replace(/[\u00ad\u200b\ufeff]/g, ""));
}

/** An element without text shows nothing. */
function removeEmpty(root: ContentElement): void {
  const elements = [...elementsIn(root)];
  // Backwards, so that an element that becomes empty is removed too.
  for (let at = elements.length - 1; at >= 0; at--) {
    const element = elements[at];
    if (element === undefined || MEDIA.has(element.localName)) continue;
    if (element.firstChild === null) element.remove();
  }
}
