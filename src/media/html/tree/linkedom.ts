import { DOMParser } from "linkedom/worker";
import { keepShape } from "../../../core/shapes.ts";
import { fitTokenizer, isInForeign, type TokenizerParts, tokenizable } from "./tokenizer.ts";

/**
 * Parses HTML with linkedom, and holds everything that works around it. linkedom has no API for what is changed here,
 * so each change is checked when this module loads, and throws if linkedom is no longer built as expected. The shares
 * of a page's time were measured on pages of 16 kB with 110 links.
 *
 * linkedom keeps close to its input, so a tree here is not always what a browser would build: there is no `html`,
 * `head` or `body` unless the page writes one, nothing is moved out of tables, and only `p`, `li`, cells and the like
 * are closed by what follows. Find things by walking `all`: linkedom's `document.head`, `body` and `title` insert
 * elements, and throw if the page has none.
 */

/** The part of linkedom's Element that is used here. Its own types need the DOM library. */
export interface HtmlElement {
  /** Lower case. */
  readonly localName: string;
  readonly namespaceURI: string;
  readonly textContent: string;
  readonly lastElementChild: HtmlElement | null;
  /** A new list at each call. */
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
}

export interface HtmlDocument {
  /**
   * Every element in document order, a new array at each call. Unlike in browsers, it includes the content of each
   * `template`.
   */
  readonly all: readonly HtmlElement[];
}

/** A node in linkedom's own list of a document: an element, its attributes, its content, its end. */
export interface ListedNode {
  readonly nodeType: number;
  readonly localName?: string;
  readonly name?: string;
  readonly value?: string;
  readonly data?: string;
}

export const ELEMENT = 1;
export const ATTRIBUTE = 2;
export const TEXT = 3;
export const CDATA = 4;
export const COMMENT = 8;
export const END = -1;

/**
 * An element takes about 216 bytes, an attribute or a text 85 to 100: together some 70 MB of the 128 MB that an isolate
 * has.
 */
const MAX_NODES = 500_000;
/**
 * At every tag the parser's stack costs its depth, so only a bounded depth keeps parsing linear. Chrome's limit is 512.
 */
const MAX_DEPTH = 5_000;
/**
 * At each end tag the parser searches all of its stack, even if the element is not there. This many steps take about a
 * second.
 */
const MAX_STACK_LOOKS = 1_000_000_000;

/** A page goes beyond a limit of the tree. */
export class TreeLimit extends RangeError {
  /** The tree of what stands before the limit. */
  readonly document: HtmlDocument;

  constructor(limit: string, document: HtmlDocument) {
    super(limit);
    this.document = document;
  }
}

/** Too much for the memory of an isolate, if there are many links too. */
export class TooManyNodes extends TreeLimit {
  constructor(document: HtmlDocument) {
    super(`more than ${MAX_NODES} nodes`, document);
  }
}

export interface Parser {
  parseFromString(html: string, type: "text/html"): unknown;
}

const parser: Parser = new DOMParser();
let nodesLeft = Number.POSITIVE_INFINITY;
let maxDepth = MAX_DEPTH;
let previous: TrackedElement | null = null;
/** The document of the page that is being parsed: its first node. */
let current: HtmlDocument | null = null;

/**
 * Parses any text, the empty one included. Throws TooManyNodes for more than 500,000 nodes (elements, attributes,
 * texts, comments), and TreeLimit for elements nested deeper than 5,000, or less deep in a page with more than 200,000
 * end tags. Throws for no other input.
 */
export function parseHtml(html: string): HtmlDocument {
  nodesLeft = MAX_NODES;
  maxDepth = Math.min(MAX_DEPTH, Math.floor(MAX_STACK_LOOKS / countEndTags(html)));
  previous = null;
  current = null;
  try {
    return keepShape(parser.parseFromString(tokenizable(html), "text/html") as HtmlDocument);
  } finally {
    nodesLeft = Number.POSITIVE_INFINITY;
    previous = null;
    current = null;
  }
}

