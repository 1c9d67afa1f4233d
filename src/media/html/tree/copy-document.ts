import { ContentElement, type ContentNode, ContentText } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";
import type { HeadLink } from "../facts/head-links.ts";
import { isInMath, isMathImage, settleMath, texElement } from "../markdown/math.ts";
import {
  ATTRIBUTE,
  CDATA,
  COMMENT,
  ELEMENT,
  END,
  type HtmlDocument,
  type ListedNode,
  nextListed,
  TEXT,
} from "./linkedom.ts";

/**
 * Copies what linkedom parsed into the tree that content is made from: bounded in depth, without scripts and what is
 * hidden.
 */

export interface CopiedPage {
  /** Without what browsers do not show. */
  body: ContentElement;
  /** What they do not show, in document order, with its place: some of it is content that scripts show on demand. */
  hidden: HiddenElement[];
  /** `meta` elements: the `name`, `property` or `itemprop` in lower case, and the content. */
  metas: { name: string; content: string }[];
  /** As written. */
  jsonLd: string[];
  links: HeadLink[];
  elementCount: number;
  /** The sum over all texts of their length times their depth: the cost of reading the text of every element. */
  weight: number;
}

interface HiddenElement {
  element: ContentElement;
  parent: ContentElement;
  next: ContentNode | null;
}

const MAX_METAS = 500;
const MAX_JSON_LD = 100;
const MAX_LINKS = 500;

/** The writers of Markdown and of blocks recurse at each level, and the stack of workerd is a megabyte. */
const MAX_DEPTH = 150;
/**
 * Further elements become text: linkedom's tree may take 70 MB of an isolate's 128, and each element here takes 200
 * bytes more.
 */
const MAX_ELEMENTS = 100_000;
/** Lists and quotes indent each line in them. */
const MAX_INDENTED = 12;
/** Characters of class and id that are kept. */
const MAX_NAMES = 300;

const DROPPED = new Set(
  (
    "script style template noscript noembed svg canvas object embed applet iframe frame link meta title base area map datalist param " +
    "track dialog annotation-xml"
  ).split(" "),
);
/** Copied if nothing else has text. */
const LAST_RESORT = new Set(["noscript", "dialog", "iframe", "object"]);
/** What browsers show without scripts, which may be all of a page's content. */
const WITHOUT_SCRIPTS = "noscript";
/** Only their content is copied. A `head` that is never closed may hold the page. */
const UNWRAPPED = new Set(["html", "head", "body", "noframes", "frameset", "wbr"]);
/** Browsers show their text as it is written. */
const PREFORMATTED = new Set(["xmp", "plaintext", "listing"]);
const VOID = new Set(["br", "col", "hr", "img", "input", "source", "wbr"]);
const INDENTING = new Set(["ul", "ol", "blockquote", "dd", "menu", "dir"]);
const NEVER_HIDDEN = new Set(["html", "body", "main", "article"]);
const KEPT = new Set(
  (
    "class id role itemprop itemtype rel href src srcset alt title datetime lang dir start value type checked colspan rowspan align " +
    "open poster cite summary width height data-src data-srcset data-original data-lazy-src data-lang data-language hreflang scope " +
    "alttext display encoding accesskey"
  ).split(" "),
);
const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const ALIGNING_STYLE = /(?:^|;)\s*text-align\s*:\s*(left|right|center)/i;

interface CopyOptions {
  /** Copies hidden elements too, and those that browsers show only with scripts turned off. */
  everything?: boolean;
  /** Elements of the document that are not copied. */
  ignored?: ReadonlySet<unknown>;
}

