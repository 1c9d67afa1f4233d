import { BLOCKS } from "../article/measure.ts";
import { CDATA, ELEMENT, END, type HtmlElement, type ListedNode, nextListed, TEXT } from "../tree/linkedom.ts";
import { tidy } from "../tree/tidy.ts";

/** The text of an element as a reader sees it. */

const UNSEEN = new Set(["script", "style", "template", "noscript"]);

/** White space is collapsed, and blocks are apart. It reads no more than it needs. */
export function elementText(element: HtmlElement, maxLength: number): string {
  let text = "";
  const open: string[] = [];
  let unseenFrom = 0;
  for (let node = element as unknown as ListedNode | null; node !== null; node = nextListed(node)) {
    const { nodeType, localName = "" } = node;
    if (nodeType === ELEMENT) {
      open.push(localName);
      if (unseenFrom === 0 && UNSEEN.has(localName)) unseenFrom = open.length;
      if (localName === "br" || BLOCKS.has(localName)) text += " ";
    } else if (nodeType === END) {
      if (unseenFrom === open.length) unseenFrom = 0;
      if (BLOCKS.has(open.pop() ?? "")) text += " ";
      if (open.length === 0) break;
    } else if ((nodeType === TEXT || nodeType === CDATA) && unseenFrom === 0) {
      text += node.data ?? "";
      if (text.length > 4 * maxLength) break;
    }
  }
  return tidy(text, maxLength);
}
