import type { ContentElement, ContentNode } from "../article/content-tree.ts";
import { nextNode } from "../article/content-tree.ts";
import { BlockText } from "./block-text.ts";
import type { Marks } from "./marks.ts";

/**
 * Writes lists, also those of definitions: Markdown has none, so a term is an item, in bold type, and its definitions
 * are what the item holds.
 */

type Write = (parent: Pick<ContentElement, "childNodes">, blocks: BlockText, marks: Marks) => void;

const LISTS = new Set(["ul", "ol", "menu", "dir"]);
const HEADINGS = "h1,h2,h3,h4,h5,h6";
const BULLETS = ["-", "*"] as const;
const POINTS = [".", ")"] as const;

interface Item {
  nodes: ContentNode[];
  number: number;
  /** The element whose footnote this is. */
  element: ContentElement | null;
}

/** Writes `ul`, `ol` and the like. */
export function writeList(list: ContentElement, blocks: BlockText, marks: Marks, write: Write): void {
  const isOrdered = list.localName === "ol";
  writeItems(itemsOf(list), isOrdered, blocks, marks, write);
}

/** Writes items: those without a list around them too. */
export function writeItems(
  items: readonly Item[],
  isOrdered: boolean,
  blocks: BlockText,
  marks: Marks,
  write: Write,
): void {
  if (blocks.shape === "cell") {
    writeHtmlItems(items, isOrdered, blocks, marks, write);
    return;
  }
  if (!blocks.hasBlocks) {
    for (const { nodes } of items) {
      blocks.endBlock();
      write({ childNodes: nodes }, blocks, marks);
      blocks.endBlock();
    }
    return;
  }
  blocks.endBlock();
  let run: { number: number; text: string }[] = [];
  const endRun = () => {
    const written = run;
    run = [];
    if (written.length === 0) return;
    blocks.addList(isOrdered ? POINTS : BULLETS, (marker) =>
      written.map(({ number, text }) => withMarker(isOrdered ? `${number}${marker} ` : `${marker} `, text)).join("\n"),
    );
  };
  for (const { nodes, number, element } of items) {
    const label = element === null ? undefined : blocks.page.footnotes.notes.get(element);
    const item = new BlockText(blocks.page, {
      isItem: label === undefined,
      mayHaveBox: label === undefined && element?.localName === "li",
    });
    write({ childNodes: nodes }, item, marks);
    const text = item.finish();
    if (text === "") continue;
    if (label !== undefined) {
      endRun();
      blocks.addBlock(footnote(label, text));
      continue;
    }
    // A parser counts for itself: where numbers jump, another list begins.
    const last = run.at(-1);
    if (isOrdered && last !== undefined && number !== last.number + 1) endRun();
    run.push({ number, text });
  }
  endRun();
}

export function footnote(label: string, text: string): string {
  return `[^${label}]: ${indent(text, 4)}`;
}

function withMarker(marker: string, text: string): string {
  return `${marker}${indent(text, marker.length)}`;
}

/** Each line but the first. */
function indent(text: string, columns: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${" ".repeat(columns)}`);
}

/** In a cell, only HTML can write a list. */
function writeHtmlItems(
  items: readonly Item[],
  isOrdered: boolean,
  { inline, page, shape }: BlockText,
  marks: Marks,
  write: Write,
): void {
  const written = items
    .map(({ nodes }) => {
      const item = new BlockText(page, { shape });
      write({ childNodes: nodes }, item, marks);
      return item.takeLine();
    })
    .filter((text) => text !== "");
  const start = items[0]?.number ?? 1;
  const tag = isOrdered ? "ol" : "ul";
  const opening = isOrdered && start !== 1 ? `<ol start="${start}">` : `<${tag}>`;
  if (written.length > 0) inline.addRaw(`${opening}${written.map((text) => `<li>${text}</li>`).join("")}</${tag}>`, []);
}

/** A list between items belongs to the item before it, as browsers show it. */
function itemsOf(list: ContentElement): Item[] {
  const items: Item[] = [];
  let number = numberOf(list.getAttribute("start")) ?? 1;
  const add = (nodes: ContentNode[], element: ContentElement | null) => {
    items.push({ nodes, number, element });
    number = number < 999_999_999 ? number + 1 : 1;
  };
  // Text and elements in a list that are no items make one, as far as they follow one another.
  let isStray = false;
  const addStray = (node: ContentNode) => {
    const last = items.at(-1);
    if (isStray && last !== undefined) last.nodes = [...last.nodes, node];
    else add([node], null);
    isStray = true;
  };
  const read = (parent: ContentElement) => {
    for (const node of parent.childNodes) {
      const last = items.at(-1);
      if (node.nodeType === 3) {
        if (node.data.trim() !== "" || isStray) addStray(node);
      } else if (node.localName === "li") {
        isStray = false;
        number = numberOf(node.getAttribute("value")) ?? number;
        add(node.childNodes, node);
      } else if (LISTS.has(node.localName) && last !== undefined) last.nodes = [...last.nodes, node];
      else if (holdsItems(node)) read(node);
      else addStray(node);
    }
  };
  read(list);
  return items;
}

/** CommonMark has numbers of up to nine digits. */
function numberOf(written: string | null): number | null {
  const number = Number.parseInt(written ?? "", 10);
  return number >= 0 && number < 1e9 ? number : null;
}

/** Whether an element stands between a list and its items. */
function holdsItems(element: ContentElement): boolean {
  if (LISTS.has(element.localName)) return false;
  for (let node = nextNode(element, element); node !== null; node = nextNode(node, element)) {
    if (node.nodeType === 3) continue;
    if (node.localName === "li") return true;
    if (LISTS.has(node.localName)) return false;
  }
  return false;
}

interface Definition {
  terms: ContentElement[];
  /** What defines them: `dd` elements, or what stands there instead. */
  texts: ContentNode[];
}

/**
 * Writes a list of definitions. One that holds headings, or no terms, arranges a page: its parts follow one another.
 */
export function writeDefinitions(list: ContentElement, blocks: BlockText, marks: Marks, write: Write): void {
  if (!blocks.hasBlocks || !holdsTerms(list) || list.querySelectorAll(HEADINGS).length > 0) {
    blocks.endBlock();
    write(list, blocks, marks);
    blocks.endBlock();
    return;
  }
  const items: Item[] = [];
  for (const { terms, texts } of definitionsOf(list)) {
    const [note] = terms;
    if (note !== undefined && blocks.page.footnotes.notes.has(note))
      items.push({ nodes: texts, number: 1, element: note });
    else items.push({ nodes: [...terms, ...texts], number: 1, element: null });
  }
  writeItems(items, false, blocks, marks, write);
}

function definitionsOf(list: ContentElement): Definition[] {
  const found: Definition[] = [];
  const read = (parent: ContentElement) => {
    for (const node of parent.childNodes) {
      if (node.nodeType === 3 && node.data.trim() === "") continue;
      const last = found.at(-1);
      if (node.nodeType === 1 && node.localName === "dt") {
        if (last === undefined || last.texts.length > 0) found.push({ terms: [node], texts: [] });
        else last.terms.push(node);
      } else if (node.nodeType === 1 && node.localName === "div" && holdsTerms(node)) read(node);
      else if (last === undefined) found.push({ terms: [], texts: [node] });
      else last.texts.push(node);
    }
  };
  read(list);
  return found;
}

/** Whether an element holds terms, or elements between a list and its terms. */
function holdsTerms(element: ContentElement): boolean {
  return element.children.some(
    (child) => child.localName === "dt" || child.localName === "dd" || (child.localName === "div" && holdsTerms(child)),
  );
}
