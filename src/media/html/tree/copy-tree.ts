import type { ContentNode } from "../article/content-tree.ts";
import { ContentElement, ContentText } from "../article/content-tree.ts";

/** Copies a tree, without remembered texts. */
export function copyTree(root: ContentElement): ContentElement {
  const copy = copyElement(root);
  let parent = copy;
  let node: ContentNode | null = root.firstChild;
  while (node !== null) {
    const made = node.nodeType === 3 ? new ContentText(node.data) : copyElement(node);
    parent.append(made);
    if (made.nodeType === 1 && node.nodeType === 1 && node.firstChild !== null) {
      parent = made;
      node = node.firstChild;
      continue;
    }
    let from: ContentNode = node;
    node = null;
    while (from !== root) {
      if (from.nextSibling !== null) {
        node = from.nextSibling;
        break;
      }
      if (from.parentNode === null || from.parentNode === root) break;
      from = from.parentNode;
      parent = parent.parentNode ?? copy;
    }
  }
  return copy;
}

function copyElement(element: ContentElement): ContentElement {
  const copy = new ContentElement(element.localName);
  for (const { name, value } of element.attributes) copy.setAttribute(name, value);
  return copy;
}
