import { inPieces } from "../../../core/in-pieces.ts";
import { type ContentElement, startOfText } from "../article/content-tree.ts";

/** Writes content as HTML that is safe to show anywhere: only passive elements and attributes, all URLs absolute. */

const VOID = new Set("br col hr img input source".split(" "));
/** Other elements lose their tags and keep their content. */
const ELEMENTS = new Set(
  (
    "a abbr address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup data dd del details dfn dir div " +
    "dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd li main mark menu nav ol p picture pre q rp " +
    "rt ruby s samp section small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var video"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "alt cite colspan datetime dir href hreflang lang open poster rowspan scope src srcset start summary title value align checked width " +
    "height"
  ).split(" "),
);
/** Names the language of code. */
const CODE_CLASS = /(?:^|\s)((?:language|lang)-[\w+#-]{1,30})(?:\s|$)/;

/** Writes an element with its own tag. */
export function writeElement(element: ContentElement): string {
  const written: string[] = [];
  if (ELEMENTS.has(element.localName)) writeStartTag(element, written);
  written.push(writeHtml(element));
  writeEndTag(element, written);
  return written.join("");
}

/** Writes the content of `root`, without its own tag. */
export function writeHtml(root: ContentElement): string {
  const written: string[] = [];
  let node = root.firstChild;
  while (node !== null) {
    if (node.nodeType === 3) written.push(escapeHtml(node.data));
    else {
      if (ELEMENTS.has(node.localName)) writeStartTag(node, written);
      if (node.firstChild !== null) {
        node = node.firstChild;
        continue;
      }
      writeEndTag(node, written);
    }
    while (node.nextSibling === null) {
      const above: ContentElement | null = node.parentNode;
      if (above === null || above === root) return written.join("").trim();
      writeEndTag(above, written);
      node = above;
    }
    node = node.nextSibling;
  }
  return written.join("").trim();
}

function writeStartTag(element: ContentElement, written: string[]): void {
  const { localName } = element;
  written.push("<", localName);
  for (const { name, value } of element.attributes)
    if (ATTRIBUTES.has(name)) written.push(" ", name, '="', escapeAttribute(value), '"');
  if (localName === "code" || localName === "pre") {
    const language = CODE_CLASS.exec(element.className)?.[1];
    if (language !== undefined) written.push(' class="', language, '"');
  } else if (localName === "input") written.push(' type="checkbox" disabled');
  written.push(">");
  // A parser drops the first newline, so it is doubled.
  if (localName === "pre" && startOfText(element, 1) === "\n") written.push("\n");
}

function writeEndTag({ localName }: ContentElement, written: string[]): void {
  if (ELEMENTS.has(localName) && !VOID.has(localName)) written.push("</", localName, ">");
}

/** For text between tags. In an attribute, a quote would still end the value. */
export function escapeHtml(text: string): string {
  return /[&<>]/.test(text) ? inPieces(text, escapePiece) : text;
}

function escapePiece(piece: string): string {
  return piece.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** For a value in double quotes. */
export function escapeAttribute(value: string): string {
  return inPieces(escapeHtml(value), (piece) => piece.replaceAll('"', "&quot;"));
}
