import type { HtmlElement } from "../tree/linkedom.ts";
import { elementText } from "./element-text.ts";
import type { Selecting } from "./match-selector.ts";

/**
 * Proposes a selector for an element that is likely to fit the other pages of a site too: by what an element is called,
 * or by the label before it, rather than by where it stands.
 */

interface ProposedSelector {
  selector: string;
  /** A name for what it selects. */
  name: string;
  /** The number of elements that it matches. */
  count: number;
}

type NestedElement = HtmlElement & { readonly parentNode: NestedElement | null };

/** Attributes that say what an element is. Tests use some of them, so they stay when a design changes. */
const NAMING = [
  "itemprop",
  "property",
  "data-testid",
  "data-test",
  "data-test-id",
  "data-qa",
  "data-cy",
  "data-field",
  "data-name",
];
/** Elements of which a page has one, with the names of what they hold. */
const TAGS = new Map([
  ["h1", "title"],
  ["time", "date"],
  ["main", "text"],
  ["article", "text"],
]);
const MAX_CLASSES = 20;
/** Levels above an element that are asked for a name. */
const MAX_LEVELS = 6;
const MAX_LABEL = 40;

/** The first elements of all ids, classes and names of a page. */
export class SelectorIndex {
  readonly #found = new Map<string, { first: HtmlElement; count: number }>();

  constructor(elements: readonly HtmlElement[]) {
    for (const element of elements) for (const { selector } of ownSelectors(element)) this.#add(selector, element);
  }

  #add(selector: string, element: HtmlElement): void {
    const known = this.#found.get(selector);
    if (known === undefined) this.#found.set(selector, { first: element, count: 1 });
    else known.count += 1;
  }

  /** The number of elements, if this is the first one; else 0. */
  countFrom(selector: string, element: HtmlElement): number {
    const known = this.#found.get(selector);
    return known?.first === element ? known.count : 0;
  }
}

/** Null if nothing selects the element first. */
export function proposeSelector(
  element: HtmlElement,
  index: SelectorIndex,
  selecting: Selecting,
): ProposedSelector | null {
  const nested = element as NestedElement;
  const own = ownSelectors(element);
  for (const { selector, name } of own) {
    const count = index.countFrom(selector, element);
    // A list is as good as one element, but a class of a hundred cells says little.
    if (count > 0 && count <= 50) return { selector, name, count };
  }
  const label = labelOf(nested);
  if (label !== null && isFirst(label.selector, element, selecting)) return { ...label, count: 1 };
  const anchor = anchorOf(nested, index);
  if (anchor === null) return null;
  const [{ selector: last, name } = { selector: element.localName, name: anchor.name }] = own;
  for (const step of [last, element.localName]) {
    const selector = `${anchor.selector} ${step}`;
    if (isFirst(selector, element, selecting)) return { selector, name: step === last ? name : anchor.name, count: 1 };
  }
  const path = pathBelow(nested, anchor.element);
  return isFirst(path, element, selecting) ? { selector: path, name: anchor.name, count: 1 } : null;
}

/** From the surest to the vaguest. */
function ownSelectors(element: HtmlElement): { selector: string; name: string }[] {
  const { localName: tag } = element;
  const found: { selector: string; name: string }[] = [];
  const id = element.getAttribute("id");
  if (id !== null && isLasting(id)) found.push({ selector: `#${id}`, name: wordOf(id) });
  for (const attribute of NAMING) {
    const value = element.getAttribute(attribute);
    if (value !== null && /^[\w:. -]{1,60}$/.test(value))
      found.push({ selector: `${tag}[${attribute}="${value}"]`, name: wordOf(value) });
  }
  for (const name of (element.getAttribute("class") ?? "").slice(0, 2_000).split(/\s+/, MAX_CLASSES))
    if (isLasting(name)) found.push({ selector: `${tag}.${name}`, name: wordOf(name) });
  const name = TAGS.get(tag);
  if (name !== undefined) found.push({ selector: tag, name });
  return found;
}

/** Names that a build makes change with each build: `css-1q8dd3e`, `sc-bdVaJa`, `jss123`. */
function isLasting(name: string): boolean {
  return (
    /^[A-Za-z][\w-]{1,59}$/.test(name) &&
    !/\d{3}|^(?:css|sc|jss|ember|react)-|[a-z]\d[a-z]|(?:[a-z][A-Z]){3}/.test(name)
  );
}

function wordOf(name: string): string {
  return name
    .replace(/^.*[:.]/, "")
    .replace(/[^\p{L}\p{N}_-]+/gu, "_")
    .replace(/__+/g, "_")
    .replace(/^[_-]+|(?<![_-])[_-]+$/g, "");
}

/** The cell beside a heading, or the description after a term. */
function labelOf(element: NestedElement): { selector: string; name: string } | null {
  const isTerm = element.localName === "dd";
  if (!isTerm && element.localName !== "td") return null;
  const { previousElementSibling: before } = element as unknown as { previousElementSibling: HtmlElement | null };
  if (before === null || !["dt", "th", "td"].includes(before.localName)) return null;
  const label = elementText(before, MAX_LABEL).replace(/\s*:$/, "");
  if (label === "" || label.length >= MAX_LABEL || /["\\]/.test(label)) return null;
  return {
    selector: `${before.localName}:contains("${label}") + ${element.localName}`,
    name: wordOf(label).toLowerCase(),
  };
}

/** The nearest element above that has a name of its own. */
function anchorOf(
  element: NestedElement,
  index: SelectorIndex,
): { selector: string; name: string; element: HtmlElement } | null {
  let above = element.parentNode;
  for (let level = 0; above !== null && above.getAttribute !== undefined && level < MAX_LEVELS; level++) {
    for (const { selector, name } of ownSelectors(above))
      if (index.countFrom(selector, above) === 1) return { selector, name, element: above };
    above = above.parentNode;
  }
  return null;
}

/** By places among siblings: the last resort. */
function pathBelow(element: NestedElement, anchor: HtmlElement): string {
  const steps: string[] = [];
  let at: NestedElement | null = element;
  for (; at !== null && at !== anchor; at = at.parentNode) steps.unshift(`${at.localName}:nth-of-type(${placeOf(at)})`);
  return [ownSelectors(anchor)[0]?.selector ?? anchor.localName, ...steps].join(" > ");
}

function placeOf(element: NestedElement): number {
  let place = 1;
  let before = (element as unknown as { previousElementSibling: HtmlElement | null }).previousElementSibling;
  while (before !== null) {
    if (before.localName === element.localName) place += 1;
    before = (before as unknown as { previousElementSibling: HtmlElement | null }).previousElementSibling;
  }
  return place;
}

function isFirst(selector: string, element: HtmlElement, selecting: Selecting): boolean {
  for (const first of selecting.matches(selector)) return first === element;
  return false;
}
