import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelayMs, spreadDelayMs } from "../../../src/frontier/batch/retry-delay.ts";

/** `random`: as Math.random returns it. */
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("a delay is whole milliseconds, and between half and one and a half times what it is about", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400_000 }), random, (ms, chance) => {
      const delayMs = spreadDelayMs(ms, chance);
      expect(Number.isInteger(delayMs)).toBe(true);
      expect(Math.abs(delayMs - ms)).toBeLessThanOrEqual(ms / 2 + 0.5);
    }),
  );
});

test("the delay of a retry doubles with each failure", () => {
  expect([0, 1, 2, 8].map((failures) => retryDelayMs(failures, 0.5))).toEqual([5_000, 10_000, 20_000, 1_280_000]);
  expect([0, 1, 2].map((failures) => retryDelayMs(failures, 0.123_456_7))).toEqual([3_117, 6_235, 12_469]);
});
