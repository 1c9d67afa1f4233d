import { isDataTable } from "../markdown/data-table.ts";
import { isBelow } from "./comments.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, nextNode } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/** Compares an article with the page that it was found in: whether it lost a section, a block of code or a table. */

/** The share of a section's text that must be kept. */
const LEAST_KEPT = 0.6;
/** Characters of a text by which it is recognized. */
const MAX_KEY = 300;
/** Characters. A shorter paragraph does not say where the article stands. */
const LEAST_PARAGRAPH = 40;

interface Comparison {
  /** The article may be a part of the page: only what stands within the element around all of its text counts. */
  isPart: boolean;
  /** Headings of links alone are those of other articles, and do not count. */
  withoutLinks: boolean;
}

/** Whether `article` has each section, each block of code and each data table of `page`. */
export function keepsSections(
  article: ContentElement,
  page: ContentElement,
  { isPart, withoutLinks }: Comparison,
): boolean {
  const kept = findSections(article, withoutLinks);
  const within = isPart ? elementAround(article, page) : page;
  for (const [key, length] of findSections(within, withoutLinks)) {
    const left = kept.get(key) ?? 0;
    if (left === 0 || left < length * LEAST_KEPT) return false;
  }
  return true;
}

/**
 * The characters under each heading, and of each block of code and data table, by its text. Equal texts are added up. A
 * heading without text of its own belongs to the section of the smaller heading below it.
 */
function findSections(root: ContentElement, withoutLinks: boolean): Map<string, number> {
  const sections = new Map<string, number>();
  const add = (key: string, length: number) => sections.set(key, (sections.get(key) ?? 0) + length);
  let headings: { key: string; level: number }[] = [];
  let length = 0;
  const endSection = () => {
    if (length > 0) {
      for (const { key } of headings) add(key, length);
      headings = [];
    }
    length = 0;
  };
  let skipEnd: unknown = root;
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (node === skipEnd) skipEnd = root;
    if (node.nodeType === 3) {
      if (skipEnd === root) length += node.data.trim().length;
      continue;
    }
    const { localName } = node;
    if (localName === "pre" || (localName === "table" && isDataTable(node))) {
      const text = keyOf(node);
      if (text !== "") add(`${localName} ${text}`, node.textContent.length);
    } else if (isHeading(node)) {
      endSection();
      const text = keyOf(node);
      const level = Number(localName[1]);
      headings = headings.filter((open) => open.level < level);
      if (text !== "" && !(withoutLinks && isTeaser(node))) headings.push({ key: `heading ${text}`, level });
      if (skipEnd === root) skipEnd = nextNode(node, root, true);
    } else if (withoutLinks && localName === "a" && skipEnd === root) skipEnd = nextNode(node, root, true);
  }
  endSection();
  return sections;
}

function isTeaser(heading: ContentElement): boolean {
  if (heading.parentNode?.localName === "a") return true;
  const only = heading.children.length === 1 ? heading.firstElementChild : null;
  return only?.localName === "a" && keyOf(only) === keyOf(heading) && !only.getAttribute("href")?.startsWith("#");
}

/** The smallest element of `page` around the article's headings and paragraphs. */
function elementAround(article: ContentElement, page: ContentElement): ContentElement {
  const keys = new Set<string>();
  for (const element of elementsIn(article)) if (isMark(element)) keys.add(keyOf(element));
  let around: ContentElement | null = null;
  for (const element of elementsIn(page)) {
    if (!isMark(element) || !keys.has(keyOf(element))) continue;
    around ??= element.parentNode;
    while (around !== null && around !== page && !isBelow(element, around)) around = around.parentNode;
  }
  return around ?? page;
}

function isMark(element: ContentElement): boolean {
  return isHeading(element) || (element.localName === "p" && element.textContent.length > LEAST_PARAGRAPH);
}

function keyOf(element: ContentElement): string {
  return element.textContent
    .slice(0, 4 * MAX_KEY)
    .replace(/\s+/g, "")
    .slice(0, MAX_KEY);
}
