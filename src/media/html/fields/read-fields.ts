import type { HtmlDocument, HtmlElement } from "../tree/linkedom.ts";
import { elementText } from "./element-text.ts";
import { FieldPage, MAX_LIST_VALUES } from "./field-page.ts";
import type { FieldReading, FieldRule, FieldRules, FieldSource, FieldType } from "./field-rule.ts";
import { type KnownName, knownName, typeOfField } from "./known-names.ts";
import { MAX_FIELD_HTML, MAX_FIELD_TEXT, type PageFacts, type ReadValue, readValue } from "./read-value.ts";
import { schemaText, schemaUrl, valuesAtPath } from "./schema-path.ts";

/**
 * Reads fields from a page by rules, without a model: JSON-LD first, then microdata, then `meta` elements for known
 * names, then the selector. Plain data in and out. A page or a rule that is hostile costs its own fields alone.
 */

/** Characters of all values of a page as JSON. They stand in the page's row, and 25 of them in one parameter of D1. */
const MAX_VALUES = 8_000;
/** Matches of a selector that are asked for a value. */
const MAX_TRIED = 20;
const MAX_WRITTEN = 200;

/** The rules must have no problems (field-problems.ts). Never throws. */
export function readFields(document: HtmlDocument, rules: FieldRules, facts: PageFacts): FieldReading[] {
  const page = new FieldPage(document, facts);
  let left = MAX_VALUES;
  return Object.entries(rules).map(([name, rule]) => {
    const reading = readField(name, rule, page);
    const size = JSON.stringify(reading.value).length + name.length;
    if (reading.value === null || size <= left) {
      left -= size;
      return reading;
    }
    return missing(name, `the fields of this page are longer than ${MAX_VALUES} characters together`);
  });
}

function readField(name: string, rule: FieldRule, page: FieldPage): FieldReading {
  try {
    const isByName = rule.schema === undefined && rule.selector === undefined;
    const guess = isByName ? knownName(name) : null;
    const as = typeOfField(name, rule);
    const failures: string[] = [];
    const found = guess === null ? readByRule(rule, as, page, failures) : readByName(guess, as, page, failures);
    if (found === null) return missing(name, failures.join("; "));
    const written = found.written.slice(0, MAX_WRITTEN);
    const value = found.value;
    return {
      name,
      value,
      from: found.from,
      by: found.by,
      written: written === value ? null : written,
      note: found.note,
      problem: null,
    };
  } catch (error) {
    // A page or a rule that is hostile costs this field alone.
    return missing(name, error instanceof Error ? error.message : String(error));
  }
}

/** The fields of a page whose elements cannot be read. */
export function unreadFields(rules: FieldRules): FieldReading[] {
  const problem = "the page has too many elements, or they are nested too deeply, for its fields to be read";
  return Object.keys(rules).map((name) => missing(name, problem));
}

function missing(name: string, problem: string): FieldReading {
  return { name, value: null, from: null, by: null, written: null, note: null, problem };
}

interface Found extends Pick<FieldReading, "note"> {
  value: NonNullable<FieldReading["value"]>;
  from: FieldSource;
  by: string;
  written: string;
}

function readByRule({ schema, selector, attribute }: FieldRule, as: FieldType, page: FieldPage, failures: string[]) {
  const described = schema === undefined ? null : readSchema(schema, as, page, failures, false);
  if (described !== null || selector === undefined) return described;
  return readSelector(selector, attribute ?? null, as, page, failures);
}

/** A guess counts only if the page has one value for it. */
function readByName({ paths, metas }: KnownName, as: FieldType, page: FieldPage, failures: string[]): Found | null {
  for (const path of paths) {
    const found = readSchema(path, as, page, failures, true);
    if (found !== null) return found;
  }
  for (const name of metas) {
    const written = page.meta(name, as === "list");
    if (written.length === 0) continue;
    const read = readValue(written, as, page.facts, true);
    if (!("problem" in read)) return { ...read, from: "meta", by: name, written: written.join(", ") };
    failures.push(`meta ${name}: ${read.problem}`);
  }
  if (failures.length === 0)
    failures.push(`no JSON-LD, microdata or meta element of the page has it: name a selector${page.brokenJsonLd}`);
  return null;
}

