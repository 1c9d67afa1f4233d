import { expect, test } from "vitest";
import type { Json, ValueSchema } from "../../../src/extract/extraction.ts";
import { checkedSchema, schemaProblem } from "../../../src/extract/value-schema.ts";

/** Schemas of values: which can be used, and what is valid by them. */

const PRODUCT: ValueSchema = {
  type: "object",
  properties: {
    name: { type: "string" },
    price: { type: "number", minimum: 0 },
    state: { enum: ["new", "used"] },
    maker: { $ref: "#/$defs/maker" },
    tags: { type: "array", items: { type: "string" } },
    sku: { type: "string", pattern: "^(a+)+$" },
  },
  required: ["name", "price"],
  additionalProperties: false,
  $defs: { maker: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
};

test.each<[string, Json]>([
  ["all values", { name: "Drill", price: 1, state: "new", maker: { city: "Ulm" }, tags: ["a"], sku: "b" }],
  ["nothing on the page", { name: null, price: null, state: null, maker: null, tags: null, sku: null }],
  ["less than all", { name: "Drill", price: 0, maker: { city: null } }],
])("valid: %s", (_, values) => expect(checkedSchema(PRODUCT).problems(values)).toEqual([]));

test.each<[string, Json, string]>([
  ["a string for a number", { name: "a", price: "12" }, "/price:"],
  ["another word", { name: "a", price: 1, state: "old" }, "/state:"],
  ["a key that nobody asked for", { name: "a", price: 1, more: 1 }, "more"],
  ["a required key is missing", { name: "a" }, "price"],
  ["null in a list", { name: "a", price: 1, tags: [null] }, "/tags/0:"],
  ["no object", [], "/:"],
])("invalid: %s", (_, values, says) => {
  expect(checkedSchema(PRODUCT).problems(values).join("\n")).toContain(says);
});

test.each<[string, ValueSchema, RegExp]>([
  ["a reference elsewhere", { $ref: "https://a.test/schema.json" }, /references within it/],
  ["a reference to nothing", { properties: { a: { $ref: "#/$defs/none" } } }, /does not have/],
  ["a reference to itself", { $ref: "#" }, /cannot be used/],
  ["no type", { properties: { a: { type: "strng" } } }, /^properties\.a\.type has "strng"/],
  ["no list", { anyOf: { type: "null" } }, /^anyOf is no list/],
  ["no schema", { items: { not: "this" } }, /^items\.not is no schema/],
  ["too large", { description: "x".repeat(30_000) }, /characters/],
  ["too deep", JSON.parse(`${'{"items":'.repeat(25)}{}${"}".repeat(25)}`) as ValueSchema, /levels/],
])("refused: %s", (_, schema, says) => expect(schemaProblem(schema)).toMatch(says));

test("a schema of an earlier draft, and one of a list, can be used", () => {
  expect(schemaProblem({ $schema: "http://json-schema.org/draft-07/schema#", type: "array" })).toBeNull();
  expect(schemaProblem(PRODUCT)).toBeNull();
});
