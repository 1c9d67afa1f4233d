import * as z from "zod";
import { type ColumnType, type ColumnValue, writeParquet } from "../core/parquet-file.ts";
import { type RecordView, recordView } from "./record-schemas.ts";

/** Records as a Parquet file: a column for each field of a record, with its type. */

/** A group of records with URLs and titles of 100 bytes takes some 10 MB. */
const ROWS_PER_GROUP = 10_000;

/** The columns follow the schema of records, so a field that is added has a column. */
const COLUMNS = columnsOf(recordView);

export function writeRecords(records: AsyncIterable<RecordView>): AsyncGenerator<Uint8Array, void> {
  return writeParquet(COLUMNS, toRows(records), ROWS_PER_GROUP);
}

async function* toRows(records: AsyncIterable<RecordView>): AsyncGenerator<Record<string, ColumnValue>> {
  for await (const record of records) {
    const fields: Record<string, unknown> = record;
    yield Object.fromEntries(Object.entries(COLUMNS).map(([name, type]) => [name, toValue(fields[name], type)]));
  }
}

function toValue(value: unknown, type: ColumnType): ColumnValue {
  if (value === null || value === undefined) return null;
  if (type === "time") return new Date(String(value));
  if (type === "long") return BigInt(value as number);
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  return value as number | boolean;
}

/** The column of each field of an object. Lists and objects are strings of JSON. */
export function columnsOf(schema: z.ZodObject): Record<string, ColumnType> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "output" });
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, columnOf(field)]));
}

function columnOf(field: z.core.JSONSchema._JSONSchema): ColumnType {
  if (typeof field === "boolean") return "string";
  const variants = (field.anyOf ?? [field]).filter((each) => typeof each === "boolean" || each.type !== "null");
  const [only] = variants;
  if (only === undefined || variants.length > 1 || typeof only === "boolean") return "string";
  if (only.type === "integer") return "long";
  if (only.type === "number") return "double";
  if (only.type === "boolean") return "boolean";
  return only.format === "date-time" ? "time" : "string";
}
