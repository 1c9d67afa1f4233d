import type { Extraction } from "../../extract/extraction.ts";
import type { FieldColumn } from "./page-fields.ts";

/** The values of a model as columns of an export: one for each property of the schema, or all in one. */

/** `name`: null for all values as JSON. */
export interface ValueColumn {
  name: string | null;
  column: string;
  as: FieldColumn["as"];
}

const NUMBERS = ["number", "integer"];

export function valueColumns(extract: Extraction | null): ValueColumn[] {
  if (extract === null) return [];
  const { properties } = (extract.schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
  const named = Object.entries(properties ?? {});
  if (named.length === 0) return [{ name: null, column: "values", as: "text" }];
  return named.map(([name, part]) => ({
    name,
    column: `values.${name}`,
    as: NUMBERS.includes(String(part?.type)) ? "number" : "text",
  }));
}

/** The value of a column; null if the page has none. */
export function valueOfColumn(values: unknown, { name }: ValueColumn): unknown {
  if (name === null) return values ?? null;
  const isObject = typeof values === "object" && values !== null && Object.hasOwn(values, name);
  return isObject ? ((values as Record<string, unknown>)[name] ?? null) : null;
}
