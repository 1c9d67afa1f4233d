import { keepShape } from "../../../core/shapes.ts";
import { decodeFragment } from "../links/decode-fragment.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/**
 * Gives headings without an id the fragment by which their page links to them: that of an anchor within, of a link to
 * itself, or of the section that it opens. Call it before marks and empty elements go.
 */

/** Elements around a heading that may be its section. */
const MAX_ABOVE = 3;
/** A longer id is no fragment that anybody links to. */
export const MAX_ID = 200;

export function nameHeadings(root: ContentElement): void {
  for (const element of elementsIn(root)) {
    if (!isHeading(element) || element.id !== "") continue;
    const id = ownFragment(keepShape(element)) ?? sectionId(element, root);
    if (id !== null && id.length <= MAX_ID) element.setAttribute("id", id);
  }
}

function ownFragment(heading: ContentElement): string | null {
  for (const element of elementsIn(heading)) {
    if (element.localName !== "a") continue;
    const { id } = element;
    const href = element.getAttribute("href") ?? "";
    const target = href.length > 1 && href.startsWith("#") ? decodeFragment(href.slice(1)) : "";
    if (id !== "" || target !== "") return id || target;
  }
  return null;
}

/** The id of an element around the heading that begins with it. */
function sectionId(heading: ContentElement, root: ContentElement): string | null {
  let element = heading;
  for (let above = 0; above < MAX_ABOVE; above++) {
    const { parentNode } = element;
    if (parentNode === null || parentNode === root || element.previousElementSibling !== null) return null;
    if (parentNode.id !== "") return parentNode.id;
    element = parentNode;
  }
  return null;
}
