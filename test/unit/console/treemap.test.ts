import fc from "fast-check";
import { expect, test } from "vitest";
import { squarify } from "../../../src/console/analysis/treemap.ts";

const RECTANGLE = { x: 10, y: 20, width: 300, height: 200 };
const sizes = fc
  .array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 60 })
  .map((each) => each.toSorted((a, b) => b - a));

test("areas are in proportion to their sizes, stay inside the rectangle and fill it", () => {
  fc.assert(
    fc.property(sizes, (input) => {
      const total = input.reduce((sum, size) => sum + size, 0);
      const areas = squarify(input, RECTANGLE);
      expect(areas.length).toBe(input.length);
      for (const [i, { x, y, width, height }] of areas.entries()) {
        expect(width * height).toBeCloseTo((60_000 * (input[i] ?? 0)) / total, 4);
        expect(Math.min(x - 10, y - 20, 310 - x - width, 220 - y - height)).toBeGreaterThan(-1e-6);
      }
    }),
  );
});

test("no two areas overlap", () => {
  fc.assert(
    fc.property(sizes, (input) => {
      const areas = squarify(input, RECTANGLE);
      for (const [i, a] of areas.entries())
        for (const b of areas.slice(i + 1)) {
          const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
          const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
          expect(Math.min(wide, high)).toBeLessThan(1e-6);
        }
    }),
    { numRuns: 30 },
  );
});

test("six equal sizes are nearly square, and no sizes give no areas", () => {
  const ratios = squarify([1, 1, 1, 1, 1, 1], RECTANGLE).map(({ width, height }) =>
    Math.max(width / height, height / width),
  );
  expect(Math.max(...ratios)).toBeLessThan(1.51);
  expect(squarify([], RECTANGLE)).toEqual([]);
});
