import type { PagePart } from "../../document.ts";
import type { Canonicalize } from "../../links/links.ts";
import { findSrcsetUrls } from "../links/srcset.ts";
import { ELEMENT, type HtmlDocument, type HtmlElement } from "../tree/linkedom.ts";
import { describedThings, type JsonObject, parseJsonLd } from "./json-ld.ts";
import { isPassing, withoutPassing } from "./passing-values.ts";

/**
 * Reads what a page says beside its text: where its links lead, its pictures, and the data in its attributes, `meta`
 * elements and JSON-LD. Each part has its place in the page, by the names and classes of its elements, so that a place
 * that differs at each visit can be told from the others.
 */

/** The last parent is the document, which is no element. */
type PlacedElement = HtmlElement & { readonly nodeType: number; readonly parentNode: PlacedElement | null };

const MAX_PARTS = 20_000;
/** Characters of all values together. */
const MAX_CHARACTERS = 2_000_000;
const MAX_VALUE = 2_048;
/** Elements around an element that name its place. */
const MAX_LEVELS = 8;
/** Levels of JSON-LD. */
const MAX_DEPTH = 8;
/** Attributes with words that people see or hear, on any element. */
const WORDED = new Set(["alt", "title", "aria-label", "placeholder", "label"]);
/** Elements whose `value` or `datetime` is what the page says. */
const VALUED: Record<string, string> = {
  data: "value",
  time: "datetime",
  meter: "value",
  progress: "value",
  option: "value",
  button: "value",
};

/** In document order, without those of the elements that are `ignored`. `base`: the document's base URL. */
export function readPageParts(
  document: HtmlDocument,
  base: string,
  canonicalize: Canonicalize,
  ignored: ReadonlySet<unknown> = new Set(),
): PagePart[] {
  const found = new FoundParts((href) => canonicalize(href, base) ?? href);
  for (const element of document.all as readonly PlacedElement[]) {
    if (found.isFull) break;
    if (ignored.size > 0 && isWithin(element, ignored)) continue;
    readElement(element, found);
  }
  return found.parts;
}

function isWithin(element: PlacedElement, ignored: ReadonlySet<unknown>): boolean {
  for (let at: PlacedElement | null = element; at !== null; at = at.parentNode) if (ignored.has(at)) return true;
  return false;
}

class FoundParts {
  readonly parts: PagePart[] = [];
  readonly #places = new Map<PlacedElement, string>();
  readonly #resolve: (href: string) => string;
  #characters = 0;

  constructor(resolve: (href: string) => string) {
    this.#resolve = resolve;
  }

  get isFull(): boolean {
    return this.parts.length >= MAX_PARTS || this.#characters >= MAX_CHARACTERS;
  }

  /** A value of the element under a name of its own; null and empty ones do not count, nor do those that pass. */
  add(kind: PagePart["kind"], element: PlacedElement, name: string, value: string | null): void {
    if (value !== null) this.addAt(kind, `${this.#placeOf(element)} ${name}`, value);
  }