/** Returns the node that follows in linkedom's own list of the document. */
export function nextListed(node: ListedNode | HtmlDocument): ListedNode | null {
  return (node as unknown as Record<symbol, ListedNode | null>)[NEXT] ?? null;
}

/**
 * The attributes of an element. Those of a tree come from linkedom's own list: `attributes` makes a proxy at each call.
 */
export function attributesOf(element: HtmlElement | ListedNode): HtmlElement["attributes"] {
  return NEXT in element ? listedAttributes(element as ListedNode) : (element as HtmlElement).attributes;
}

function* listedAttributes(element: ListedNode): Generator<{ name: string; value: string }> {
  for (let node = nextListed(element); node?.nodeType === ATTRIBUTE; node = nextListed(node))
    yield node as ListedNode & { name: string; value: string };
}

/** Keeps the shapes of the parser that `parse` uses. */
export function keepParserShapes(parse: () => void): void {
  watchParser(parse, keepShape);
}

/** Shows the parser that `parse` uses. linkedom does not expose it, but it passes itself to a handler. */
function watchParser(parse: () => void, see: (parser: object) => void): void {
  const handlers = Object.prototype as { onparserinit?: (parser: object) => void };
  let isSeen = false;
  handlers.onparserinit = (parser) => {
    isSeen = true;
    see(parser);
  };
  try {
    parse();
  } finally {
    delete handlers.onparserinit;
  }
  if (!isSeen) throw changed("its parser no longer calls `onparserinit`");
}

function countEndTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf("</"); at !== -1; at = html.indexOf("</", at + 2)) count += 1;
  return count;
}

function changed(what: string): Error {
  return new Error(`linkedom has changed: ${what}`);
}

/** linkedom's internals, as far as they are replaced below. */
interface TrackedElement {
  depth: number;
  parentNode: { depth?: number } | null;
}

interface DocumentPrototype {
  createElement(this: unknown, name: string, options?: unknown): TrackedElement;
  createElementNS(this: unknown, namespace: string, name: string): TrackedElement;
  createAttribute(this: unknown, name: string): unknown;
}

interface AttributeReader {
  getAttributeNode(name: string): { value: string } | null;
}

const NEXT = fitLinkedom(parser);

/**
 * Changes linkedom behind `parser`. Returns the symbol that links its nodes. Throws if linkedom is not built as
 * expected.
 */
export function fitLinkedom(parser: Parser): symbol {
  const next = findNext(parser);
  replaceEventRegistry(parser);
  trackDepth(parser);
  lowerAttributeNames(parser);
  keepClassNamesAsWritten(parser);
  correctTokenizer(parser);
  return next;
}

/**
 * linkedom keeps a document as one list, linked by a private symbol. linkedom's own siblings end at a doctype, and its
 * getters take 0.3 ms more to copy a page, of 5 ms for a page with content.
 */
function findNext(parser: Parser): symbol {
  const symbols = Object.getOwnPropertySymbols(parser.parseFromString("", "text/html") as object);
  const next = symbols.find(({ description }) => description === "next");
  if (next === undefined) throw changed("a document has no symbol named `next`");
  return next;
}

/**
 * Each node registers a Map of event listeners in a private WeakMap: half of the time to parse a page, and half of its
 * memory. Nothing dispatches events here, so the registry gets a `set` that keeps nothing and counts nodes, which
 * bounds them. It is the WeakMap in which a new document registers.
 */
function replaceEventRegistry(parser: Parser): void {
  const { set } = WeakMap.prototype;
  let registry: WeakMap<object, unknown> | undefined;
  WeakMap.prototype.set = function (key, value) {
    registry ??= this;
    return set.call(this, key, value);
  };
  try {
    parser.parseFromString("", "text/html");
  } finally {
    WeakMap.prototype.set = set;
  }
  if (registry === undefined) throw changed("a document registers in no WeakMap");
  registry.set = function (node) {
    current ??= node as HtmlDocument;
    nodesLeft -= 1;
    if (nodesLeft < 0) throw new TooManyNodes(current);
    return this;
  };
}

