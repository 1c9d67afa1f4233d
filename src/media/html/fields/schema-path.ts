import { isObject, type JsonObject, typesOf } from "../facts/json-ld.ts";

/** Reads values at paths like `Product.offers.price` from the things that a page describes (https://schema.org). */

/** Values of one path. */
const MAX_VALUES = 200;
const MAX_SEGMENTS = 8;
/** They stand on pages about other things, so a path without a type does not begin in them. */
export const SURROUNDINGS = new Set(
  (
    "BreadcrumbList WebSite WebPage ItemPage CollectionPage AboutPage Organization OnlineStore NewsMediaOrganization Corporation " +
    "ImageObject Person SearchAction SiteNavigationElement WPHeader WPFooter ItemList Brand"
  ).split(" "),
);

/** Why a path cannot be used, as the end of a sentence; null if it can. */
export function schemaPathProblem(path: string): string | null {
  const segments = path.split(".");
  if (segments.length > MAX_SEGMENTS) return `has more than ${MAX_SEGMENTS} parts`;
  if (!segments.every((segment) => /^@?[\p{L}\d_:-]{1,64}$/u.test(segment)))
    return "is not a path of properties, such as Product.offers.price or offers.price";
  return segments.length === 1 && isType(segments[0] ?? "") ? "names a type without a property" : null;
}

interface FoundValues {
  /** Those of the first thing that has any. */
  values: unknown[];
  /** The number of things with other values at this path. */
  others: number;
}

/**
 * A first part in upper case is a type: a thing of that type, or of one whose name ends with it, so that `Article`
 * finds a `NewsArticle`. A thing that names the page itself (`pageUrl`) goes before the others.
 */
export function valuesAtPath(things: readonly JsonObject[], path: string, pageUrl: string): FoundValues {
  const segments = path.split(".");
  const [first = ""] = segments;
  const named = isType(first)
    ? things.filter((thing) => typesOf(thing).some((type) => type === first || type.endsWith(first)))
    : things.filter((thing) => !typesOf(thing).some((type) => SURROUNDINGS.has(type)));
  const rest = isType(first) ? segments.slice(1) : segments;
  const byPage = (thing: JsonObject) => (namesPage(thing, pageUrl) ? 0 : 1);
  const found = [...named]
    .sort((a, b) => byPage(a) - byPage(b))
    .map((thing) => collect(thing, rest, things))
    .filter((values) => values.length > 0);
  const [values = []] = found;
  const written = JSON.stringify(values);
  return { values, others: found.filter((each) => JSON.stringify(each) !== written).length };
}

function isType(segment: string): boolean {
  return /^\p{Lu}/u.test(segment);
}

function namesPage(thing: JsonObject, pageUrl: string): boolean {
  const { mainEntityOfPage } = thing;
  const main = isObject(mainEntityOfPage) ? mainEntityOfPage["@id"] : mainEntityOfPage;
  return [thing.url, thing["@id"], main].some((name) => typeof name === "string" && withoutHash(name) === pageUrl);
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/s, "");
}

function collect(start: unknown, segments: readonly string[], things: readonly JsonObject[]): unknown[] {
  let values: unknown[] = [start];
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    values = values.flatMap((value) => listOf(step(value, segment, isLast, things))).slice(0, MAX_VALUES);
  }
  return values.filter((value) => value !== null && value !== undefined && value !== "");
}

/** Where a name would follow, a text is one: `"brand": "Acme"` at `brand.name`. */
function step(value: unknown, segment: string, isLast: boolean, things: readonly JsonObject[]): unknown {
  if (typeof value === "string" && isLast && segment === "name") return value;
  if (!isObject(value)) return [];
  if (Object.hasOwn(value, segment)) return value[segment];
  const id = value["@id"];
  if (typeof id !== "string") return [];
  const described = things.find((thing) => thing["@id"] === id && Object.hasOwn(thing, segment));
  return described?.[segment] ?? [];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_VALUES).flat(1) : [value];
}

/** Parts of a postal address, in the order in which people read them. */
const ADDRESS = ["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];

/** A value as text; null for a thing that has no name. A word of schema.org comes without its address: `InStock`. */
export function schemaText(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string") return /^https?:\/\/schema\.org\/(\w+)$/.exec(value.trim())?.[1] ?? value;
  if (!isObject(value)) return null;
  const parts = ADDRESS.flatMap((name) => schemaText(value[name]) ?? []);
  for (const part of [value["@value"], value.name, value.text, value.value])
    if (typeof part === "string" || typeof part === "number") return String(part);
  if (parts.length > 0) return parts.join(", ");
  return isObject(value.address) ? schemaText(value.address) : schemaUrl(value);
}

/** The address of a value: itself, or that of a picture or a thing. */
export function schemaUrl(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!isObject(value)) return null;
  const written = [value.url, value.contentUrl, value["@id"]].find((each) => typeof each === "string");
  return typeof written === "string" ? written : null;
}
