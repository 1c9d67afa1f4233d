/** The blocks of a page, as its HTML or its Markdown has them: what both must have in common. */

export interface Leaf {
  type: "paragraph" | "heading" | "code" | "table" | "html" | "math" | "rule";
  text: string;
  /** The level of a heading, the language of code, whether a table has a header. */
  detail?: string;
  /** Where its links lead. */
  links?: readonly string[];
}

interface List {
  type: "list";
  children: Node[];
}

interface Quote {
  type: "quote";
  children: Node[];
}

interface Note {
  type: "note";
  label: string;
  children: Node[];
}

interface Item {
  type: "item";
  /** `null` without a number: the place in the list counts. */
  number: number | null;
  children: Node[];
}

export type Node = Leaf | List | Quote | Note | Item;

/**
 * A line for each block: what it stands in, its kind and its text. The number of an item and of a quote says where one
 * list, item or quote ends and another begins.
 */
export function linesOf(nodes: readonly Node[]): string[] {
  return flatten(nodes.filter(isFilled), "");
}

function flatten(nodes: readonly Node[], path: string): string[] {
  const lines: string[] = [];
  let quotes = 0;
  let items = 0;
  for (const node of nodes) {
    if (node.type === "quote") quotes += 1;
    if (node.type === "item") items += 1;
    if (node.type === "list") lines.push(...flatten(node.children.filter(isFilled), path));
    else if (node.type === "quote") lines.push(...flatten(node.children.filter(isFilled), `${path}quote ${quotes} > `));
    else if (node.type === "note")
      lines.push(...flatten(node.children.filter(isFilled), `${path}note ${node.label} > `));
    else if (node.type === "item")
      lines.push(
        ...flatten(
          node.children.filter(isFilled),
          `${path}${node.number === null ? `item ${items}` : `${node.number}.`} > `,
        ),
      );
    else {
      const { type, detail, text, links = [] } = node;
      lines.push(
        `${path}${type}${detail ? ` ${detail}` : ""}: ${text}${links
          .filter((link, at) => link !== links[at - 1])
          .map((link) => ` -> ${link}`)
          .join("")}`,
      );
    }
  }
  return lines;
}

/** Whether there is anything in a block. */
export function isFilled(node: Node): boolean {
  if (node.type === "rule") return true;
  return "children" in node ? node.children.some(isFilled) : node.text !== "" || (node.links ?? []).length > 0;
}

/** Stands for what has no words. */
export const IMAGE = "⟦image⟧";
export const ITEM = "•";

export function tidyText(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A URL in one way of writing. */
export function tidyLink(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
