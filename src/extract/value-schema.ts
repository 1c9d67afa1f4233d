import { type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema"; // made for workerd: no eval, no code
import { keysOfPointer } from "../core/formats/json-pointer.ts";
import type { Json, ValueSchema } from "./extraction.ts";
import { shapeProblem } from "./schema-shape.ts";

/**
 * The schema by which values are asked for and checked. A page need not have a value, so each property may be null,
 * whatever the schema says: otherwise a model would make one up.
 */

export interface CheckedSchema {
  /** As the model gets it. */
  asked: ValueSchema;
  /** What is wrong with values, in words for the model; empty if nothing is. */
  problems(values: Json): string[];
}

const MAX_LENGTH = 20_000;
const MAX_DEPTH = 20;
const MAX_PROBLEMS = 8;
/** Expressions of a schema are told to the model alone: one of them may take for ever. */
const UNCHECKED = ["pattern", "patternProperties"];
const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/draft-04/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

/** What is wrong with a schema, for people; null if it can be used. */
export function schemaProblem(schema: ValueSchema): string | null {
  const text = JSON.stringify(schema);
  if (text.length > MAX_LENGTH) return `it has more than ${MAX_LENGTH.toLocaleString("en")} characters`;
  if (depthOf(schema) > MAX_DEPTH) return `it has more than ${MAX_DEPTH} levels`;
  const shape = shapeProblem(schema);
  if (shape !== null) return shape;
  const far = findRefs(schema).find((ref) => !ref.startsWith("#"));
  if (far !== undefined) return `it refers to ${far.slice(0, 200)}, and only references within it ("#/...") are read`;
  const lost = findRefs(schema).find((ref) => !leadsSomewhere(ref, schema));
  if (lost !== undefined) return `it refers to ${lost.slice(0, 200)}, which it does not have`;
  try {
    const { problems } = checkedSchema(schema);
    for (const sample of [null, {}, [], "", 0]) problems(sample);
    return null;
  } catch (error) {
    return `it cannot be used: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`;
  }
}

/** Throws for a schema that has a problem. */
export function checkedSchema(schema: ValueSchema | null): CheckedSchema {
  const asked = allowNull(schema ?? { type: "object" }) as ValueSchema;
  const draft = DRAFTS.find(([uri]) => uri.test(String(schema?.$schema)))?.[1] ?? "2020-12";
  const validator = new Validator(without(asked) as Schema, draft, false);
  return {
    asked,
    problems: (values) => {
      const { valid, errors } = validator.validate(values);
      // An error of a part is repeated by all that hold the part. The innermost says what it is.
      const told = errors.filter(
        ({ keyword }) => !["properties", "items", "$ref", "additionalProperties"].includes(keyword),
      );
      const lines = (told.length === 0 ? errors : told).map(
        ({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, "") || "/"}: ${error}`,
      );
      return valid ? [] : [...new Set(lines)].slice(0, MAX_PROBLEMS);
    },
  };
}

/** Names (`#name`) are left to the validator. */
function leadsSomewhere(ref: string, schema: ValueSchema): boolean {
  if (!ref.startsWith("#/")) return true;
  let at: unknown = schema;
  for (const name of keysOfPointer(ref.slice(1))) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}

/** References in a schema that stands below `values` of another one. */
export function rebaseRefs(schema: unknown, base: string): unknown {
  return mapObjects(schema, (object) => {
    const { $ref } = object;
    return typeof $ref === "string" && $ref.startsWith("#") ? { ...object, $ref: `${base}${$ref.slice(1)}` } : object;
  });
}

/** Each property of an object may be null. */
function allowNull(schema: unknown): unknown {
  return mapObjects(schema, (object) => {
    const { properties } = object;
    if (typeof properties !== "object" || properties === null) return object;
    const nullable = Object.entries(properties).map(([name, value]) => [name, orNull(value)]);
    return { ...object, properties: Object.fromEntries(nullable) };
  });
}

function orNull(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  const { type, enum: words, ...rest } = schema as Record<string, unknown>;
  const isPlain = !["$ref", "anyOf", "oneOf", "allOf", "not", "const", "if"].some((key) => key in rest);
  if (!isPlain || (type === undefined && words === undefined)) return { anyOf: [schema, { type: "null" }] };
  return {
    ...(type === undefined ? {} : { type: [...new Set([type, "null"].flat())] }),
    ...(Array.isArray(words) ? { enum: [...new Set([...words, null])] } : {}),
    ...rest,
  };
}

function without(schema: unknown): unknown {
  return mapObjects(schema, (object) =>
    Object.fromEntries(
      Object.entries(object).filter(([name, value]) => !UNCHECKED.includes(name) || isNameOfProperty(value)),
    ),
  );
}

/** A property may be called `pattern`. */
function isNameOfProperty(value: unknown): boolean {
  return typeof value === "object" && value !== null && ["type", "anyOf", "$ref"].some((key) => key in value);
}

function mapObjects(value: unknown, change: (object: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (typeof value !== "object" || value === null) return value;
  const inner = Object.entries(value).map(([name, part]) => [name, mapObjects(part, change)]);
  return change(Object.fromEntries(inner) as Record<string, unknown>);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function findRefs(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { $ref } = value as { $ref?: unknown };
  return [...(typeof $ref === "string" ? [$ref] : []), ...Object.values(value).flatMap(findRefs)];
}
