import { ATTRIBUTE, CDATA, ELEMENT, END, type HtmlDocument, nextListed, TEXT } from "../html/tree/linkedom.ts";
import { escapeAttribute, escapeHtml } from "../html/tree/write-html.ts";
import type { WrittenSize } from "../html/tree/written-size.ts";

/** Writes the body of one item of a book, so that all items fit into one page. */

interface ChapterLinks {
  /** The id in the page of an id of this item. */
  idOf: (id: string) => string;
  /** Where an href of this item leads in the page; null for what leads nowhere. */
  hrefOf: (href: string) => string | null;
}

export interface Chapter {
  html: string;
  /** Whether it has a heading of its own. */
  hasHeading: boolean;
  title: string;
  language: string | null;
}

const DROPPED = new Set(
  "head script style template noscript svg canvas object embed applet iframe audio video link meta base img picture source".split(
    " ",
  ),
);
const UNWRAPPED = new Set(["html", "body", "main", "header", "footer", "nav"]);
const VOID = new Set(["br", "hr", "wbr", "col"]);
const KEPT = new Set([
  "colspan",
  "rowspan",
  "start",
  "lang",
  "dir",
  "datetime",
  "cite",
  "title",
  "class",
  "alttext",
  "display",
  "encoding",
]);
/** The title and the language stand in what is dropped and unwrapped. */
const MAX_TITLE = 500;

/** Stops where `size` has no more room. */
export function writeChapter(tree: HtmlDocument, { idOf, hrefOf }: ChapterLinks, size: WrittenSize): Chapter {
  const written: string[] = [];
  const open: string[] = [];
  let skipped = 0;
  let isTitle = false;
  let title = "";
  let language: string | null = null;
  let hasHeading = false;
  for (let node = nextListed(tree); node !== null && !size.isFull; node = nextListed(node)) {
    const { nodeType, localName: name = "" } = node;
    if (nodeType === END) {
      if (skipped > 0) {
        skipped -= 1;
        isTitle = false;
      } else {
        const tag = open.pop() ?? "";
        if (tag !== "") written.push(`</${tag}>`);
      }
    } else if (nodeType === TEXT || nodeType === CDATA) {
      const data = node.data ?? "";
      if (isTitle && title.length < MAX_TITLE) title += data;
      if (skipped > 0) continue;
      const escaped = escapeHtml(data);
      size.addText(escaped);
      written.push(escaped);
    } else if (nodeType === ELEMENT) {
      if (skipped > 0 || DROPPED.has(name)) {
        skipped += 1;
        isTitle ||= name === "title";
        continue;
      }
      const { attributes, lang } = readAttributes(node, name, idOf, hrefOf);
      if (name === "html") language = lang;
      hasHeading ||= /^h[1-6]$/.test(name);
      if (UNWRAPPED.has(name)) {
        // An id of the body is where the item begins.
        const id = / id="[^"]*"/.exec(attributes)?.[0];
        if (id !== undefined) written.push(`<a${id}></a>`);
        open.push("");
        continue;
      }
      size.addElement(attributes);
      written.push(`<${name}${attributes}>`);
      open.push(VOID.has(name) ? "" : name);
    }
  }
  for (const tag of open.reverse()) if (tag !== "") written.push(`</${tag}>`);
  return { html: written.join(""), hasHeading, title: title.trim(), language };
}

function readAttributes(
  element: Parameters<typeof nextListed>[0],
  name: string,
  idOf: ChapterLinks["idOf"],
  hrefOf: ChapterLinks["hrefOf"],
): { attributes: string; lang: string | null } {
  let attributes = "";
  let lang: string | null = null;
  for (let listed = nextListed(element); listed?.nodeType === ATTRIBUTE; listed = nextListed(listed)) {
    const { name: attribute = "", value = "" } = listed;
    let kept: string | null = KEPT.has(attribute) ? value : null;
    if (attribute === "id" || (attribute === "name" && name === "a")) kept = value === "" ? null : idOf(value);
    else if (attribute === "href" && name === "a") kept = hrefOf(value);
    if (attribute === "lang" || attribute === "xml:lang") lang = value.trim() || lang;
    if (kept === null) continue;
    const written = attribute === "name" ? "id" : attribute;
    if (!attributes.includes(` ${written}="`)) attributes += ` ${written}="${escapeAttribute(kept)}"`;
  }
  return { attributes, lang };
}
