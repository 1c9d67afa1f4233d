/** Finds what is no JSON Schema, so that a typo is told before a model is paid for it. */

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const ONE = ["not", "if", "then", "else", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** What is wrong, with its place, for people; null if nothing is. `place`: a path such as `properties.price`. */
export function shapeProblem(schema: unknown, place = ""): string | null {
  if (typeof schema === "boolean") return null;
  const at = place === "" ? "it" : place;
  if (!isObject(schema)) return `${at} is no schema`;
  const inner = (key: string) => (place === "" ? key : `${place}.${key}`);
  const { type } = schema;
  const wrong = type === undefined ? undefined : [type].flat().find((word) => !TYPES.includes(word as string));
  if (wrong !== undefined) return `${inner("type")} has ${JSON.stringify(wrong)}, which is none of ${TYPES.join(", ")}`;
  const parts: [string, unknown][] = [];
  for (const key of ONE) if (key in schema) parts.push([inner(key), schema[key]]);
  for (const key of LISTS) {
    const list = schema[key];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return `${inner(key)} is no list of schemas`;
    parts.push(...list.map((part, i): [string, unknown] => [`${inner(key)}.${i}`, part]));
  }
  for (const key of BY_NAME) {
    const named = schema[key];
    if (named === undefined) continue;
    if (!isObject(named)) return `${inner(key)} is no object of schemas by name`;
    parts.push(...Object.entries(named).map(([name, part]): [string, unknown] => [`${inner(key)}.${name}`, part]));
  }
  const { items, enum: words, required } = schema;
  if (items !== undefined) parts.push(...[items].flat().map((part): [string, unknown] => [inner("items"), part]));
  if (words !== undefined && !Array.isArray(words)) return `${inner("enum")} is no list`;
  if (required !== undefined && !isListOfNames(required)) return `${inner("required")} is no list of names`;
  for (const [where, part] of parts) {
    const problem = shapeProblem(part, where);
    if (problem !== null) return problem;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Draft 4 has lists here, earlier drafts a boolean that is still found. */
function isListOfNames(value: unknown): boolean {
  return typeof value === "boolean" || (Array.isArray(value) && value.every((name) => typeof name === "string"));
}
