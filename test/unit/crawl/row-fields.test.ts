import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldsInRow, KEPT_START, keptFieldsOf, splitFields, toRowFields } from "../../../src/crawl/page/row-fields.ts";

const name = fc.stringMatching(/^[a-z_][A-Za-z0-9_-]{0,20}$/).filter((each) => !each.startsWith("_"));
const text = fc.string({ unit: "binary", maxLength: 50 }).map((each) => each.repeat(60));
const value = fc.oneof(fc.constant(null), fc.double({ noNaN: true }), text, fc.array(text, { maxLength: 10 }));
const PLACE = { pack: "p", offset: 1, length: 2, size: 3 };

test("each field is in the row or in the pack, and the row is small", () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { maxKeys: 20, noNullPrototype: true }), (fields) => {
      const split = splitFields(fields);
      if (split === null) {
        expect(JSON.stringify(fields).length).toBeLessThanOrEqual(12_000);
        return;
      }
      const { small, large } = split;
      expect({ ...small, ...large }).toEqual(fields);
      expect(Object.keys(small).length + Object.keys(large).length).toBe(Object.keys(fields).length);
      expect(JSON.stringify(small).length).toBeLessThanOrEqual(12_000);
      const row = toRowFields(small, { ...PLACE, names: Object.keys(large) });
      expect(JSON.stringify(row).startsWith(KEPT_START)).toBe(true);
      expect(fieldsInRow(row)).toEqual(small);
      expect(keptFieldsOf(row)?.names).toEqual(Object.keys(large));
    }),
  );
});

test("the smallest fields stay in the row", () => {
  const fields = { long: "x".repeat(11_000), price: 3, list: ["y".repeat(9_000)] };
  expect(splitFields(fields)).toEqual({ small: { price: 3, list: fields.list }, large: { long: fields.long } });
});

test("fields in a pack are read where one of them is wanted", () => {
  const row = toRowFields({ price: 3 }, { ...PLACE, names: ["long"] });
  expect(keptFieldsOf(row, ["price"])).toBeNull();
  expect(keptFieldsOf(row, ["price", "long"])).toEqual({ ...PLACE, names: ["long"] });
  expect(keptFieldsOf({ price: 3 })).toBeNull();
});
