import { expect, test } from "vitest";
import { mergeValues } from "../../../src/extract/merge-values.ts";

test("lists have the items of all pages once, and of other values the first counts", () => {
  const merged = mergeValues([
    { url: "a", values: { name: null, items: [{ n: 1 }], maker: { city: "Ulm" } } },
    { url: "b", values: { name: "B", items: [{ n: 1 }, { n: 2 }, null], maker: { city: "Bonn", name: "M" } } },
    { url: "c", values: null },
    { url: "d", values: { name: ["no text"], items: "no list", maker: 7 } },
  ]);
  expect(merged).toEqual({
    values: { name: "B", items: [{ n: 1 }, { n: 2 }], maker: { city: "Ulm", name: "M" } },
    sources: { items: ["a", "b"], "maker.city": ["a"], name: ["b"], "maker.name": ["b"] },
  });
  expect(mergeValues([])).toEqual({ values: null, sources: {} });
});
