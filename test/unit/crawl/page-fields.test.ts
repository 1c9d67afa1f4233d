import { describe, expect, test } from "vitest";
import { changedFields, compileFields, describeFields, fieldColumns } from "../../../src/crawl/page/page-fields.ts";

describe("the rules of a URL", () => {
  const rulesOf = compileFields([
    { urls: ["/p/**", "https://other.test/*"], fields: { price: { selector: "b" }, name: {} } },
    { urls: [], fields: { price: { selector: "i" }, title: {} } },
  ]);
  test.each([
    ["https://a.test/p/1/2", { price: { selector: "b" }, name: {}, title: {} }],
    ["https://other.test/x", { price: { selector: "b" }, name: {}, title: {} }],
    ["https://a.test/about", { price: { selector: "i" }, title: {} }],
  ])("%s", (url, rules) => expect(rulesOf(url)).toEqual(rules));

  test("a page that no group is for has none", () => {
    expect(compileFields([{ urls: ["/p/*"], fields: { a: {} } }])("https://a.test/")).toBeNull();
    expect(compileFields([])("https://a.test/")).toBeNull();
  });
});

test.each([
  [{ a: 1 }, { a: 1 }, [], ""],
  [{ a: 1 }, { a: 2 }, [{ name: "a", before: 1, after: 2 }], "a: 1 → 2"],
  [
    { a: 1, b: "x" },
    { a: null, b: "y" },
    [
      { name: "a", before: 1, after: null },
      { name: "b", before: "x", after: "y" },
    ],
    "a: 1 → none; b: x → y",
  ],
  [{ a: ["x"] }, { a: ["x", "y"] }, [{ name: "a", before: ["x"], after: ["x", "y"] }], "a: x → x, y"],
  [{ a: ["x"] }, { a: ["x"] }, [], ""],
  // Fields that only one of them has by its rules.
  [{ a: 1 }, { b: 2, constructor: "c" }, [], ""],
  [
    { a: "x".repeat(2_000) },
    { a: null },
    [{ name: "a", before: "x".repeat(1_000), after: null }],
    `a: ${"x".repeat(79)}… → none`,
  ],
])("%#: what has changed", (before, after, changes, words) => {
  expect(changedFields(before, after)).toEqual(changes);
  expect(describeFields(changes)).toBe(words);
});

test("a column has the type on which all groups agree", () => {
  const columns = fieldColumns([
    { urls: ["/a"], fields: { price: {}, n: { selector: "b", as: "number" }, d: { selector: "b", as: "date" } } },
    { urls: ["/b"], fields: { n: { selector: "b" }, d: { selector: "i", as: "date" } } },
  ]);
  expect(columns).toEqual([
    { name: "price", as: "number" },
    { name: "n", as: "text" },
    { name: "d", as: "date" },
  ]);
});
