import * as z from "zod";

/**
 * The schema of a tool's input as clients list it. A model reads all schemas before its first question, so they are
 * short: types, words of closed lists, and a sentence. The tool itself checks the rest, and its errors say what it is.
 */

type Json = Record<string, unknown>;

/** A longer list is left out: a wrong word is answered with all of it. */
const MAX_WORDS = 20;
/** Characters of a description: its first sentence, and more as long as they fit. */
const MAX_TEXT = 110;
/** Numbers up to this say something. */
const MAX_BOUND = 1_000;

const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["$schema", "additionalProperties", "pattern", "format", "minLength", "maxLength", "maxItems"],
  ...["minimum", "exclusiveMinimum"],
]);

export function shortSchema(input: z.ZodObject): Json {
  return shorten(z.toJSONSchema(input, { io: "input", target: "draft-2020-12" }) as Json);
}

function shorten(schema: Json): Json {
  const short: Json = {};
  for (const [name, value] of Object.entries(schema)) {
    if (LEFT_OUT.has(name)) continue;
    if (name === "description") short.description = shortText(String(value));
    else if (name === "enum" && (value as unknown[]).length > MAX_WORDS) continue;
    else if (name === "maximum" && Number(value) > MAX_BOUND) continue;
    else if (name === "default" && isNothing(value)) continue;
    else if (name === "anyOf" && "type" in schema) continue;
    else if (name === "properties")
      short.properties = Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([each, inner]) => [each, shorten(inner)]),
      );
    else if (name === "items") short.items = shorten(value as Json);
    else short[name] = value;
  }
  if (Array.isArray(schema.anyOf) && !("type" in schema))
    return { ...short, anyOf: undefined, type: typeOf(schema.anyOf) };
  return short;
}

/** The one type of all alternatives, or all of their types. */
function typeOf(alternatives: readonly Json[]): unknown {
  const types = [...new Set(alternatives.map(({ type }) => type))];
  return types.length === 1 ? types[0] : types;
}

function isNothing(value: unknown): boolean {
  return (
    value === "" ||
    value === false ||
    value === 0 ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

/** Whole sentences, at least one. */
function shortText(text: string): string {
  const sentences = text.split(/(?<=[.)]) (?=[A-Z`])/);
  let short = sentences[0] ?? "";
  for (const sentence of sentences.slice(1)) {
    if (short.length + sentence.length + 1 > MAX_TEXT) break;
    short += ` ${sentence}`;
  }
  return short;
}