function documentPrototype(parser: Parser): DocumentPrototype {
  return Object.getPrototypeOf(parser.parseFromString("", "text/html")) as DocumentPrototype;
}

/**
 * Bounds the depth, which costs no time. An element has its parent by the time the next element is made, so its depth
 * is known then.
 */
function trackDepth(parser: Parser): void {
  const prototype = documentPrototype(parser);
  const { createElement, createElementNS } = prototype;
  prototype.createElement = function (name, options) {
    return track(createElement.call(this, name, options));
  };
  prototype.createElementNS = function (namespace, name) {
    return track(createElementNS.call(this, namespace, name));
  };
  for (const html of ["<p></p>", "<svg></svg>"]) {
    previous = null;
    parser.parseFromString(html, "text/html");
    if (previous === null) throw changed(`its parser makes ${html} without \`createElement\` and \`createElementNS\``);
  }
}

function track(element: TrackedElement): TrackedElement {
  if (previous !== null) {
    previous.depth = (previous.parentNode?.depth ?? 0) + 1;
    if (previous.depth > maxDepth && current !== null)
      throw new TreeLimit(`nested deeper than ${maxDepth} elements`, current);
  }
  element.depth = 0;
  previous = element;
  return element;
}

/**
 * linkedom keeps attribute names as written (https://github.com/WebReflection/linkedom/issues/235), and does not find
 * `HREF` as `href`. This is for links that would be lost, not for speed.
 */
function lowerAttributeNames(parser: Parser): void {
  const prototype = documentPrototype(parser);
  const { createAttribute } = prototype;
  prototype.createAttribute = function (name) {
    return createAttribute.call(this, name.toLowerCase());
  };
  const [element] = (parser.parseFromString("<p ID=a></p>", "text/html") as HtmlDocument).all;
  if (element?.getAttribute("id") !== "a") throw changed("its parser does not call `createAttribute`");
}

/**
 * For each `class` that it parses, linkedom splits the list of names and writes it back as arguments of a call: a tenth
 * of the time of a page, and a stack overflow from some 100,000 names on. An attribute that already has its value needs
 * none of that.
 */
function keepClassNamesAsWritten(parser: Parser): void {
  const document = parser.parseFromString("<p></p><svg></svg>", "text/html") as HtmlDocument;
  for (const element of document.all) {
    let owner: object | null = element;
    while (owner !== null && !Object.hasOwn(owner, "className")) owner = Object.getPrototypeOf(owner);
    const accessor = owner === null ? undefined : Object.getOwnPropertyDescriptor(owner, "className");
    if (owner === null || accessor?.set === undefined)
      throw changed(`<${element.localName}> has no accessor \`className\``);
    Object.defineProperty(owner, "className", {
      ...accessor,
      set(this: AttributeReader, value: string) {
        if (this.getAttributeNode("class")?.value !== value) accessor.set?.call(this, value);
      },
    });
  }
}

/** linkedom's parser, as far as it is used here. */
interface ParserParts {
  tokenizer?: TokenizerParts & { cbs?: ParserParts };
  /** The names of the open elements, the innermost first. */
  stack?: readonly string[];
}

function correctTokenizer(parser: Parser): void {
  let seen: ParserParts = {};
  watchParser(
    () => parser.parseFromString("<svg><title></svg>", "text/html"),
    (parts) => {
      seen = parts as ParserParts;
    },
  );
  const { tokenizer, stack } = seen;
  if (tokenizer?.cbs !== seen || stack === undefined) throw changed("its parser has no `tokenizer` and no `stack`");
  fitTokenizer(Object.getPrototypeOf(tokenizer) as typeof tokenizer, ({ cbs }) => isInForeign(cbs?.stack ?? []));
}
