import type { ContentElement } from "./content-tree.ts";
import { elementsIn, hasText } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/**
 * Makes quotes of boxes such as notes and warnings that begin with a heading. In Markdown a heading has no end: what
 * follows the box would belong to a section "Note".
 */

/** Classes that generators and style sheets give to such boxes, in all languages. */
const BOX_NAMES = /(?:^|[\s-])(?:admonition|callout|alert|hint)(?:$|[\s_-])|(?:^|\s)custom-block(?:$|\s)/i;
/** Classes of boxes that may be those of sections, too. */
const NOTE_NAMES = /(?:^|\s)(?:note|tip|warning|caution|important|danger|attention|info|notice)(?:$|\s)/i;
const BOX_ROLES = new Set(["note", "alert"]);
/** Elements around a heading that may be its box. DocBook has none between them, Docusaurus one. */
const MAX_ABOVE = 4;

export function quoteAdmonitions(root: ContentElement): void {
  for (const heading of elementsIn(root)) {
    if (!isHeading(heading) || !hasText(heading)) continue;
    const box = boxOf(heading, root);
    if (box === null || isBesideSections(box, heading.localName)) continue;
    box.localName = "blockquote";
    box.tagName = "BLOCKQUOTE";
  }
}

/** The box that the heading begins. */
function boxOf(heading: ContentElement, root: ContentElement): ContentElement | null {
  let element = heading;
  for (let above = 0; above < MAX_ABOVE; above++) {
    const { parentNode } = element;
    if (parentNode === null || parentNode === root || !isFirst(element)) return null;
    if (isBox(parentNode)) return parentNode;
    element = parentNode;
  }
  return null;
}

function isBox(element: ContentElement): boolean {
  const { localName, className } = element;
  if (localName === "div" && NOTE_NAMES.test(className)) return true;
  if (localName !== "div" && localName !== "aside" && localName !== "section") return false;
  return BOX_NAMES.test(className) || BOX_ROLES.has(element.getAttribute("role") ?? "");
}

/** Icons may stand before it. */
function isFirst(element: ContentElement): boolean {
  for (let node = element.previousSibling; node !== null; node = node.previousSibling)
    if (node.nodeType === 3 ? node.data.trim() !== "" : hasText(node)) return false;
  return true;
}

/** Whether the box is a section among others: an element made like it, with text below such a heading, is beside it. */
function isBesideSections({ localName, previousElementSibling, nextElementSibling }: ContentElement, heading: string) {
  return [previousElementSibling, nextElementSibling].some((beside) => {
    if (beside?.localName !== localName || isBox(beside)) return false;
    const first = beside.firstElementChild;
    return first?.localName === heading && first !== beside.lastElementChild;
  });
}
