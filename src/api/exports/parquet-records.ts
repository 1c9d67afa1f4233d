import { type ColumnType, type ColumnValue, writeParquet } from "../../core/formats/parquet-file.ts";
import type { FieldColumn } from "../../crawl/page/page-fields.ts";
import { type ValueColumn, valueOfColumn } from "../../crawl/page/value-columns.ts";
import { FACTS, type FactType, SHOWN_FACTS } from "../../crawl/url-facts.ts";
import { type FieldType, valueIn } from "../../media/html/fields/field-rule.ts";
import type { RecordView } from "../records/record-schemas.ts";
import { columnOfField } from "./export-formats.ts";

/** Records as a Parquet file: a column for each field of a record, with its type. */

/** A group of records with URLs and titles of 100 bytes takes some 10 MB. */
const ROWS_PER_GROUP = 10_000;

/** Objects are strings of JSON; the fields of a record have a column each. */
const TYPES: Partial<Record<FactType, ColumnType>> = {
  count: "long",
  int: "long",
  byte: "long",
  share: "double",
  time: "time",
  flag: "boolean",
};

const COLUMNS: Record<string, ColumnType> = Object.fromEntries(
  SHOWN_FACTS.filter((name) => name !== "fields" && name !== "extracted").map((name) => [
    name,
    TYPES[FACTS[name].type] ?? "string",
  ]),
);

/** `fields`: those of the crawl's rules. `values`: those that its model finds. */
export function writeRecords(
  records: AsyncIterable<RecordView>,
  fields: readonly FieldColumn[] = [],
  values: readonly ValueColumn[] = [],
): AsyncGenerator<Uint8Array, void> {
  const own = fields.map(({ name, as }) => ({ name, column: columnOfField(name), type: typeOf(as) }));
  const found = values.map((value) => ({ value, column: value.column, type: typeOf(value.as) }));
  const columns = { ...COLUMNS, ...Object.fromEntries([...own, ...found].map(({ column, type }) => [column, type])) };
  return writeParquet(columns, toRows(records, own, found), ROWS_PER_GROUP);
}

async function* toRows(
  records: AsyncIterable<RecordView>,
  fields: readonly { name: string; column: string; type: ColumnType }[],
  values: readonly { value: ValueColumn; column: string; type: ColumnType }[],
): AsyncGenerator<Record<string, ColumnValue>> {
  for await (const record of records) {
    const properties: Record<string, unknown> = record;
    yield Object.fromEntries([
      ...Object.entries(COLUMNS).map(([name, type]) => [name, toValue(properties[name], type)]),
      ...fields.map(({ name, column, type }) => [column, toValue(valueIn(record.fields, name), type)]),
      ...values.map(({ value, column, type }) => {
        const found = valueOfColumn(record.extracted?.values, value);
        return [column, toValue(type === "double" && typeof found !== "number" ? null : found, type)];
      }),
    ]);
  }
}

/** A date may have a time or not, so it is a string. */
function typeOf(as: FieldType): ColumnType {
  return as === "number" ? "double" : "string";
}

function toValue(value: unknown, type: ColumnType): ColumnValue {
  if (value === null || value === undefined) return null;
  if (type === "time") return new Date(String(value));
  if (type === "long") return BigInt(value as number);
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  return value as number | boolean;
}
