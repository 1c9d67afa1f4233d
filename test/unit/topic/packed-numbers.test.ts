import fc from "fast-check";
import { expect, test } from "vitest";
import { packNumbers, unpackNumbers } from "../../../src/topic/weights/packed-numbers.ts";

test("numbers of 24 bits come back as they were", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffffff })), (numbers) => {
      const text = packNumbers(numbers);
      expect(text).toHaveLength(4 * numbers.length);
      expect(unpackNumbers(text)).toEqual(numbers);
    }),
  );
});

test.each([-1, 2 ** 24, 0.5, Number.NaN])("%d is refused", (number) => {
  expect(() => packNumbers([number])).toThrow(RangeError);
});