  addUrl(kind: PagePart["kind"], element: PlacedElement, name: string, href: string | null): void {
    if (href === null || href.trim() === "" || /^\s*(?:data|blob|javascript):/i.test(href)) return;
    this.add(kind, element, name, withoutPassing(this.#resolve(href)));
  }

  addAt(kind: PagePart["kind"], place: string, written: string): void {
    const value = written.trim().slice(0, MAX_VALUE);
    if (value === "" || this.isFull || isPassing(value)) return;
    this.#characters += value.length;
    this.parts.push({ kind, place, value });
  }

  #placeOf(element: PlacedElement): string {
    const known = this.#places.get(element);
    if (known !== undefined) return known;
    const names: string[] = [];
    for (let at: PlacedElement | null = element; at?.nodeType === ELEMENT; at = at.parentNode)
      if (names.push(nameOf(at)) === MAX_LEVELS) break;
    const place = names.reverse().join(">");
    this.#places.set(element, place);
    return place;
  }
}

/** What follows a digit in a class is often drawn, or counts: it is no part of the place. */
function nameOf(element: PlacedElement): string {
  const [first = ""] = (element.getAttribute("class") ?? "").trim().split(/\s+/, 1);
  if (first === "") return element.localName;
  const digit = first.search(/\d/);
  return `${element.localName}.${digit === -1 ? first.slice(0, 40) : `${first.slice(0, Math.min(digit, 40))}#`}`;
}

function readElement(element: PlacedElement, found: FoundParts): void {
  const attribute = (name: string) => element.getAttribute(name);
  const url = (kind: PagePart["kind"], name: string) => found.addUrl(kind, element, name, attribute(name));
  const srcset = (name: string) => {
    for (const { url: href } of findSrcsetUrls(attribute(name) ?? "")) found.addUrl("image", element, name, href);
  };
  switch (element.localName) {
    case "a":
    case "area":
      url("link", "href");
      break;
    case "iframe":
    case "frame":
    case "embed":
      url("link", "src");
      break;
    case "link":
      found.addUrl("data", element, `${(attribute("rel") ?? "").toLowerCase()} href`, attribute("href"));
      break;
    case "img":
    case "source":
    case "audio":
      for (const name of ["src", "data-src"]) url("image", name);
      for (const name of ["srcset", "data-srcset"]) srcset(name);
      break;
    case "video":
      for (const name of ["poster", "src"]) url("image", name);
      break;
    case "image":
    case "use":
      for (const name of ["href", "xlink:href"]) url("image", name);
      break;
    case "script":
      if (/^\s*application\/ld\+json/i.test(attribute("type") ?? "")) addJsonLd(element.textContent, found);
      else url("data", "src");
      return;
    case "meta":
      addMeta(element, found);
      return;
    case "input":
      if (!/^\s*(?:hidden|password)/i.test(attribute("type") ?? ""))
        addNamed(element, "value", attribute("name"), found);
      break;
  }
  const valued = VALUED[element.localName] ?? (attribute("itemprop") === null ? undefined : "content");
  if (valued !== undefined) addNamed(element, valued, attribute("itemprop"), found);
  for (const { name, value } of element.attributes)
    if (WORDED.has(name) || (name.startsWith("data-") && !name.endsWith("src") && !name.endsWith("srcset")))
      addNamed(element, name, null, found, value);
}

/** An attribute, unless its name, or that of its element, says that it passes. */
function addNamed(
  element: PlacedElement,
  attribute: string,
  named: string | null,
  found: FoundParts,
  value = element.getAttribute(attribute),
): void {
  const name = named === null ? attribute : `${attribute} ${named}`;
  const kind = element.localName === "img" && attribute === "alt" ? "image" : "data";
  if (!isPassingName(name)) found.add(kind, element, name, value);
}

function addMeta(element: PlacedElement, found: FoundParts): void {
  for (const names of ["name", "property", "itemprop", "http-equiv"]) {
    const name = element.getAttribute(names);
    if (name === null) continue;
    if (!isPassingName(name)) found.addAt("data", `meta ${name.toLowerCase()}`, element.getAttribute("content") ?? "");
    return;
  }
}

/** Each value by its path, so that a price and a number that is drawn anew are two places. */
function addJsonLd(script: string, found: FoundParts): void {
  for (const thing of describedThings(parseJsonLd([script]))) addValues(thing, `json-ld ${typeOf(thing)}`, 0, found);
}

function addValues(value: unknown, path: string, depth: number, found: FoundParts): void {
  if (depth > MAX_DEPTH || found.isFull) return;
  if (Array.isArray(value)) for (const one of value) addValues(one, path, depth + 1, found);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (!isPassingName(name)) addValues(inner, `${path}.${name}`, depth + 1, found);
    }
  else if (value !== null && value !== undefined) found.addAt("data", path, String(value));
}

function typeOf(thing: JsonObject): string {
  const type = thing["@type"];
  return typeof type === "string" ? type : "";
}

/** Names of what is drawn anew for each answer. */
const PASSING_NAME =
  /(?:^|[^a-z])(?:csrf|xsrf|nonce|token|session|sess|sid|uuid|guid|requestid|request-id|trace|traceparent|correlation|rand(?:om)?|timestamp|render(?:ed)?-?(?:at|time)|build|hash|etag|integrity|cache)(?:$|[^a-z])|token$|csrf|nonce/i;

function isPassingName(name: string): boolean {
  return PASSING_NAME.test(name);
}
