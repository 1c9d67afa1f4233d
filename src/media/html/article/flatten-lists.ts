import type { ContentElement, ContentNode } from "./content-tree.ts";
import { elementsIn, hasText } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/**
 * Makes boxes of lists that only arrange a manual's page: each of their items is a section. Javadoc writes its sections
 * so. In Markdown a heading within an item begins no section.
 */

/** Elements between an item and its heading. Javadoc has at most five, with the list within the list. */
const MAX_INSIDE = 10;

export function flattenLists(root: ContentElement): void {
  const lists = [...elementsIn(root)].filter(({ localName }) => localName === "ul");
  for (const list of lists) {
    const starts = list.children.filter(hasText).map(startOf);
    if (!starts.some((start) => start === "section") || starts.includes("other")) continue;
    for (const element of [list, ...list.children]) becomeBox(element);
  }
}

/**
 * What an item begins with. A section begins with a heading, or with the rule that Javadoc draws below the title of a
 * page; a table may stand beside sections.
 */
function startOf(item: ContentElement): "section" | "table" | "other" {
  let element = item;
  for (let inside = 0; inside < MAX_INSIDE; inside++) {
    const first = element.childNodes.find(isShown);
    if (first === undefined || first.nodeType === 3) return "other";
    if (isHeading(first) || first.localName === "hr") return "section";
    if (first.localName === "table") return "table";
    element = first;
  }
  return "other";
}

function isShown(node: ContentNode): boolean {
  if (node.nodeType === 3) return node.data.trim() !== "";
  return node.localName === "hr" || hasText(node);
}

function becomeBox(element: ContentElement): void {
  element.localName = "div";
  element.tagName = "DIV";
}
