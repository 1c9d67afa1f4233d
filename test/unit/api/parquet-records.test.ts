import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import * as z from "zod";
import { columnsOf, writeRecords } from "../../../src/api/parquet-records.ts";
import { type RecordView, recordView } from "../../../src/api/record-schemas.ts";

test.each([
  [z.string(), "string"],
  [z.enum(["a", "b"]).nullable(), "string"],
  [z.int().min(0).nullable(), "long"],
  [z.number(), "double"],
  [z.boolean(), "boolean"],
  [z.iso.datetime().nullable(), "time"],
  [z.array(z.string()), "string"],
  [z.strictObject({ a: z.int() }).nullable(), "string"],
  [z.union([z.string(), z.int()]), "string"],
])("the column of a field", (field, type) => expect(columnsOf(z.strictObject({ field }))).toEqual({ field: type }));

test("a file has a column for each field, with its type, in their order", () => {
  const columns = columnsOf(recordView);
  expect(Object.keys(columns)).toEqual(Object.keys(recordView.shape));
  expect(columns).toMatchObject({ url: "string", bytes: "long", rank: "long", asset: "boolean", fetchedAt: "time" });
});

test("another reader finds the values, large numbers too", async () => {
  const record: RecordView = {
    url: "https://a.test/Ö",
    status: "completed",
    reason: null,
    explanation: null,
    httpStatus: 200,
    depth: 0,
    via: null,
    asset: false,
    media: null,
    fields: { price: 12.5, tags: ["a"], sku: null },
    title: "=1+1\n",
    contentType: "text/html",
    bytes: 5_000_000_000,
    sha256: "00",
    fetchedAt: "2026-01-01T00:00:00.123Z",
    durationMs: 12,
    redirectTo: null,
    language: null,
    lastmod: null,
    truncated: null,
    rank: 96,
    inLinks: 3,
    relevance: 0.75,
    priority: 900,
    document: null,
    twinOf: null,
    shell: null,
    rendered: null,
    label: null,
    confidence: null,
    file: "a.test/index.html",
  };
  const records = async function* () {
    yield record;
  };
  const chunks: Uint8Array[] = [];
  const columns = [
    { name: "price", as: "number" as const },
    { name: "tags", as: "list" as const },
    { name: "sku", as: "text" as const },
  ];
  for await (const chunk of writeRecords(records(), columns)) chunks.push(chunk);
  const file = new Uint8Array(Buffer.concat(chunks)).buffer;
  const { fields: _, ...others } = record;
  expect(await parquetReadObjects({ file })).toEqual([
    {
      ...others,
      "fields.price": 12.5,
      "fields.tags": '["a"]',
      "fields.sku": null,
      httpStatus: 200n,
      depth: 0n,
      bytes: 5_000_000_000n,
      durationMs: 12n,
      rank: 96n,
      inLinks: 3n,
      relevance: 0.75,
      priority: 900n,
      fetchedAt: new Date("2026-01-01T00:00:00.123Z"),
    },
  ]);
});
