import { DOMParser } from "linkedom/worker";
import { keepShape } from "../../core/shapes.ts";

/**
 * HTML to a tree, with linkedom fitted for a crawler: bounded, attribute names in lower case, and without the bookkeeping for events.
 *
 * linkedom keeps close to its input, so a tree here is not always what a browser would build: there is no `html`, `head` or `body`
 * where the page wrote none, nothing is moved out of tables, and only `p`, `li`, cells and their like are closed by what follows.
 * Find things by walking `all`: linkedom's `document.head`, `body` and `title` insert elements, and throw where the page has none.
 */

/** What is used of linkedom's Element, whose own types need the DOM library. */
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
  /** Every element in document order, a new array at each call. Unlike in browsers, it goes into `template`s. */
  readonly all: readonly HtmlElement[];
}

/** About 216 bytes for an element and 85 to 100 for an attribute or a text: some 70 MB of the 128 MB that an isolate has. */
const MAX_NODES = 500_000;
/** The parser's stack costs its depth at every tag, so depth must be bounded for the whole to stay linear. Chrome's limit is 512. */
const MAX_DEPTH = 5_000;
/** At an end tag the parser looks for its element through all of the stack, also where there is none. This many looks take about a second. */
const MAX_STACK_LOOKS = 1_000_000_000;

const parser = new DOMParser();
let nodesLeft = Number.POSITIVE_INFINITY;
let maxDepth = MAX_DEPTH;
let previous: TrackedElement | null = null;

/**
 * Parses any text, the empty one included. Throws RangeError for a page of more than 500,000 nodes (elements, attributes, texts,
 * comments) or with elements nested deeper than 5,000, or less where there are more than 200,000 end tags; for no other input.
 */
export function parseHtml(html: string): HtmlDocument {
  nodesLeft = MAX_NODES;
  maxDepth = Math.min(MAX_DEPTH, Math.floor(MAX_STACK_LOOKS / countEndTags(html)));
  previous = null;
  try {
    return keepShape(parser.parseFromString(tokenizable(html), "text/html") as unknown as HtmlDocument);
  } finally {
    nodesLeft = Number.POSITIVE_INFINITY;
    previous = null;
  }
}

/**
 * Parses a sample, of which the parser itself is kept too: linkedom lets nobody have it, but it tells its handlers of itself, and theirs has
 * what every object has.
 */
export function keepParserShapes(html: string): void {
  const handlers = Object.prototype as { onparserinit?: (parser: object) => void };
  handlers.onparserinit = keepShape;
  try {
    parseHtml(html);
  } finally {
    delete handlers.onparserinit;
  }
}

/**
 * Two states of the standard's tokenizer that htmlparser2 does not have: NUL is U+FFFD (in text it would be dropped, but text is not
 * looked at), and `--!>` ends a comment, without which the rest of the page would be one.
 * https://html.spec.whatwg.org/multipage/parsing.html#comment-end-bang-state
 */
function tokenizable(html: string): string {
  return html.replaceAll("\0", "\uFFFD").replaceAll("--!>", "-->");
}

function countEndTags(html: string): number {
  let count = 0;
  for (let at = html.indexOf("</"); at !== -1; at = html.indexOf("</", at + 2)) count += 1;
  return count;
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

replaceEventRegistry();
boundDepthAndLowerAttributes();
keepClassNamesAsWritten();

/**
 * Every linkedom node registers a Map of listeners in one private WeakMap, and that is half of the time to parse a page and of its memory. Nothing dispatches events here, so the registry gets a `set` of its own, which keeps nothing and counts the nodes.
 * It is found by watching which WeakMap a new document registers in.
 */
function replaceEventRegistry(): void {
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
  if (registry === undefined) return;
  registry.set = function () {
    nodesLeft -= 1;
    if (nodesLeft < 0) throw new RangeError(`more than ${MAX_NODES} nodes`);
    return this;
  };
}

/**
 * Depth is known of an element when the next one is made, for by then it has its parent.
 * Attribute names come as written from linkedom (https://github.com/WebReflection/linkedom/issues/235), and `HREF` is not found as `href`.
 */
function boundDepthAndLowerAttributes(): void {
  const prototype = Object.getPrototypeOf(parser.parseFromString("", "text/html")) as DocumentPrototype;
  const { createElement, createElementNS, createAttribute } = prototype;
  prototype.createElement = function (name, options) {
    return track(createElement.call(this, name, options));
  };
  prototype.createElementNS = function (namespace, name) {
    return track(createElementNS.call(this, namespace, name));
  };
  prototype.createAttribute = function (name) {
    return createAttribute.call(this, name.toLowerCase());
  };
}

function track(element: TrackedElement): TrackedElement {
  if (previous !== null) {
    previous.depth = (previous.parentNode?.depth ?? 0) + 1;
    if (previous.depth > maxDepth) throw new RangeError(`nested deeper than ${maxDepth} elements`);
  }
  element.depth = 0;
  previous = element;
  return element;
}

/**
 * For each `class` that it parses, linkedom takes the list of names apart and writes it back, as arguments of a call: slow, and a stack
 * overflow from some 100,000 names on. An attribute that has its value already needs none of that.
 */
function keepClassNamesAsWritten(): void {
  const document = parser.parseFromString("<p></p><svg></svg>", "text/html") as unknown as HtmlDocument;
  for (const element of document.all) {
    let owner: object = element;
    while (!Object.hasOwn(owner, "className")) owner = Object.getPrototypeOf(owner);
    const accessor = Object.getOwnPropertyDescriptor(owner, "className");
    Object.defineProperty(owner, "className", {
      ...accessor,
      set(this: AttributeReader, value: string) {
        if (this.getAttributeNode("class")?.value !== value) accessor?.set?.call(this, value);
      },
    });
  }
}
