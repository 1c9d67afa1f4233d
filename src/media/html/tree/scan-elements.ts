import { Tokenizer } from "htmlparser2";
import type { ElementContent } from "../article/anchor-contexts.ts";
import type { HtmlElement } from "./linkedom.ts";
import { fitTokenizer, type TokenizerParts, tokenizable } from "./tokenizer.ts";

/**
 * Visits the elements of a page one after the other and keeps none of them: for pages that are too large for a tree. It
 * uses the tokenizer of linkedom's parser without that parser's stack, so the time is linear in the length of the page,
 * however deep it is nested.
 */

const HTML = "http://www.w3.org/1999/xhtml";
const FOREIGN = new Set(["svg", "math"]);
/** Their text is part of what the visitor reads, so they are visited at their end. */
const WITH_TEXT = new Set(["title", "script", "style"]);
/** Further attributes of one element are left out. */
const MAX_ATTRIBUTES = 1_000;

class ScannedElement implements HtmlElement {
  readonly lastElementChild = null;
  readonly localName: string;
  readonly namespaceURI: string;
  readonly attributes: { name: string; value: string }[] = [];
  textContent = "";

  constructor(localName: string, namespaceURI: string) {
    this.localName = localName;
    this.namespaceURI = namespaceURI;
  }

  /** If an attribute is written twice, the first value counts. */
  getAttribute(name: string): string | null {
    return this.attributes.find((attribute) => attribute.name === name)?.value ?? null;
  }
}

/** `visit` says what to do with the content of the element. Only titles, scripts and styles have their text. */
export function scanElements(html: string, visit: (element: HtmlElement) => ElementContent): void {
  const text = tokenizable(html);
  let element: ScannedElement | null = null;
  let attribute: { name: string; value: string } | null = null;
  /** An element whose text is being read. */
  let withText: ScannedElement | null = null;
  let foreignDepth = 0;
  /** While content is skipped: the name of its element, and how many of that name are open. */
  let skipped: { name: string; depth: number } | null = null;

  const visitNow = (visited: ScannedElement, isEmpty: boolean) => {
    const content = visit(visited);
    if (content === "text") tokenizer.pause();
    else if (content === "skipped" && !isEmpty) skipped = { name: visited.localName, depth: 1 };
  };
  const endOpenTag = (isSelfClosing: boolean) => {
    if (element === null) return;
    const opened = element;
    element = null;
    const { localName } = opened;
    const isEmpty = isSelfClosing && (foreignDepth > 0 || FOREIGN.has(localName));
    if (skipped !== null) {
      if (localName === skipped.name && !isEmpty) skipped.depth += 1;
      return;
    }
    if (FOREIGN.has(localName) && !isEmpty) foreignDepth += 1;
    if (WITH_TEXT.has(localName) && !isSelfClosing) withText = opened;
    else visitNow(opened, isEmpty);
  };
  const endText = () => {
    if (withText === null) return;
    const read = withText;
    withText = null;
    visitNow(read, true);
  };

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        endText();
        element = new ScannedElement(text.slice(start, end).toLowerCase(), foreignDepth > 0 ? "" : HTML);
      },
      onattribname(start, end) {
        attribute = { name: text.slice(start, end).toLowerCase(), value: "" };
      },
      onattribdata(start, end) {
        if (attribute !== null) attribute.value += text.slice(start, end);
      },
      onattribentity(codePoint) {
        if (attribute !== null) attribute.value += String.fromCodePoint(codePoint);
      },
      onattribend() {
        if (attribute !== null && element !== null && element.attributes.length < MAX_ATTRIBUTES)
          element.attributes.push(attribute);
        attribute = null;
      },
      onopentagend: () => endOpenTag(false),
      onselfclosingtag: () => endOpenTag(true),
      onclosetag(start, end) {
        const name = text.slice(start, end).toLowerCase();
        endText();
        if (skipped !== null) {
          if (name === skipped.name) skipped.depth -= 1;
          if (skipped.depth === 0) skipped = null;
        } else if (FOREIGN.has(name) && foreignDepth > 0) foreignDepth -= 1;
      },
      ontext(start, end) {
        if (withText !== null) withText.textContent += text.slice(start, end);
      },
      ontextentity(codePoint) {
        if (withText !== null) withText.textContent += String.fromCodePoint(codePoint);
      },
      oncdata: () => undefined,
      oncomment: () => undefined,
      ondeclaration: () => undefined,
      onend: endText,
      onprocessinginstruction: () => undefined,
    },
  );
  fitTokenizer(tokenizer as unknown as TokenizerParts, () => foreignDepth > 0);
  tokenizer.write(text);
  tokenizer.end();
}
