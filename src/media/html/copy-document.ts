import { ContentElement, ContentText } from "./content-tree.ts";
import type { HtmlDocument } from "./parse-html.ts";

/** From what linkedom parsed to the tree that content is made from: bounded in depth, without what runs, what is hidden and what is no text. */

export interface CopiedPage {
  body: ContentElement;
  /** `meta` elements: `name`, `property` or `itemprop` in lower case, and what they say. */
  metas: { name: string; content: string }[];
  /** As written. */
  jsonLd: string[];
  elementCount: number;
  /** The characters of each text times the elements that it stands in: what it costs to read the text of every element. */
  weight: number;
}

/** linkedom keeps a document as one list: an element, its attributes, what it holds, its end. Its own getters walk that list each time. */
interface SourceNode {
  readonly nodeType: number;
  readonly localName?: string;
  readonly name?: string;
  readonly value?: string;
  readonly data?: string;
  readonly [next: symbol]: SourceNode | null | undefined;
}

/** Of metas and of blocks of JSON-LD. */
const MAX_METAS = 500;
const MAX_JSON_LD = 100;

const ELEMENT = 1;
const ATTRIBUTE = 2;
const TEXT = 3;
const CDATA = 4;
const END = -1;

/** Readability and Turndown call themselves for each level, and workerd's stack is a megabyte. */
const MAX_DEPTH = 150;
/** What comes after so many is text alone: linkedom's tree may take 70 MB of the 128 that an isolate has, and this one takes 200 bytes for each. */
const MAX_ELEMENTS = 100_000;
/** Lists and quotes indent each line of what they hold. */
const MAX_INDENTED = 12;
/** Of class and id. */
const MAX_NAMES = 300;

const DROPPED = new Set(
  (
    "script style template noscript noembed svg canvas object embed applet iframe frame link meta title base area map datalist param " +
    "track dialog annotation annotation-xml"
  ).split(" "),
);
/** Where nothing else has text, these may say why. */
const LAST_RESORT = new Set(["noscript", "dialog", "iframe", "object"]);
/** Their content counts, they don't. `head` may hold the page where it is never closed. */
const UNWRAPPED = new Set(["html", "head", "body", "noframes", "frameset", "wbr"]);
/** What browsers show as it is written. */
const PREFORMATTED = new Set(["xmp", "plaintext", "listing"]);
const VOID = new Set(["br", "col", "hr", "img", "input", "source", "wbr"]);
const INDENTING = new Set(["ul", "ol", "blockquote", "dd", "menu", "dir"]);
const NEVER_HIDDEN = new Set(["html", "body", "main", "article"]);
const KEPT = new Set(
  (
    "class id role itemprop itemtype rel href src srcset alt title datetime lang dir start value type checked colspan rowspan align " +
    "open poster cite summary width height data-src data-srcset data-original data-lazy-src data-lang data-language hreflang scope"
  ).split(" "),
);
const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const ALIGNING_STYLE = /(?:^|;)\s*text-align\s*:\s*(left|right|center)/i;

/** `everything`: also what is hidden and what browsers show only where scripts are off. */
export function copyDocument(document: HtmlDocument, everything = false): CopiedPage {
  const source = document as unknown as SourceNode;
  const next = Object.getOwnPropertySymbols(source).find(({ description }) => description === "next");
  const body = new ContentElement("body");
  const page: CopiedPage = { body, metas: [], jsonLd: [], elementCount: 0, weight: 0 };
  if (next === undefined) return page;

  // What each open element of the source became: where its content goes, and how deep that is.
  let parent = body;
  let depth = 0;
  let indented = 0;
  const open: { parent: ContentElement; depth: number; indented: number }[] = [];
  let skipped = 0;
  for (let node = source[next]; node; node = node[next]) {
    const { nodeType } = node;
    if (nodeType === ELEMENT) {
      if (skipped > 0) {
        skipped += 1;
        continue;
      }
      const name = node.localName ?? "";
      const element = isDropped(name, everything) ? null : new ContentElement(nameOf(name));
      if (element === null || (!readAttributes(element, node, next) && !everything && !NEVER_HIDDEN.has(name))) {
        skipped = 1;
        if (name === "meta") readMeta(page, node, next);
        else if (name === "script") readScript(page, node, next);
        continue;
      }
      open.push({ parent, depth, indented });
      if (name === "body" && body.attributes.length === 0) body.attributes = element.attributes;
      const indents = INDENTING.has(name);
      const isTooMuch = depth >= MAX_DEPTH || page.elementCount >= MAX_ELEMENTS;
      if (isTooMuch) addText(parent, "\n");
      if (isTooMuch || UNWRAPPED.has(name) || (indents && indented >= MAX_INDENTED)) continue;
      if (isPointless(element)) continue;
      parent.append(element);
      page.elementCount += 1;
      if (VOID.has(name)) continue;
      parent = element;
      depth += 1;
      if (indents) indented += 1;
    } else if (nodeType === END) {
      if (skipped > 0) {
        skipped -= 1;
        continue;
      }
      const closed = open.pop();
      if (closed !== undefined) ({ parent, depth, indented } = closed);
    } else if ((nodeType === TEXT || nodeType === CDATA) && skipped === 0) {
      const data = node.data ?? "";
      page.weight += data.length * (depth + 1);
      addText(parent, data);
    }
  }
  return page;
}

