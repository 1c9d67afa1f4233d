import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, nextNode } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";
import { decodeFragment } from "../links/decode-fragment.ts";
import { dataTableOf, isDataTable } from "./data-table.ts";

/**
 * Finds footnotes: short links to a block of the same page that leads back to them. Generators name them in many ways,
 * but all of them link in both directions. https://github.github.com/gfm/ says nothing of footnotes, and GitHub writes
 * them as `[^1]`: https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting
 */

export interface Footnotes {
  /** The label of the note that a link refers to. */
  readonly references: ReadonlyMap<ContentElement, string>;
  /** The label of the note that an element holds. */
  readonly notes: ReadonlyMap<ContentElement, string>;
  /** Links from notes back to the text. */
  readonly returns: ReadonlySet<ContentElement>;
}

/** The text of a link to a note, with brackets or without. */
const MARK = /^[[(]?\s*(?:(?:note|fn|nb|n)[. ]?\s*)?(\d{1,4}|[a-z]|[ivxlc]{1,6}|[*†‡§¶#]{1,4})\s*[\])]?[.:]?$/i;
/** Characters of a note. What is longer is a section. */
const MAX_NOTE = 10_000;
const NO_NOTES = new Set("h1 h2 h3 h4 h5 h6 ul ol dl tr td th tbody thead section article main body".split(" "));
const HEADINGS = "h1,h2,h3,h4,h5,h6";
/** Elements around a link to a note that may carry the id that leads back. */
const AROUND = 2;

const NO_FOOTNOTES: Footnotes = { references: new Map(), notes: new Map(), returns: new Set() };

export function findFootnotes(root: ContentElement): Footnotes {
  const marks: { link: ContentElement; mark: string; page: string; id: string }[] = [];
  for (const link of root.getElementsByTagName("a")) {
    const mark = markOf(link);
    const target = mark === null ? null : targetOf(link);
    if (mark !== null && target !== null) marks.push({ link, mark, ...target });
  }
  if (marks.length === 0) return NO_FOOTNOTES;
  const byId = new Map<string, ContentElement>();
  for (const element of elementsIn(root)) if (element.id !== "" && !byId.has(element.id)) byId.set(element.id, element);
  const references = new Map<ContentElement, string>();
  const notes = new Map<ContentElement, string>();
  const returns = new Set<ContentElement>();
  const labels = new Set<string>();
  for (const { link, mark, page, id } of marks) {
    // A link in a note leads back.
    if (returns.has(link)) continue;
    const note = noteAt(byId.get(id), link);
    if (note === null) continue;
    const back = returnsTo(note, link, page, byId);
    if (back.length === 0 || !saysMore(note, back)) continue;
    const label = notes.get(note) ?? freeLabel(mark, labels);
    labels.add(label);
    notes.set(note, label);
    references.set(link, label);
    for (const each of back) returns.add(each);
  }
  return { references, notes, returns };
}

function markOf(link: ContentElement): string | null {
  if (!link.getAttribute("href")?.includes("#")) return null;
  const text = link.textContent;
  return text.length > 20 ? null : (MARK.exec(text.trim())?.[1]?.toLowerCase() ?? null);
}

function targetOf(link: ContentElement): { page: string; id: string } | null {
  const href = link.getAttribute("href") ?? "";
  const at = href.indexOf("#");
  if (at < 0 || at === href.length - 1) return null;
  return { page: href.slice(0, at), id: decodeFragment(href.slice(at + 1)) };
}

/** The block that a link to a note leads to, or that begins there. */
function noteAt(target: ContentElement | undefined, link: ContentElement): ContentElement | null {
  if (target === undefined) return null;
  let note: ContentElement | null = target;
  while (note !== null && !BLOCKS.has(note.localName)) note = note.parentNode;
  if (note === null || NO_NOTES.has(note.localName) || isDataTable(note) || dataTableOf(note) !== null) return null;
  if (note.textContent.length > MAX_NOTE || note.querySelectorAll(HEADINGS).length > 0) return null;
  return contains(note, link) || !begins(note, target) ? null : note;
}

/** Whether no words of the block stand before the element. */
function begins(block: ContentElement, element: ContentElement): boolean {
  if (block === element) return true;
  for (let node = nextNode(block, block); node !== null && node !== element; node = nextNode(node, block))
    if (node.nodeType === 3 && /[\p{L}\p{N}]/u.test(node.data)) return false;
  return true;
}

/** The links of a note to what stands around a link to it, or to nothing: an empty anchor has gone. */
function returnsTo(
  note: ContentElement,
  link: ContentElement,
  page: string,
  byId: ReadonlyMap<string, ContentElement>,
): ContentElement[] {
  return noteLinks(note).filter((back) => {
    const target = targetOf(back);
    if (target === null || target.page !== page) return false;
    const place = byId.get(target.id);
    if (place === undefined) return isMark(back);
    return contains(link, place) || isAround(place, link);
  });
}

/** Whether a note has words beside the links back. */
function saysMore(note: ContentElement, back: readonly ContentElement[]): boolean {
  const text = note.localName === "dt" ? (note.nextElementSibling?.textContent ?? "") : note.textContent;
  const links = back.reduce((length, link) => length + countWordCharacters(link.textContent), 0);
  return countWordCharacters(text) > (note.localName === "dt" ? 0 : links);
}

function countWordCharacters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

function noteLinks(note: ContentElement): ContentElement[] {
  // The text of a term's note stands in its definition.
  const next = note.localName === "dt" ? note.nextElementSibling : null;
  return [...note.getElementsByTagName("a"), ...(next === null ? [] : next.getElementsByTagName("a"))];
}

/** Whether a link has no words. */
function isMark(link: ContentElement): boolean {
  return markOf(link) !== null || !/\p{L}{2}/u.test(link.textContent);
}

function isAround(place: ContentElement, link: ContentElement): boolean {
  let above = link.parentNode;
  for (let left = AROUND; above !== null && left > 0; above = above.parentNode, left--)
    if (above === place) return true;
  return false;
}

function contains(outer: ContentElement, inner: ContentElement): boolean {
  for (let above: ContentElement | null = inner; above !== null; above = above.parentNode)
    if (above === outer) return true;
  return false;
}

/** The mark where it is free and a label may have it, else the next number. */
function freeLabel(mark: string, taken: ReadonlySet<string>): string {
  if (/^\w+$/.test(mark) && !taken.has(mark)) return mark;
  let number = taken.size + 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}

/** Marks before the words of a note. */
const MARKS_ONLY = /^[\s[\]()^↑↩.:,;]*$/;

/** Removes the links back from the notes, and the marks around them: "^", "[1]". */
export function settleNotes({ notes, returns }: Footnotes): void {
  for (const [note, label] of notes) {
    removeMarks(note, label, returns);
    const next = note.localName === "dt" ? note.nextElementSibling : null;
    if (next !== null) removeMarks(next, label, returns);
  }
  for (const link of returns) link.remove();
}

function removeMarks(note: ContentElement, label: string, returns: ReadonlySet<ContentElement>): void {
  let isMarked = false;
  for (let node = nextNode(note, note); node !== null; ) {
    if (node.nodeType === 1) {
      if (isMarked && BLOCKS.has(node.localName)) return;
      const isReturn = returns.has(node);
      isMarked ||= isReturn;
      node = nextNode(node, note, isReturn);
      continue;
    }
    const text = node.data.trim();
    if (MARKS_ONLY.test(text)) node.data = text === node.data ? "" : " ";
    else {
      const rest = withoutLabel(text, label, isMarked);
      if (rest === text) return;
      isMarked = true;
      node.data = rest;
    }
    node = nextNode(node, note);
  }
}

/** A number without a bracket or a point is the mark only if nothing else is in its element. */
function withoutLabel(text: string, label: string, isMarked: boolean): string {
  if (isMarked) return text;
  if (text.replace(/^[[(]|[\])]?[.:]?$/g, "") === label) return "";
  for (const mark of [`[${label}]`, `(${label})`, `${label}.`, `${label}:`, `${label})`])
    if (text.startsWith(`${mark} `)) return text.slice(mark.length).trimStart();
  return text;
}
