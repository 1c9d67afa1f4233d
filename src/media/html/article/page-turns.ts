import { namesSurroundings } from "../facts/surrounding-names.ts";
import type { ContentElement } from "./content-tree.ts";
import { elementsIn, nextNode, startOfText } from "./content-tree.ts";
import { isHeading } from "./own-content.ts";

/**
 * Finds the bars of a manual that turn its pages: Prev, Up, Home, Next. Their links say so by a link type, or by an
 * access key, which DocBook, Texinfo, Publican and Sphinx give them and nobody else does.
 */

/** https://html.spec.whatwg.org/multipage/links.html#sequential-link-types, and older ones that generators write. */
const TURNS = new Set("prev previous next up home start top first last contents".split(" "));
const ACCESS_KEYS = new Set([..."pnuht"]);
/** A link that is an arrow. */
const ARROW = /^\s*(?:[<>«»‹›←→↑⇐⇒◀▶◄►]{1,2}|<<<|>>>)\s*$/u;
const TURN_NAME = /(?:^|[\s_-])(?:prev|previous|next)(?:$|[\s_-])/i;
/** Parts of a bar, which hold nothing but what belongs to it. */
const PARTS = new Set("tr td th tbody thead tfoot table li ul ol".split(" "));
const CONTENT = new Set("pre dl blockquote figure video audio".split(" "));
/** Characters outside links: "Previous: , Up:", and in a table or a list the title of the chapter, too. */
const MAX_LABEL = 40;
const MAX_TITLE = 200;
/** Words between two links. More are a sentence. */
const MAX_LABEL_WORDS = 3;
/** Characters in links, and their number: a table of contents has more. */
const MAX_LINKED = 500;
const MAX_LINKS = 10;
/** Characters. */
const MAX_ARROW = 20;
/** Nodes that are looked at for one element: a page may have 100,000 such links in one. A bar has some 30. */
const MAX_NODES = 300;

/** The largest elements of `root` that hold a bar and nothing else. In a manual, arrows and names tell it, too. */
export function pageTurns(root: ContentElement, isManual = false): ContentElement[] {
  const bars = new Set<ContentElement>();
  for (const element of elementsIn(root)) {
    if (element.localName !== "a") continue;
    const isNamed = isNamedTurn(element, isManual);
    if (!isNamed && !(isManual && ARROW.test(startOfText(element, MAX_ARROW)))) continue;
    const bar = barAround(element, root, isManual);
    if (bar !== null && (isNamed || !isOfList(bar))) bars.add(bar);
  }
  return [...bars];
}

function isNamedTurn(link: ContentElement, isManual: boolean): boolean {
  const types = (link.getAttribute("rel") ?? "").toLowerCase().split(/\s+/);
  if (types.some((type) => TURNS.has(type))) return true;
  if (ACCESS_KEYS.has((link.getAttribute("accesskey") ?? "").toLowerCase())) return true;
  return isManual && TURN_NAME.test(link.className);
}

/** The entries of an index may be signs. */
function isOfList(element: ContentElement): boolean {
  return /^(?:li|ul|ol|dt|dd)$/.test(element.localName) || element.getElementsByTagName("li").length > 0;
}

/** Null if the link stands in a text. */
function barAround(link: ContentElement, root: ContentElement, isManual: boolean): ContentElement | null {
  let bar = link;
  for (let above = link.parentNode; above !== null && above !== root; above = above.parentNode) {
    if (!isBar(above, bar) && !(isManual && isTitledBar(above, bar))) break;
    bar = above;
  }
  return bar === link ? null : bar;
}

/** Whether an element that is named a bar holds nothing but one and its heading: "Navigation". */
function isTitledBar(element: ContentElement, bar: ContentElement): boolean {
  if (bar.localName === "a" || !namesSurroundings(`${element.className} ${element.id}`)) return false;
  if (element.childNodes.length > MAX_NODES) return false;
  return element.childNodes.every(
    (node) =>
      node === bar || (node.nodeType === 3 ? node.data.trim() === "" : isHeading(node) && node.localName !== "h1"),
  );
}

/** `inner`: a bar, or a link of one. */
function isBar(element: ContentElement, inner: ContentElement): boolean {
  const isBox = !PARTS.has(element.localName);
  if (isBox && inner.localName !== "a" && isAlone(inner)) return true;
  const held = { own: 0, linked: 0, links: 0 };
  let linkEnd: unknown = element;
  let nodes = 0;
  for (let node = nextNode(element, element); node !== null; node = nextNode(node, element)) {
    nodes += 1;
    if (nodes > MAX_NODES || isBeyond(held, isBox)) return false;
    if (node === linkEnd) linkEnd = element;
    if (node.nodeType === 3) {
      const text = node.data.trim();
      held[linkEnd === element ? "own" : "linked"] += text.length;
      if (isBox && linkEnd === element && isSentence(text)) return false;
      continue;
    }
    if (isHeading(node) || CONTENT.has(node.localName)) return false;
    // A paragraph beside the bar.
    if (node.localName === "p" && isBox && node !== inner) return false;
    if (node.localName !== "a") continue;
    held.links += 1;
    if (linkEnd === element) linkEnd = nextNode(node, element, true);
  }
  return !isBeyond(held, isBox);
}

function isBeyond({ own, linked, links }: Record<"own" | "linked" | "links", number>, isBox: boolean): boolean {
  return own > (isBox ? MAX_LABEL : MAX_TITLE) || linked > MAX_LINKED || links > MAX_LINKS;
}

function isSentence(text: string): boolean {
  return text.length > MAX_LABEL || text.split(/\s+/).length > MAX_LABEL_WORDS;
}

/** Whether nothing but rules and breaks is beside an element. */
function isAlone(element: ContentElement): boolean {
  return isFree(element, "previousSibling") && isFree(element, "nextSibling");
}

function isFree(element: ContentElement, side: "previousSibling" | "nextSibling"): boolean {
  let node = element[side];
  for (let nodes = 0; node !== null; node = node[side]) {
    nodes += 1;
    const isSpace = node.nodeType === 3 ? node.data.trim() === "" : /^[hb]r$/.test(node.localName);
    if (!isSpace || nodes > MAX_NODES) return false;
  }
  return true;
}
