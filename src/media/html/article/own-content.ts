import { isDataTable } from "../markdown/data-table.ts";
import type { ContentElement } from "./content-tree.ts";
import { hasText, nextNode } from "./content-tree.ts";
import { BLOCKS, countHan, PARAGRAPH } from "./measure.ts";

/** Tells content from surroundings by what an element holds, because names and positions say too little. */

const HEADINGS = new Set("h1 h2 h3 h4 h5 h6".split(" "));
const CONTROLS = new Set(["button", "input", "select", "textarea"]);
/** Characters. A form for mail or a notice about cookies is shorter. */
const MAX_FORM = 400;
/** Characters outside links that a block of links may have: "Share this:", "Page 2 of 9". */
const MAX_LABEL = 40;
const IMPRINT = /©|\(c\) ?\d|copyright|all rights reserved|powered by/i;

interface Holdings {
  /** A heading with text. */
  hasHeading: boolean;
  /** Code, or a data table. */
  hasStructure: boolean;
  /** A button or a field outside headings. */
  hasControl: boolean;
  hasImprint: boolean;
  links: number;
  /** Characters in links, outside headings. Texts are trimmed. */
  linkCharacters: number;
  /** Characters outside links, headings and controls. */
  ownCharacters: number;
  /** Whether a block is as long as a paragraph and not mostly links. */
  hasProse: boolean;
}

export function isHeading({ localName }: ContentElement): boolean {
  return HEADINGS.has(localName);
}

/** The checkboxes of a task list are content. */
export function isTaskBox(element: ContentElement): boolean {
  return element.localName === "input" && element.getAttribute("type")?.toLowerCase() === "checkbox";
}

/** Whether an element holds a heading with text under it, prose, code or a data table. Headings do. */
export function holdsContent(element: ContentElement): boolean {
  if (isHeading(element)) return hasText(element);
  const held = findHoldings(element);
  if (held.hasStructure) return true;
  return !isForm(held) && (held.hasProse || (held.hasHeading && held.ownCharacters > held.linkCharacters));
}

/** Whether an element named like surroundings is what its name says: links, a form, or an imprint. */
export function isFurniture(element: ContentElement): boolean {
  const held = findHoldings(element);
  return !held.hasStructure && (isLinks(held) || isForm(held) || isImprint(held));
}

/** Whether an element without code, tables and headings has hardly anything but links, and at least two of them. */
export function isLinkBlock(element: ContentElement): boolean {
  const held = findHoldings(element);
  return !held.hasStructure && !held.hasHeading && held.links > 1 && isLinks(held);
}

/** A heading may stand above links: "Related". */
function isLinks({ hasHeading, hasProse, links, linkCharacters, ownCharacters }: Holdings): boolean {
  if (hasProse || links === 0) return false;
  if (hasHeading) return links > 1 && ownCharacters < linkCharacters / 2;
  return linkCharacters > ownCharacters || (links > 1 && ownCharacters < MAX_LABEL);
}

function isForm({ hasControl, linkCharacters, ownCharacters }: Holdings): boolean {
  return hasControl && linkCharacters + ownCharacters < MAX_FORM;
}

function isImprint({ hasHeading, hasImprint, linkCharacters, ownCharacters }: Holdings): boolean {
  return hasImprint && !hasHeading && linkCharacters + ownCharacters < MAX_FORM;
}

function findHoldings(root: ContentElement): Holdings {
  const held: Holdings = {
    hasHeading: false,
    hasStructure: root.localName === "pre" || (root.localName === "table" && isDataTable(root)),
    hasControl: false,
    hasImprint: false,
    links: root.localName === "a" ? 1 : 0,
    linkCharacters: 0,
    ownCharacters: 0,
    hasProse: false,
  };
  // The nodes after the link and after the heading or control that are open; `root` where none is open.
  let linkEnd: unknown = root.localName === "a" ? null : root;
  let asideEnd: unknown = root;
  let run = 0;
  let runInLinks = 0;
  const endRun = () => {
    if (run >= PARAGRAPH && runInLinks < run / 2) held.hasProse = true;
    run = 0;
    runInLinks = 0;
  };
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (node === linkEnd) linkEnd = root;
    if (node === asideEnd) asideEnd = root;
    if (node.nodeType === 1) {
      const { localName } = node;
      if (BLOCKS.has(localName)) endRun();
      if (localName === "a" && linkEnd === root) {
        held.links += 1;
        linkEnd = nextNode(node, root, true);
      } else if (asideEnd === root && linkEnd === root && HEADINGS.has(localName)) {
        asideEnd = nextNode(node, root, true);
        held.hasHeading ||= hasText(node);
      } else if (asideEnd === root && CONTROLS.has(localName)) {
        asideEnd = nextNode(node, root, true);
        held.hasControl ||= !isTaskBox(node);
      } else if (localName === "pre" || (localName === "table" && isDataTable(node))) held.hasStructure = true;
      continue;
    }
    const length = node.data.trim().length;
    if (length === 0 || asideEnd !== root) continue;
    run += length + 2 * countHan(node.data);
    if (linkEnd === root) held.ownCharacters += length;
    else {
      held.linkCharacters += length;
      runInLinks += length + 2 * countHan(node.data);
    }
    if (!held.hasImprint && length < 2 * MAX_FORM) held.hasImprint = IMPRINT.test(node.data);
  }
  endRun();
  return held;
}