export function copyDocument(document: HtmlDocument, { everything = false, ignored }: CopyOptions = {}): CopiedPage {
  const body = new ContentElement("body");
  const hidden: ContentElement[] = [];
  const page: CopiedPage = { body, hidden: [], metas: [], jsonLd: [], links: [], elementCount: 0, weight: 0 };

  // For each open element of the source: where its content goes, and how deep that is.
  let parent = body;
  let depth = 0;
  let indented = 0;
  let pre = 0;
  const open: { parent: ContentElement; depth: number; indented: number; pre: number }[] = [];
  let skipped = 0;
  for (let node = nextListed(document); node !== null; node = nextListed(node)) {
    const { nodeType } = node;
    if (nodeType === ELEMENT) {
      if (skipped > 0) {
        skipped += 1;
        continue;
      }
      const name = node.localName ?? "";
      const element = ignored?.has(node) || isDropped(name, everything) ? null : new ContentElement(nameOf(name));
      const shown = element === null ? "never" : readAttributes(element, node);
      const isShown = everything || shown === "always" || NEVER_HIDDEN.has(name);
      // A word that is hidden in a line is none of its text.
      if (element === null || (!isShown && (shown === "never" || !BLOCKS.has(name)))) {
        skipped = 1;
        if (name === "meta") readMeta(page, node);
        else if (name === "link") readLink(page, node);
        else if (name === "script") readScript(page, node, parent);
        continue;
      }
      open.push({ parent, depth, indented, pre });
      if (name === "body" && body.attributes.length === 0) body.attributes = element.attributes;
      const indents = INDENTING.has(name);
      const isTooMuch = depth >= MAX_DEPTH || page.elementCount >= MAX_ELEMENTS;
      if (isTooMuch) addText(parent, "\n");
      if (isTooMuch || UNWRAPPED.has(name) || (indents && indented >= MAX_INDENTED)) continue;
      if (isPointless(element)) continue;
      if (name === "br" && pre > 0) {
        addText(parent, "\n");
        continue;
      }
      if (isMathImage(element)) settleMath(element);
      parent.append(element);
      if (!everything && (!isShown || name === WITHOUT_SCRIPTS)) hidden.push(element);
      page.elementCount += 1;
      if (VOID.has(name)) continue;
      parent = element;
      depth += 1;
      if (indents) indented += 1;
      if (element.localName === "pre") pre += 1;
    } else if (nodeType === END) {
      if (skipped > 0) {
        skipped -= 1;
        continue;
      }
      const closed = open.pop();
      if (closed === undefined) continue;
      if (parent.localName === "math" && parent !== closed.parent && !isInMath(parent)) settleMath(parent);
      ({ parent, depth, indented, pre } = closed);
    } else if ((nodeType === TEXT || nodeType === CDATA) && skipped === 0) {
      const data = node.data ?? "";
      page.weight += data.length * (depth + 1);
      addText(parent, data);
    } else if (nodeType === COMMENT) readComment(page, node.data ?? "");
  }
  page.hidden = hidden.flatMap((element) => takeOut(element));
  return page;
}

function takeOut(element: ContentElement): HiddenElement[] {
  const { parentNode: parent, nextSibling: next } = element;
  if (parent === null) return [];
  element.remove();
  return [{ element, parent, next }];
}

/** Puts what browsers do not show back into its places. */
export function putBackHidden({ hidden }: CopiedPage): void {
  // Backwards, because the next sibling of one may be another.
  for (const { element, parent, next } of hidden.toReversed()) parent.insertBefore(element, next);
}

/** Puts back what a manual shows on demand: tabs, code and tables. */
export function putBackTabs(page: CopiedPage): void {
  if (page.hidden.length === 0) return;
  putBackHidden(page);
  page.hidden = page.hidden.filter(({ element }) => !isShownOnDemand(element));
  for (const { element } of page.hidden) element.remove();
}

function isShownOnDemand(element: ContentElement): boolean {
  if (element.localName === WITHOUT_SCRIPTS) return false;
  return element.getAttribute("role") === "tabpanel" || element.querySelectorAll("pre,table").length > 0;
}

/** Joins texts, because the parser makes a separate text of each character reference. */
function addText(parent: ContentElement, data: string): void {
  const last = parent.lastChild;
  if (last?.nodeType === 3) last.data += data;
  else parent.append(new ContentText(data));
}

function readMeta(page: CopiedPage, node: ListedNode): void {
  const { name, property, itemprop, "http-equiv": header, content } = attributesOf(node);
  const named = property ?? name ?? itemprop ?? header;
  if (named && content && page.metas.length < MAX_METAS) page.metas.push({ name: named.trim().toLowerCase(), content });
}

