import { expect, test } from "vitest";
import { asFields, changedValues, type KnownValues } from "../../../src/crawl/page/value-changes.ts";

/** Which values of a page count as changed. */

const found = (values: KnownValues["values"], words: Record<string, string> = {}): KnownValues => ({
  values,
  evidence: Object.entries(words).map(([name, each]) => ({
    ...{ path: `/${name}`, words: each, in: "page" as const, at: 0, problem: null },
  })),
});
const PAGE = "Drill 750 W. It costs 17,50 € today.";

test.each<[string, KnownValues | null, KnownValues, string | null, unknown[]]>([
  [
    "another value with other words",
    found({ price: 19.9 }, { price: "19,90 €" }),
    found({ price: 17.5 }, { price: "17,50 €" }),
    PAGE,
    [{ name: "price", before: 19.9, after: 17.5, words: "17,50 €" }],
  ],
  ["the same value", found({ price: 17.5 }), found({ price: 17.5 }, { price: "17,50 €" }), PAGE, []],
  [
    "another value of the same words, as a model may give it",
    found({ name: "Drill 750 W" }, { name: "Drill 750 W" }),
    found({ name: "Drill" }, { name: "Drill 750 W" }),
    PAGE,
    [],
  ],
  ["a value without words of the page", found({ price: 19.9 }, { price: "19,90 €" }), found({ price: 1 }), PAGE, []],
  [
    "a value that a model misses although its words are there",
    found({ price: 17.5 }, { price: "17,50 €" }),
    found({ price: null }),
    PAGE,
    [],
  ],
  [
    "a value whose words are gone",
    found({ price: 19.9 }, { price: "19,90 €" }),
    found({ price: null }),
    PAGE,
    [{ name: "price", before: 19.9, after: null }],
  ],
  [
    "a value that no rule finds any more",
    found({ price: 17.5 }, { price: "17,50 €" }),
    found({ price: null }),
    null,
    [{ name: "price", before: 17.5, after: null }],
  ],
  [
    "all values of a new page",
    null,
    found({ price: 17.5, inStock: true }, { price: "17,50 €", inStock: "today" }),
    PAGE,
    [
      { name: "price", before: null, after: 17.5, words: "17,50 €" },
      { name: "inStock", before: null, after: "yes", words: "today" },
    ],
  ],
  [
    "a list by the words of its items",
    found({ sizes: ["S"] }, { "sizes/0": "Drill" }),
    found({ sizes: ["S", "M"] }, { "sizes/0": "Drill", "sizes/1": "750 W" }),
    PAGE,
    [{ name: "sizes", before: ["S"], after: ["S", "M"], words: "Drill … 750 W" }],
  ],
  [
    "no values",
    found({ price: 17.5 }, { price: "17,50 €" }),
    found(null),
    null,
    [{ name: "price", before: 17.5, after: null }],
  ],
])("%s", (_, before, after, page, expected) => {
  expect(changedValues(before, after, page)).toEqual(expected);
});

test("values are fields for conditions", () => {
  expect(asFields(found({ a: 1, b: "x", c: false, d: { e: 1 }, f: ["x", 2], g: null }))).toEqual({
    ...{ a: 1, b: "x", c: "no", d: '{"e":1}', f: ["x", "2"], g: null },
  });
  expect(asFields(null)).toEqual({});
});
