/** The fields of a JSON Schema as rows, with their types and bounds in words. What has marks is Markdown. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  required?: string[];
  default?: unknown;
  description?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

export interface FieldRow {
  name: string;
  schema: Schema;
  required: boolean;
}

/** The fields of an object, of the items of a list, or of a value that may be null. */
export function rowsOf(schema: Schema, below = ""): FieldRow[] {
  if (schema.items !== undefined) return rowsOf(schema.items, below === "" ? "" : `${below.slice(0, -1)}[].`);
  const inner = schema.anyOf?.find(({ type }) => type !== "null");
  if (inner !== undefined) return rowsOf(inner, below);
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [
    { name: below + name, schema: each, required: schema.required?.includes(name) ?? false },
    ...rowsOf(each, `${below}${name}.`),
  ]);
}

/** The type in words, with links to named schemas. */
export function typeOf(schema: Schema): string {
  const { $ref, enum: words, anyOf, items, type, format, additionalProperties } = schema;
  if ($ref !== undefined) return linkTo($ref);
  if ("const" in schema) return code(schema.const);
  if (words !== undefined) return words.map(code).join(", ");
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (items !== undefined) return `list of ${pluralOf(items)}`;
  if (additionalProperties?.type !== undefined) return `object of ${pluralOf(additionalProperties)}`;
  if (Array.isArray(type)) return type.join(" or ");
  return format === "date-time" ? "time" : format === "uuid" ? "UUID" : (type ?? "anything");
}

function pluralOf(schema: Schema): string {
  const type = typeOf(schema);
  return /^[a-z]+$/i.test(type) && type !== "anything" ? `${type}s` : type;
}

export function linkTo(reference: string): string {
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  return `[${name}](#${name.toLowerCase()})`;
}

export function boundsOf({ minimum, maximum, minLength, maxLength, maxItems, items }: Schema): string {
  if (maxItems !== undefined) {
    const each = boundsOf(items ?? {});
    return `at most ${number(maxItems)}${each === "" ? "" : `, each ${each}`}`;
  }
  if (minLength === 1 && maxLength === undefined) return "not empty";
  if (minLength !== undefined || maxLength !== undefined) return `${range(minLength ?? 0, maxLength)} characters`;
  return minimum === undefined && maximum === undefined ? "" : range(minimum, maximum);
}

function range(least?: number, most?: number): string {
  if (most === undefined) return `at least ${number(least ?? 0)}`;
  return least === undefined ? `at most ${number(most)}` : `${number(least)} to ${number(most)}`;
}

/** For an object, the rows of its fields have the defaults. */
export function defaultOf({ default: value, properties }: Schema): string {
  if (value === undefined || value === "" || properties !== undefined) return "";
  return typeof value === "number" ? number(value) : code(value);
}

function number(value: number): string {
  return value.toLocaleString("en");
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
