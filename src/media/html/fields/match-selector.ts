import { compile } from "css-select"; // its adapter is the place to count what it does
import { parse } from "css-what";
import {
  ELEMENT,
  END,
  type HtmlDocument,
  type HtmlElement,
  type ListedNode,
  nextListed,
  TEXT,
} from "../tree/linkedom.ts";
import { ALL_BUT } from "./all-but.ts";

/**
 * Matches selectors with the elements of a page at a bounded cost: css-select sees the tree through an adapter that
 * counts what it looks at. So neither a page nor a selector can take more than a second together.
 */

/** Looks of all selectors of a page together: at most about half a second. An ordinary selector takes 3 an element. */
export const MAX_SELECTOR_LOOKS = 5_000_000;

/** linkedom's element, as far as selectors need it. */
interface TreeElement extends HtmlElement {
  readonly nodeType: number;
  readonly parentNode: TreeElement | null;
  readonly childNodes: ArrayLike<TreeElement> & Iterable<TreeElement>;
  /** `getAttribute` gives an empty text for a class that is missing. */
  hasAttribute(name: string): boolean;
}

const isTag = (node: { nodeType?: number }): boolean => node.nodeType === ELEMENT;
const isTagOrText = ({ nodeType }: TreeElement): boolean => nodeType === ELEMENT || nodeType === TEXT;

/** The selectors have looked at more than they may. */
export class TooManyLooks extends RangeError {}

/** Selects in one page. Reading its fields shares one budget. */
export class Selecting {
  readonly #tree: CountedTree;
  readonly #elements: readonly TreeElement[];

  constructor(document: HtmlDocument, looks = MAX_SELECTOR_LOOKS) {
    this.#elements = seenElements(document);
    this.#tree = new CountedTree(this.#elements, looks);
  }

  get elements(): readonly HtmlElement[] {
    return this.#elements;
  }

  /** In the order of the page. Throws TooManyLooks, and for what is not a selector. */
  *matches(selector: string): Generator<HtmlElement> {
    const options = { adapter: this.#tree as never };
    const test = compile(selector, options) as unknown as (element: TreeElement) => boolean;
    for (const element of this.#elements) {
      this.#tree.look(1);
      if (test(element)) yield element;
    }
  }

  /** Takes looks for work beside selectors. */
  look(count: number): void {
    this.#tree.look(count);
  }

  /** The longest beginning of a selector that matches something, for a message about one that does not. */
  matchedPart(selector: string): { part: string; count: number } | null {
    try {
      for (const part of beginnings(selector)) {
        let count = 0;
        for (const _ of this.matches(part)) count += 1;
        if (count > 0) return { part, count };
      }
    } catch {
      // The page is too large to say more.
    }
    return null;
  }
}

/**
 * The elements that one of the selectors matches, at any cost: `selectorProblem` refuses dear ones. Throws for what is
 * not a selector.
 */
export function selectElements(document: HtmlDocument, selectors: readonly string[]): ReadonlySet<HtmlElement> {
  if (selectors.length === 0) return new Set();
  const selecting = new Selecting(document, Number.POSITIVE_INFINITY);
  const only = selectors.flatMap((one) => (one.startsWith(ALL_BUT) ? [one.slice(ALL_BUT.length)] : []));
  const plain = selectors.filter((one) => !one.startsWith(ALL_BUT));
  const matched = plain.length === 0 ? [] : selecting.matches(plain.join(","));
  const kept = only.length === 0 ? [] : [...selecting.matches(only.join(","))];
  return new Set([...matched, ...elementsOutside(selecting.elements, kept)]);
}

/** In one pass, where `:not(:has())` looks through the rest of the page for each element. None if none is kept. */
function elementsOutside(elements: readonly HtmlElement[], kept: readonly HtmlElement[]): HtmlElement[] {
  if (kept.length === 0) return [];
  const inside = new Set<unknown>(kept);
  const around = new Set<unknown>();
  for (const element of kept)
    for (let at = parentOf(element); at !== null && !around.has(at); at = parentOf(at)) around.add(at);
  const inBody = new Set<unknown>();
  return elements.filter((element) => {
    const parent = parentOf(element);
    if (inside.has(parent)) inside.add(element);
    if (element.localName === "body" || !(inBody.has(parent) || isBody(parent))) return false;
    inBody.add(element);
    return !inside.has(element) && !around.has(element);
  });
}

function parentOf(element: object): HtmlElement | null {
  return (element as { parentNode: HtmlElement | null }).parentNode;
}

function isBody(element: HtmlElement | null): boolean {
  return element?.localName === "body";
}

/** The beginnings of a selector without alternatives, longest first, without itself. */
function beginnings(selector: string): string[] {
  const steps = ["descendant", "child", "adjacent", "sibling"];
  if (parse(selector).length !== 1) return [];
  const found: string[] = [];
  // A combinator in brackets or a string is no end; such a beginning is no selector, or not one of as many steps.
  for (let at = selector.length - 1; at > 0; at--) {
    if (!/[\s>+~]/.test(selector[at] ?? "")) continue;
    const beginning = selector.slice(0, at).replace(/[\s>+~]+$/, "");
    if (beginning === "" || beginning === found.at(-1)) continue;
    try {
      const [parsed = []] = parse(beginning);
      if (!steps.includes(parsed.at(-1)?.type ?? "")) found.push(beginning);
    } catch {
      // It ends within a string or in brackets.
    }
  }
  return found.slice(0, 8);
}

/** The elements that a browser would match: none in a `template`. */
function seenElements(document: HtmlDocument): TreeElement[] {
  const hidden = new Set<unknown>();
  return (document.all as readonly TreeElement[]).filter((element) => {
    const { parentNode } = element;
    if (hidden.has(parentNode)) {
      hidden.add(element);
      return false;
    }
    if (element.localName === "template" && element.getAttribute("shadowrootmode") === null) hidden.add(element);
    return true;
  });
}

/** css-select's adapter. A list counts by its length, a text by what it is long. */
class CountedTree {
  #left: number;
  readonly #roots: readonly TreeElement[];
  /** The elements and texts in each element, because linkedom makes a new list at each call. */
  readonly #children = new Map<TreeElement, readonly TreeElement[]>();

