import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundJson } from "../../../../src/media/feed/bound-json.ts";

const feed = (items: readonly unknown[], others: object = {}) =>
  JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: 'a "[{,"', items, ...others });

describe("boundJson()", () => {
  test("leaves a feed within the limits as it is, whatever its strings hold", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.string(), tags: fc.array(fc.string()), x: fc.jsonValue({ maxDepth: 5 }) })),
        (items) => {
          const json = feed(items);
          expect(boundJson(json, 1_000)).toEqual({ json, entries: items.length, kept: items.length });
        },
      ),
      { numRuns: 50 },
    );
  });

  test("cuts after the last entry that counts, and keeps what follows the entries", () => {
    const json = feed(
      Array.from({ length: 5 }, (_, id) => ({ id, text: "a]}" })),
      { language: "en" },
    );
    const bound = boundJson(json, 2);
    expect(bound).toMatchObject({ entries: 5, kept: 2 });
    expect(JSON.parse(bound.json)).toMatchObject({ items: [{ id: 0 }, { id: 1 }], language: "en" });
  });

  test("cuts before the entry that is too much", () => {
    const json = feed([{ id: 1 }, { id: 2, x: Array.from({ length: 400_000 }, () => 0) }, { id: 3 }]);
    const bound = boundJson(json, 100);
    expect(bound).toMatchObject({ entries: 3, kept: 1 });
    expect(JSON.parse(bound.json)).toMatchObject({ items: [{ id: 1 }] });
  });

  test("closes a feed that ends in its entries", () => {
    const json = feed(Array.from({ length: 5 }, (_, id) => ({ id }))).slice(0, -5);
    expect(JSON.parse(boundJson(json, 2).json)).toMatchObject({ items: [{ id: 0 }, { id: 1 }] });
  });

  test.each([
    ["arrays in arrays", `{"version":"x","a":${"[".repeat(1_000)}`, /nested deeper/],
    ["objects in objects", `{"version":"x","items":[${'{"a":'.repeat(1_000)}`, /nested deeper/],
    ["many values beside its entries", feed([], { x: Array.from({ length: 400_000 }, () => []) }), /more than 300000/],
    ["a first entry with many values", feed([{ x: Array.from({ length: 400_000 }, () => 0) }]), /more than 300000/],
    ["many values after its entries", feed([{ id: 1 }], { x: Array.from({ length: 400_000 }, () => 0) }), /more than/],
  ])("a feed with %s is too complex", (_, json, message) => {
    expect(() => boundJson(json, 10_000)).toThrow(message);
  });
});