function readSchema(path: string, as: FieldType, page: FieldPage, failures: string[], isGuess: boolean): Found | null {
  for (const from of ["json-ld", "microdata"] as const) {
    const { values, others } = valuesAtPath(page.things(from), path, page.facts.url);
    const texts = values.flatMap((value) => (as === "url" ? schemaUrl(value) : schemaText(value)) ?? []);
    if (texts.length === 0) continue;
    if (isGuess && others > 0) {
      failures.push(`${others + 1} things of the page have another ${path} each: name a type, or a selector`);
      return null;
    }
    const read = readValue(
      as === "list" ? splitKeywords(path, texts).slice(0, MAX_LIST_VALUES) : texts,
      as,
      page.facts,
      true,
    );
    if ("problem" in read) {
      failures.push(`${path}: ${read.problem}`);
      continue;
    }
    const several = others === 0 ? null : `${others + 1} things of the page have one; the first counts`;
    return { ...read, note: joined(read.note, several), from, by: path, written: texts.join(", ") };
  }
  if (!isGuess) failures.push(`no JSON-LD and no microdata of the page has ${path}${page.brokenJsonLd}`);
  return null;
}

/** schema.org's keywords may be one text. */
function splitKeywords(path: string, texts: string[]): string[] {
  return path.endsWith("keywords") && texts.length === 1
    ? (texts[0] ?? "").split(/[,;]/).map((text) => text.trim())
    : texts;
}

function readSelector(
  selector: string,
  attribute: string | null,
  as: FieldType,
  { selecting, facts }: FieldPage,
  failures: string[],
): Found | null {
  const items: string[] = [];
  let read: ReadValue | null = null;
  let tried = 0;
  for (const element of selecting.matches(selector)) {
    const written = writtenIn(element, attribute, as);
    tried += 1;
    if (as === "list") {
      if (typeof written === "string") items.push(written);
      if (items.length >= MAX_LIST_VALUES) break;
      continue;
    }
    const tryRead: ReadValue =
      typeof written === "string" ? readValue(written, as, facts, isForPrograms(element, attribute)) : written;
    if (!("problem" in tryRead)) return { ...tryRead, from: "selector", by: selector, written: written as string };
    read ??= tryRead;
    if (tried >= MAX_TRIED) break;
  }
  if (items.length > 0) {
    read = readValue(items, as, facts, false);
    if (!("problem" in read)) {
      const note = items.length >= MAX_LIST_VALUES ? `only the first ${MAX_LIST_VALUES} elements are kept` : null;
      return { ...read, note, from: "selector", by: selector, written: items.join(", ") };
    }
  }
  if (tried === 0) failures.push(`${selector} matches nothing${describePart(selecting.matchedPart(selector))}`);
  else failures.push(`${selector} matches, but ${read !== null && "problem" in read ? read.problem : "has no value"}`);
  return null;
}

function describePart(matched: { part: string; count: number } | null): string {
  if (matched === null) return "";
  return `; ${matched.part} matches ${matched.count === 1 ? "one element" : `${matched.count} elements`}`;
}

const ADDRESSES = ["href", "src", "content", "data", "poster", "data-src"];

function writtenIn(element: HtmlElement, attribute: string | null, as: FieldType): string | { problem: string } {
  if (attribute !== null) {
    const value = element.getAttribute(attribute.toLowerCase());
    return value === null
      ? { problem: `the element has no attribute ${attribute}` }
      : value.slice(0, 2 * MAX_FIELD_HTML).trim();
  }
  if (as === "html")
    return (element as HtmlElement & { innerHTML: string }).innerHTML.slice(0, 2 * MAX_FIELD_HTML).trim();
  if (as === "url") {
    const value = ADDRESSES.map((name) => element.getAttribute(name)).find(
      (each) => each !== null && each.trim() !== "",
    );
    return value ?? { problem: `the ${element.localName} has no address: choose the link in it, or name an attribute` };
  }
  return (ownValue(element, as) ?? elementText(element, MAX_FIELD_TEXT + 1)).slice(0, 2 * MAX_FIELD_TEXT);
}

/** The value that an element has for programs. */
function ownValue(element: HtmlElement, as: FieldType): string | null {
  switch (element.localName) {
    case "meta":
      return element.getAttribute("content");
    case "input":
      return element.getAttribute("value");
    case "img":
      return element.getAttribute("alt");
    case "time":
      return as === "date" ? element.getAttribute("datetime") : null;
    case "data":
    case "meter":
      return as === "number" ? element.getAttribute("value") : null;
    default:
      return as === "number" || as === "date" ? element.getAttribute("content") : null;
  }
}

/**
 * Whether its value is one for programs. An attribute that a rule names may be for people: `data-price="1.299,00 €"`.
 */
function isForPrograms({ localName }: HtmlElement, attribute: string | null): boolean {
  return attribute !== null || localName === "meta" || localName === "data" || localName === "meter";
}

function joined(...notes: readonly (string | null)[]): string | null {
  return notes.filter((note) => note !== null).join("; ") || null;
}