  constructor(elements: readonly TreeElement[], looks: number) {
    this.#roots = elements.filter(({ parentNode }) => parentNode === null || !isTag(parentNode));
    this.#left = looks;
  }

  look(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManyLooks("the selectors would take too long on this page");
  }

  readonly isTag = isTag;

  readonly getName = ({ localName }: TreeElement): string => {
    this.look(1);
    return localName.toLowerCase();
  };

  readonly getAttributeValue = (element: TreeElement, name: string): string | undefined => {
    const value = this.hasAttrib(element, name) ? (element.getAttribute(name) ?? undefined) : undefined;
    this.look(value === undefined ? 0 : value.length >> 4);
    return value;
  };

  readonly hasAttrib = (element: TreeElement, name: string): boolean => {
    this.look(2);
    return element.hasAttribute(name);
  };

  readonly getParent = ({ parentNode }: TreeElement): TreeElement | null => {
    this.look(1);
    return parentNode;
  };

  readonly getChildren = (element: TreeElement): readonly TreeElement[] => {
    const known = this.#children.get(element);
    const children = known ?? [...element.childNodes].filter(isTagOrText);
    if (known === undefined) this.#children.set(element, children);
    this.look(1 + children.length);
    return children;
  };

  readonly getSiblings = (element: TreeElement): readonly TreeElement[] => {
    const { parentNode } = element;
    if (parentNode !== null && isTag(parentNode)) return this.getChildren(parentNode);
    this.look(this.#roots.length);
    return this.#roots;
  };

  /** For `:contains` and `:empty`. */
  readonly getText = (start: TreeElement): string => {
    let text = "";
    let depth = 0;
    let nodes = 0;
    for (let node = start as ListedNode | null; node !== null; node = nextListed(node)) {
      nodes += 1;
      if (node.nodeType === TEXT) text += node.data ?? "";
      else if (node.nodeType === ELEMENT) depth += 1;
      else if (node.nodeType === END) depth -= 1;
      if (depth === 0) break;
    }
    this.look(nodes + (text.length >> 2));
    return text;
  };

  readonly existsOne = (test: (element: TreeElement) => boolean, elements: readonly TreeElement[]): boolean =>
    this.findOne(test, elements) !== null;

  readonly findOne = (
    test: (element: TreeElement) => boolean,
    elements: readonly TreeElement[],
  ): TreeElement | null => {
    const waiting = [...elements].reverse();
    for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
      if (!isTag(element)) continue;
      if (test(element)) return element;
      const children = this.getChildren(element);
      for (let at = children.length - 1; at >= 0; at--) waiting.push(children[at] as TreeElement);
    }
    return null;
  };

  readonly findAll = (test: (element: TreeElement) => boolean, elements: readonly TreeElement[]): TreeElement[] => {
    const found: TreeElement[] = [];
    this.findOne((element) => {
      if (test(element)) found.push(element);
      return false;
    }, elements);
    return found;
  };

  readonly removeSubsets = (elements: TreeElement[]): TreeElement[] => elements;
}
