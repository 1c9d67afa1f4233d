import { isObject, type JsonObject, typesOf } from "../facts/json-ld.ts";
import { pageDate } from "../facts/page-date.ts";
import type { HtmlElement } from "../tree/linkedom.ts";
import { elementText } from "./element-text.ts";
import type { FieldPage } from "./field-page.ts";
import type { FieldRule, FieldSource, FieldType } from "./field-rule.ts";
import { TooManyLooks } from "./match-selector.ts";
import { proposeSelector, SelectorIndex } from "./propose-selector.ts";
import { SURROUNDINGS, schemaText, valuesAtPath } from "./schema-path.ts";

/** Lists what a page has that a field may be read from, each with a rule that reads it. */

export interface FieldProposal {
  /** A name for the field. */
  name: string;
  /** What the rule reads, for people: at most 160 characters. */
  text: string;
  from: FieldSource;
  /** What it is in the page: an element's name, or the type of a thing. */
  place: string;
  rule: FieldRule;
  /** The number of elements that the selector matches; 1 for a path. */
  count: number;
}

const MAX_DECLARED = 60;
const MAX_ELEMENTS = 150;
const MAX_SHOWN = 160;
const MAX_PATH = 3;
/** A longer text is an article or a part of a page. Characters. */
const MAX_TEXT = 400;
/** Their elements are about the site, or say what the next one is, as `dt` and `th` do. */
const OUTSIDE = new Set([
  "nav",
  "footer",
  "dt",
  "th",
  "select",
  "datalist",
  "button",
  "label",
  "script",
  "style",
  "noscript",
  "head",
]);
const MONEY = /\p{Sc}\s?\d|\d\s?\p{Sc}|\b[A-Z]{3}\s?\d|\d\s?(?:EUR|USD|CHF|GBP|kr|zł)\b/u;

const TYPES = new Map<string, FieldType>([
  ["img", "url"],
  ["time", "date"],
]);

type NestedElement = HtmlElement & { readonly parentNode: NestedElement | null };

/** What the page declares comes first. A page that is too large has fewer. */
export function proposeFields(page: FieldPage): FieldProposal[] {
  const proposals: FieldProposal[] = [];
  try {
    for (const proposal of declared(page)) proposals.push(proposal);
    for (const proposal of ofElements(page)) proposals.push(proposal);
  } catch (error) {
    if (!(error instanceof TooManyLooks)) throw error;
  }
  return withOwnNames(proposals);
}

function* declared(page: FieldPage): Generator<FieldProposal> {
  const seen = new Set<string>();
  let count = 0;
  for (const from of ["json-ld", "microdata"] as const)
    for (const thing of page.things(from)) {
      const [type = ""] = typesOf(thing);
      if (type === "" || SURROUNDINGS.has(type)) continue;
      for (const { path, as } of pathsOf(thing, type)) {
        const text = schemaText(valuesAtPath(page.things(from), path, page.facts.url).values[0]);
        if (text === null || text.trim() === "" || seen.has(path)) continue;
        seen.add(path);
        count += 1;
        if (count > MAX_DECLARED) return;
        const name = path.replace(/^.*\./, "");
        yield {
          name,
          text: shown(text),
          from,
          place: type,
          rule: { schema: path, ...asOf(as ?? typeOf(text, page)) },
          count: 1,
        };
      }
    }
}

/** The paths to the values of a thing, up to three properties deep. */
function* pathsOf(thing: JsonObject, path: string, depth = 1): Generator<{ path: string; as: FieldType | null }> {
  for (const [name, value] of Object.entries(thing).slice(0, 60)) {
    if (name.startsWith("@") || !/^[\w-]{1,64}$/.test(name)) continue;
    const here = `${path}.${name}`;
    const isList = Array.isArray(value) && value.length > 1;
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (!isObject(first)) yield { path: here, as: isList ? "list" : null };
    else if (depth < MAX_PATH) yield* pathsOf(first, here, depth + 1);
  }
}

function* ofElements(page: FieldPage): Generator<FieldProposal> {
  const { elements } = page.selecting;
  const index = new SelectorIndex(elements);
  const outside = new Set<unknown>();
  const seen = new Set<string>();
  const lists = new Set<unknown>();
  let proposed = 0;
  for (const element of elements as readonly NestedElement[]) {
    if (outside.has(element.parentNode) || OUTSIDE.has(element.localName)) {
      outside.add(element);
      continue;
    }
    const text = shownText(element);
    const isItem = element.localName === "li";
    // One rule reads all items of a list.
    if (text === null || (isItem && lists.has(element.parentNode))) continue;
    if (isItem) lists.add(element.parentNode);
    page.selecting.look(text.length);
    const found = proposeSelector(element, index, page.selecting);
    if (found === null || seen.has(found.selector)) continue;
    seen.add(found.selector);
    proposed += 1;
    if (proposed > MAX_ELEMENTS) return;
    const as = isItem ? "list" : (TYPES.get(element.localName) ?? typeOf(text, page));
    const rule = { selector: found.selector, ...asOf(as) };
    const count = isItem ? itemsBeside(element) : found.count;
    yield { name: found.name, text: shown(text), from: "selector", place: element.localName, rule, count };
  }
}

function itemsBeside({ parentNode }: NestedElement): number {
  const { childNodes } = parentNode as unknown as { childNodes: Iterable<{ localName?: string }> };
  let count = 0;
  for (const { localName } of childNodes) if (localName === "li") count += 1;
  return count;
}

/** The text of an element that has one of its own, or of a picture; null for all others. */
function shownText(element: HtmlElement): string | null {
  if (element.localName === "img")
    return element.getAttribute("alt")?.trim() || element.getAttribute("src")?.trim() || null;
  const { childNodes } = element as unknown as { childNodes: Iterable<{ nodeType: number; data?: string }> };
  let hasOwn = element.localName === "h1" || element.localName === "dd" || element.localName === "td";
  for (const { nodeType, data = "" } of childNodes) {
    hasOwn ||= nodeType === 3 && data.trim() !== "";
    if (hasOwn) break;
  }
  if (!hasOwn) return null;
  const text = elementText(element, MAX_TEXT + 1);
  return text === "" || text.length > MAX_TEXT ? null : text;
}

function typeOf(text: string, { facts }: FieldPage): FieldType {
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text) || (text.length <= 40 && MONEY.test(text))) return "number";
  if (text.length <= 40 && pageDate(text, facts.language) !== null) return "date";
  return /^https?:\/\/\S+$/.test(text) ? "url" : "text";
}

function asOf(as: FieldType): Pick<FieldRule, "as"> {
  return as === "text" ? {} : { as };
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}

/** No two fields of a crawl have one name. */
function withOwnNames(proposals: readonly FieldProposal[]): FieldProposal[] {
  const used = new Map<string, number>();
  return proposals.map((proposal) => {
    const name = /^\p{L}/u.test(proposal.name) ? proposal.name.slice(0, 60) : "field";
    const before = used.get(name) ?? 0;
    used.set(name, before + 1);
    return { ...proposal, name: before === 0 ? name : `${name}_${before + 1}` };
  });
}
