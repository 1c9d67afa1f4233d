/**
 * Reads the JSON-LD of a page as it is written; contexts are not fetched.
 * https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
 */

/** Limit for all blocks of a page together. */
const MAX_CHARACTERS = 100_000;
/** `JSON.stringify` recurses at each level. */
const MAX_DEPTH = 50;
const MAX_NODES = 300;

export type JsonObject = { readonly [key: string]: unknown };

/** Returns the blocks that can be parsed, in order, up to the limit of characters. */
export function parseJsonLd(scripts: readonly string[]): unknown[] {
  const blocks: unknown[] = [];
  let left = MAX_CHARACTERS;
  for (const script of scripts) {
    if (script.length > left || !isShallow(script)) continue;
    left -= script.length;
    const block = parse(script);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** Some pages wrap the JSON in a comment or CDATA for old browsers, and some have line breaks in strings. */
function parse(script: string): unknown {
  const json = script.replace(/^\s*(?:<!--|(?:\/\/\s*)?<!\[CDATA\[)/, "").replace(/(?:-->|(?:\/\/\s*)?\]\]>)\s*$/, "");
  for (const written of [json, json.replace(/[\r\n\t]+/g, " ").replace(/;\s*$/, "")])
    try {
      const value: unknown = JSON.parse(written);
      return typeof value === "object" && value !== null ? value : undefined;
    } catch {
      // Try again without line breaks, then leave it out.
    }
  return undefined;
}

function isShallow(json: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (isString) {
      if (char === "\\") at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{" || char === "[") {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
    } else if (char === "}" || char === "]") depth -= 1;
  }
  return true;
}

/** Returns the things that the blocks describe: at the top, and in a `@graph`. */
export function describedThings(blocks: readonly unknown[]): JsonObject[] {
  const things: JsonObject[] = [];
  const waiting: unknown[] = [...blocks];
  for (let at = 0; at < waiting.length && at < MAX_NODES; at++) {
    const value = waiting[at];
    if (Array.isArray(value)) waiting.push(...value.slice(0, MAX_NODES));
    else if (isObject(value)) {
      things.push(value);
      for (const key of ["@graph", "mainEntity", "mainEntityOfPage"])
        if (isObject(value[key]) || Array.isArray(value[key])) waiting.push(value[key]);
    }
  }
  return things;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function typesOf(thing: JsonObject): string[] {
  const type = thing["@type"];
  return (Array.isArray(type) ? type : [type])
    .filter((name): name is string => typeof name === "string")
    .map((name) => name.replace(/^.*[/#:]/, ""));
}

/** Returns the names of one or several persons or organizations. A reference is looked up in `things`. */
export function namesOf(value: unknown, things: readonly JsonObject[]): string[] {
  return writtenNames(value, things).map(decodeReferences);
}

function writtenNames(value: unknown, things: readonly JsonObject[]): string[] {
  return (Array.isArray(value) ? value.slice(0, 20) : [value]).flatMap((one: unknown) => {
    if (typeof one === "string") return /^https?:/i.test(one) ? [] : [one];
    if (!isObject(one)) return [];
    const described =
      one.name === undefined && one["@id"] !== undefined
        ? things.find((thing) => thing["@id"] === one["@id"] && thing.name)
        : one;
    const name = described?.name;
    if (typeof name === "string") return [name];
    return Array.isArray(name) ? name.filter((part): part is string => typeof part === "string").slice(0, 1) : [];
  });
}

const NAMED: Record<string, string> = { amp: "&", quot: '"', apos: "'", nbsp: " " };

/** Some programs escape names as in HTML: "O&#8217;Neill". */
function decodeReferences(name: string): string {
  if (!name.includes("&")) return name;
  return name.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|quot|apos|nbsp));/gi, (all, decimal, hex, word) => {
    if (word !== undefined) return NAMED[word.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