/** The parser makes a text of its own of each character reference. */
function addText(parent: ContentElement, data: string): void {
  const last = parent.lastChild;
  if (last?.nodeType === 3) last.data += data;
  else parent.append(new ContentText(data));
}

function readMeta(page: CopiedPage, node: SourceNode, next: symbol): void {
  const { name, property, itemprop, "http-equiv": header, content } = attributesOf(node, next);
  const named = property ?? name ?? itemprop ?? header;
  if (named && content && page.metas.length < MAX_METAS) page.metas.push({ name: named.trim().toLowerCase(), content });
}

function readScript(page: CopiedPage, node: SourceNode, next: symbol): void {
  if (page.jsonLd.length >= MAX_JSON_LD) return;
  if (!/^\s*application\/ld\+json\s*(?:;|$)/i.test(attributesOf(node, next).type ?? "")) return;
  let json = "";
  for (let inside = node[next]; inside && inside.nodeType !== END; inside = inside[next])
    if (inside.nodeType === TEXT || inside.nodeType === CDATA) json += inside.data ?? "";
  page.jsonLd.push(json);
}

function attributesOf(node: SourceNode, next: symbol): Partial<Record<string, string>> {
  const attributes = new Map<string, string>();
  for (let attribute = node[next]; attribute && attribute.nodeType === ATTRIBUTE; attribute = attribute[next])
    attributes.set(attribute.name ?? "", attribute.value ?? "");
  return Object.fromEntries(attributes);
}

function isDropped(name: string, everything: boolean): boolean {
  return DROPPED.has(name) && !(everything && LAST_RESORT.has(name));
}

function nameOf(name: string): string {
  return PREFORMATTED.has(name) ? "pre" : name;
}

/** False for what browsers don't show. */
function readAttributes(element: ContentElement, node: SourceNode, next: symbol): boolean {
  let isShown = true;
  for (let attribute = node[next]; attribute && attribute.nodeType === ATTRIBUTE; attribute = attribute[next]) {
    const { name = "", value = "" } = attribute;
    if (KEPT.has(name)) {
      const isName = name === "class" || name === "id";
      element.setAttribute(name, isName ? value.slice(0, MAX_NAMES) : value);
    } else if (name === "style") {
      if (HIDING_STYLE.test(value.slice(0, 1_000))) isShown = false;
      const align = ALIGNING_STYLE.exec(value.slice(0, 1_000))?.[1];
      if (align !== undefined) element.setAttribute("align", align.toLowerCase());
    } else if (name === "hidden") {
      if (value !== "until-found") isShown = false;
    } else if (name === "aria-hidden" && value === "true") {
      // Wikipedia shows its formulas as images that are hidden from readers aloud.
      isShown = isShown && element.localName === "img";
    } else if (name === "aria-modal" && value === "true") isShown = false;
  }
  return isShown;
}

/** An image that only counts visits, or keeps a distance. */
function isPointless(element: ContentElement): boolean {
  if (element.localName !== "img") return false;
  return /^[01]$/.test(element.getAttribute("width") ?? "") || /^[01]$/.test(element.getAttribute("height") ?? "");
}