/** Javadoc names itself in a comment alone. */
function readComment(page: CopiedPage, data: string): void {
  const generator = /^\s*Generated by (\S.{0,60})/.exec(data.slice(0, 200))?.[1];
  if (generator !== undefined && page.metas.length < MAX_METAS)
    page.metas.push({ name: "generator", content: generator });
}

function readLink(page: CopiedPage, node: ListedNode): void {
  const { rel, href, type = null, title = null, hreflang = null } = attributesOf(node);
  if (!rel || !href || page.links.length >= MAX_LINKS) return;
  page.links.push({ rel: rel.slice(0, 200).toLowerCase().split(/\s+/), href, type, title, hreflang });
}

/** JSON-LD is kept as written. TeX for MathJax becomes an element of `parent`. */
function readScript(page: CopiedPage, node: ListedNode, parent: ContentElement): void {
  const type = (attributesOf(node).type ?? "").trim().toLowerCase();
  if (/^application\/ld\+json\s*(?:;|$)/.test(type)) {
    if (page.jsonLd.length < MAX_JSON_LD) page.jsonLd.push(scriptOf(node));
  } else if (/^math\/tex\s*(?:;|$)/.test(type) && page.elementCount < MAX_ELEMENTS) {
    const math = texElement(scriptOf(node), type.includes("mode=display"));
    if (math === null) return;
    // MathJax shows the preview until it has drawn the formula.
    const preview = parent.lastChild;
    if (preview?.nodeType === 1 && /(?:^|\s)MathJax_Preview(?:\s|$)/.test(preview.className)) preview.remove();
    parent.append(math);
    page.elementCount += 1;
  }
}

function scriptOf(node: ListedNode): string {
  let written = "";
  for (let inside = nextListed(node); inside !== null && inside.nodeType !== END; inside = nextListed(inside))
    if (inside.nodeType === TEXT || inside.nodeType === CDATA) written += inside.data ?? "";
  return written;
}

function attributesOf(node: ListedNode): Partial<Record<string, string>> {
  const attributes = new Map<string, string>();
  for (let listed = nextListed(node); listed?.nodeType === ATTRIBUTE; listed = nextListed(listed))
    attributes.set(listed.name ?? "", listed.value ?? "");
  return Object.fromEntries(attributes);
}

function isDropped(name: string, everything: boolean): boolean {
  return DROPPED.has(name) && name !== WITHOUT_SCRIPTS && !(everything && LAST_RESORT.has(name));
}

function nameOf(name: string): string {
  return PREFORMATTED.has(name) ? "pre" : name;
}

type Shown = "always" | "by scripts" | "never";

/** Says when browsers show the element. */
function readAttributes(element: ContentElement, node: ListedNode): Shown {
  let shown: Shown = "always";
  const hide = (until: Shown) => {
    if (shown !== "never") shown = until;
  };
  for (let listed = nextListed(node); listed?.nodeType === ATTRIBUTE; listed = nextListed(listed)) {
    const { name = "", value = "" } = listed;
    if (KEPT.has(name)) {
      const isName = name === "class" || name === "id";
      element.setAttribute(name, isName ? value.slice(0, MAX_NAMES) : value);
    } else if (name === "name" && element.localName === "a") {
      // https://html.spec.whatwg.org/multipage/obsolete.html#attr-a-name
      if (element.id === "") element.setAttribute("id", value.slice(0, MAX_NAMES));
    } else if (name === "style") {
      if (HIDING_STYLE.test(value.slice(0, 1_000))) hide("by scripts");
      const align = ALIGNING_STYLE.exec(value.slice(0, 1_000))?.[1];
      if (align !== undefined) element.setAttribute("align", align.toLowerCase());
    } else if (name === "hidden") {
      if (value !== "until-found") hide("by scripts");
    } else if (name === "aria-hidden" && value === "true") {
      // Wikipedia shows formulas as images that are hidden from screen readers.
      if (element.localName !== "img") hide("never");
    } else if (name === "aria-modal" && value === "true") hide("never");
  }
  return shown;
}

/** Whether it is an image that only counts visits or fills space. */
function isPointless(element: ContentElement): boolean {
  if (element.localName !== "img") return false;
  return /^[01]$/.test(element.getAttribute("width") ?? "") || /^[01]$/.test(element.getAttribute("height") ?? "");
}
