/** The rules by which fields are read from a page, as a user writes them, and the values that they give. */

export const FIELD_TYPES = ["text", "number", "date", "url", "html", "list"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** A rule with neither `schema` nor `selector` goes by the name of its field (known-names.ts). */
export interface FieldRule {
  /** A path in JSON-LD and microdata, such as `Product.offers.price`. It goes before the selector. */
  schema?: string | undefined;
  /** A CSS selector. The first element that it matches and that has a value counts; for a list, all of them do. */
  selector?: string | undefined;
  /** The attribute that holds the value. Absent: what suits the element and the type. */
  attribute?: string | undefined;
  /** Absent: `text`, or the type of a known name in a rule with neither `schema` nor `selector`. */
  as?: FieldType | undefined;
}

/** By the names of the fields. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Fields of the pages whose URLs match one of the globs. */
export interface FieldGroup {
  /** Empty: all pages. */
  urls: string[];
  fields: FieldRules;
}

/** A date is ISO 8601. Text, URLs and HTML are strings, a list has the text of each element. */
export type FieldValue = string | number | string[];

/** By the names of the fields; null for one that the page lacks. */
export type FieldValues = Record<string, FieldValue | null>;

export type FieldSource = "json-ld" | "microdata" | "meta" | "selector";

/** What one rule gave on one page. */
export interface FieldReading {
  name: string;
  /** Null if the page lacks it. */
  value: FieldValue | null;
  /** What gave the value; null without one. */
  from: FieldSource | null;
  /** The path, the name of a meta element or the selector that gave the value; null without one. */
  by: string | null;
  /** The value as the page writes it, if that differs; at most 200 characters. */
  written: string | null;
  /** How an ambiguous value was decided, or what was left out of it, for people. */
  note: string | null;
  /** Why there is no value, for people; null if there is one. */
  problem: string | null;
}

export function valuesOf(readings: readonly FieldReading[]): FieldValues {
  return Object.fromEntries(readings.map(({ name, value }) => [name, value]));
}

/** Undefined for a field that the page has by no rule. A field may be called `constructor`. */
export function valueIn(values: FieldValues | null, name: string): FieldValue | null | undefined {
  return values !== null && Object.hasOwn(values, name) ? values[name] : undefined;
}
