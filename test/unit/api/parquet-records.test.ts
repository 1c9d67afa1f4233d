import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { writeRecords } from "../../../src/api/exports/parquet-records.ts";
import { type RecordView, recordView } from "../../../src/api/records/record-schemas.ts";
import type { FieldColumn } from "../../../src/crawl/page/page-fields.ts";
import { SAMPLE_RECORD } from "./sample-record.ts";

async function fileOf(records: RecordView[], fields: FieldColumn[] = []): Promise<ArrayBuffer> {
  const all = (async function* () {
    yield* records;
  })();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeRecords(all, fields)) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks)).buffer;
}

test("a file has a column for each fact of a record, with its type, in the order of the documentation", async () => {
  const schema = parquetMetadata(await fileOf([])).schema.slice(1);
  expect(schema.map(({ name }) => name)).toEqual(
    Object.keys(recordView.shape).filter((name) => name !== "fields" && name !== "extracted"),
  );
  const typeOf = (column: string) => {
    const { type, converted_type } = schema.find(({ name }) => name === column) ?? {};
    return converted_type ?? type;
  };
  expect(["url", "status", "bytes", "rank", "relevance", "asset", "fetchedAt", "media"].map(typeOf)).toEqual([
    "UTF8",
    "UTF8",
    "INT64",
    "INT64",
    "DOUBLE",
    "BOOLEAN",
    "TIMESTAMP_MILLIS",
    "UTF8",
  ]);
});

/** A value as Parquet has it: whole numbers as INT, times as TIMESTAMP. */
function asColumn(value: unknown): unknown {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value);
  return Number.isInteger(value) ? BigInt(value as number) : value;
}

test("another reader finds the values, large numbers too", async () => {
  const record: RecordView = {
    ...SAMPLE_RECORD,
    url: "https://a.test/Ö",
    fields: { price: 12.5, tags: ["a"], sku: null },
    title: "=1+1\n",
    bytes: 5_000_000_000,
    fetchedAt: "2026-01-01T00:00:00.123Z",
  };
  const columns = [
    { name: "price", as: "number" as const },
    { name: "tags", as: "list" as const },
    { name: "sku", as: "text" as const },
  ];
  const file = await fileOf([record], columns);
  const { fields: _, extracted: __, ...others } = record;
  expect(await parquetReadObjects({ file })).toEqual([
    {
      ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, asColumn(value)])),
      bytes: 5_000_000_000n,
      relevance: 0.75,
      fetchedAt: new Date("2026-01-01T00:00:00.123Z"),
      "fields.price": 12.5,
      "fields.tags": '["a"]',
      "fields.sku": null,
    },
  ]);
});
