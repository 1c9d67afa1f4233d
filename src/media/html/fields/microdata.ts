import type { JsonObject } from "../facts/json-ld.ts";
import type { HtmlElement } from "../tree/linkedom.ts";
import { elementText } from "./element-text.ts";
import type { Selecting } from "./match-selector.ts";

/**
 * Reads the microdata of a page as JSON-LD would write it.
 * https://html.spec.whatwg.org/multipage/microdata.html#values
 */

const MAX_ITEMS = 1_000;
const MAX_PROPERTIES = 5_000;
const MAX_TEXT = 5_000;
const URL_ATTRIBUTES: Record<string, string> = {
  a: "href",
  area: "href",
  link: "href",
  img: "src",
  audio: "src",
  embed: "src",
  iframe: "src",
  source: "src",
  track: "src",
  video: "src",
  object: "data",
};

type Item = Record<string, unknown>;
type NestedElement = HtmlElement & { readonly parentNode: NestedElement | null };

/** The items that belong to no other one. Throws TooManyLooks. */
export function readMicrodata(selecting: Selecting): JsonObject[] {
  const elements = selecting.elements as readonly NestedElement[];
  selecting.look(elements.length);
  const items = new Map<unknown, Item>();
  const top: Item[] = [];
  let properties = 0;
  for (const element of elements) {
    const isItem = element.getAttribute("itemscope") !== null && items.size < MAX_ITEMS;
    const names = element.getAttribute("itemprop");
    if (isItem) items.set(element, newItem(element));
    const own = items.get(element);
    if (names === null) {
      if (own !== undefined) top.push(own);
      continue;
    }
    const owner = ownerOf(element, items, selecting);
    if (owner === undefined || properties >= MAX_PROPERTIES) continue;
    const value = own ?? propertyValue(element);
    for (const name of names.trim().split(/\s+/, 10)) {
      properties += 1;
      add(owner, localName(name), value);
    }
  }
  return top;
}

function newItem(element: HtmlElement): Item {
  const types = (element.getAttribute("itemtype") ?? "").trim().split(/\s+/, 10).map(localName);
  const id = element.getAttribute("itemid");
  // Any name may be a property, `__proto__` too.
  const item: Item = Object.create(null) as Item;
  item["@type"] = types.filter((type) => type !== "");
  if (id !== null) item["@id"] = id;
  return item;
}

function localName(name: string): string {
  return name.slice(0, 200).replace(/^.*[/#]/, "");
}

function ownerOf(element: NestedElement, items: ReadonlyMap<unknown, Item>, selecting: Selecting): Item | undefined {
  for (let above = element.parentNode; above !== null; above = above.parentNode) {
    selecting.look(1);
    const item = items.get(above);
    if (item !== undefined) return item;
  }
  return undefined;
}

function add(item: Item, name: string, value: unknown): void {
  const before = item[name];
  if (name.startsWith("@")) return;
  if (before === undefined) item[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else item[name] = [before, value];
}

/** `content` counts on any element, as search engines read it. */
function propertyValue(element: HtmlElement): string {
  const { localName: tag } = element;
  const address = URL_ATTRIBUTES[tag];
  const written =
    element.getAttribute("content") ??
    (address === undefined ? null : element.getAttribute(address)) ??
    (tag === "data" || tag === "meter" ? element.getAttribute("value") : null) ??
    (tag === "time" ? element.getAttribute("datetime") : null);
  return written === null ? elementText(element, MAX_TEXT) : written.slice(0, MAX_TEXT).trim();
}
