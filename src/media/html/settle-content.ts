import { keepShape } from "../../core/shapes.ts";
import type { ContentElement, ContentNode } from "./content-tree.ts";
import { ContentText, elementsIn, nextNode } from "./content-tree.ts";
import { isTaskBox } from "./readable.ts";
import { UrlSettler } from "./settle-urls.ts";

/** Prepares the chosen content for all formats: makes URLs absolute, and removes what has no meaning. */

const DROPPED = new Set("button select textarea input nav".split(" "));
/** Links of headings to themselves, line numbers of code, text for screen readers only. */
const DROPPED_NAMES =
  /(?:^|[\s_])(?:headerlink|header-?anchor|heading-?anchor|anchor-?link|hash-link|linenos|lineno|line-numbers-rows|gutter|mw-editsection|sr-only|screen-reader-text|visually-hidden|visuallyhidden)(?:$|[\s_])/i;
const HEADING_MARK = /^[\s¶#§🔗\u200b]*$/u;
const MEDIA = new Set("img picture video audio br hr col td th input".split(" "));
const SPECIAL_SPACES = /[\u00a0\u00ad\u200b\ufeff]/;

export function settleContent(root: ContentElement, base: string): void {
  for (const element of [...elementsIn(root)]) if (isDropped(element)) element.remove();
  const urls = keepShape(new UrlSettler(base));
  for (const element of elementsIn(root)) {
    if (element.localName === "form" || element.localName === "label") rename(element);
    urls.settle(element);
  }
  settleTexts(root);
  removeEmpty(root);
}

function isDropped(element: ContentElement): boolean {
  const { localName } = element;
  if (DROPPED.has(localName)) return !isTaskBox(element);
  const names = element.className;
  if (names !== "" && DROPPED_NAMES.test(names)) return true;
  if (localName !== "a" || element.getAttribute("href")?.startsWith("#") !== true) return false;
  return element.firstChild?.nodeType === 3 && HEADING_MARK.test(element.firstChild.data);
}

function rename(element: ContentElement): void {
  element.localName = element.localName === "form" ? "div" : "span";
  element.tagName = element.localName.toUpperCase();
}

function settleTexts(root: ContentElement): void {
  let preEnd: ContentNode | null | undefined;
  let isPre = false;
  for (let node = nextNode(root, root); node !== null; ) {
    if (isPre && node === preEnd) isPre = false;
    if (node.nodeType === 3) {
      if (SPECIAL_SPACES.test(node.data))
        node.data = node.data.replace(/\u00a0/g, " ").replace(/[\u00ad\u200b\ufeff]/g, "");
    } else if (node.localName === "pre" && !isPre) {
      isPre = true;
      preEnd = nextNode(node, root, true);
    } else if (node.localName === "br" && isPre && node.parentNode !== null) {
      const text = new ContentText("\n");
      node.parentNode.replaceChild(text, node);
      node = text;
    }
    node = nextNode(node, root);
  }
}

/** Turndown searches every element without text for something to show. */
function removeEmpty(root: ContentElement): void {
  const elements = [...elementsIn(root)];
  // Backwards, so that an element that becomes empty is removed too.
  for (let at = elements.length - 1; at >= 0; at--) {
    const element = elements[at];
    if (element === undefined || MEDIA.has(element.localName)) continue;
    if (element.firstChild === null) element.remove();
  }
}
