import type { JsonSchema } from "../src/api/exports/json-schema.ts";

/** JSON Schema as TypeScript, with the descriptions as comments. */

const INDENT = "  ";

/** An interface with the properties of a schema. `isInput`: arrays may be read-only, and comments name the defaults. */
export function interfaceOf(name: string, schema: JsonSchema, isInput: boolean): string {
  const comment = commentOf(schema, "", false);
  return `${comment}export interface ${name} ${objectOf(schema, "", isInput)}\n`;
}

/** The names that a schema refers to. */
export function referencesIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== "object") return [];
  if ("$ref" in schema && typeof schema.$ref === "string") return [nameOf(schema.$ref)];
  return Object.values(schema).flatMap(referencesIn);
}

function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

function typeOf(schema: JsonSchema | boolean, indent: string, isInput: boolean): string {
  if (typeof schema === "boolean") return "unknown";
  const { $ref, const: constant, enum: words, anyOf, oneOf, type, items, additionalProperties, properties } = schema;
  const nested = (each: JsonSchema | boolean) => typeOf(each, indent, isInput);
  if ($ref !== undefined) return nameOf($ref);
  if (constant !== undefined) return JSON.stringify(constant);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" | ");
  const several = anyOf ?? oneOf;
  if (several !== undefined) return [...new Set(several.map((each) => nested(each as JsonSchema)))].join(" | ");
  if (Array.isArray(type)) return type.map((each) => nested({ ...schema, type: each as "string" })).join(" | ");
  if (type === "array") {
    const item = nested((items ?? {}) as JsonSchema);
    const one = /[|&{\s]/.test(item) ? `(${item})` : item;
    return `${isInput ? "readonly " : ""}${one}[]`;
  }
  if (properties !== undefined) return objectOf(schema, indent, isInput);
  if (type === "object") return `Record<string, ${nested((additionalProperties || {}) as JsonSchema)}>`;
  if (type === "integer" || type === "number") return "number";
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown";
}

function objectOf({ properties = {}, required = [] }: JsonSchema, indent: string, isInput: boolean): string {
  const inner = indent + INDENT;
  const lines = Object.entries(properties).map(([name, property]) => {
    const schema = property as JsonSchema;
    const mark = required.includes(name) ? "" : "?";
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const absent = mark === "?" && isInput ? " | undefined" : "";
    return `${commentOf(schema, inner, isInput)}${inner}${key}${mark}: ${typeOf(schema, inner, isInput)}${absent};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function commentOf(schema: JsonSchema, indent: string, isInput: boolean): string {
  const { description = "" } = schema;
  const isPlain = schema.default !== undefined && schema.properties === undefined;
  const preset = isInput && isPlain ? ` Default: \`${JSON.stringify(schema.default)}\`.` : "";
  const text = `${description}${preset}`.trim().replaceAll("*/", "* /");
  return text === "" ? "" : `${indent}/** ${text} */\n`;
}
