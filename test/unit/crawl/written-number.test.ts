import fc from "fast-check";
import { expect, test } from "vitest";
import type { Unit } from "../../../src/crawl/options/option.ts";
import { readNumber, writeNumber } from "../../../src/crawl/options/written-number.ts";

const UNITS: (Unit | undefined)[] = ["ms", "s", "days", "bytes", "bytes/s", "tokens", "US$", undefined];

test.each<[Unit | undefined, number, string]>([
  ["ms", 30_000, "30"],
  ["ms", 60, "0.06"],
  ["s", 1_800, "30m"],
  ["s", 0, "0"],
  ["s", 90, "90s"],
  ["bytes", 2_000_000_000, "2GB"],
  ["bytes", 26_214_400, "26.2144MB"],
  ["bytes", 999, "999"],
  ["bytes", 0, "0"],
  ["bytes/s", 250_000, "250kB"],
  ["days", 90, "90"],
  [undefined, 1_000_000, "1000000"],
])("%s %d is written %s", (unit, value, written) => expect(writeNumber(value, unit)).toBe(written));

test.each<[Unit | undefined, string, number | string]>([
  ["ms", "1.5", 1_500],
  ["bytes", "1.5 gb", 1_500_000_000],
  ["bytes", "10,000", 10_000],
  ["bytes/s", "500 kB/s", 500_000],
  ["s", "2h", 7_200],
  ["s", "soon", "soon"],
  ["bytes", "2 apples", "2 apples"],
  [undefined, "1,000", 1_000],
  [undefined, "many", "many"],
])("%s %s is read as %s", (unit, typed, value) => expect(readNumber(typed, unit)).toBe(value));

test("what is written is read as the same number", () => {
  fc.assert(
    fc.property(fc.constantFrom(...UNITS), fc.oneof(fc.nat(), fc.nat(1_000), fc.maxSafeNat()), (unit, value) => {
      fc.pre(unit !== "s" || value < 1e9);
      fc.pre(unit !== "ms" || value < 1e12);
      expect(readNumber(writeNumber(value, unit), unit)).toBe(value);
    }),
  );
});
