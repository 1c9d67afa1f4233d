import { expect, test } from "vitest";
import { bytes, count, duration, minuteOf, plural, short, state } from "../../../src/core/shown-values.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1 kB"],
  [1_049, "1 kB"],
  [1_050, "1.1 kB"],
  [99_949, "99.9 kB"],
  [99_951, "100 kB"],
  [123_456, "123 kB"],
  [999_499, "999 kB"],
  [999_500, "1 MB"],
  [8_400_000, "8.4 MB"],
  [10_000_000_000, "10 GB"],
  [2_500_000_000_000_000, "2,500 TB"],
])("bytes(%d)", (size, text) => expect(bytes(size)).toBe(text));

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [123_456, "123,456"],
  [12_345_678, "12,345,678"],
])("count(%d)", (value, text) => expect(count(value)).toBe(text));

test.each([
  [0, "0"],
  [0.049, "0.05"],
  [0.098, "0.1"],
  [3, "3.0"],
  [99.94, "99.9"],
  [99.96, "100"],
  [1_234.5, "1,235"],
])("short(%d)", (value, text) => expect(short(value)).toBe(text));

test.each([
  [0.04, "0 s"],
  [0.2, "0.2 s"],
  [9.94, "9.9 s"],
  [9.96, "10 s"],
  [59.4, "59 s"],
  [59.6, "1 min 0 s"],
  [3_599.6, "1 h 0 min"],
  [3_725, "1 h 2 min"],
  [90_000, "1 d 1 h"],
])("duration(%d)", (seconds, text) => expect(duration(seconds)).toBe(text));

test("plural, minuteOf and state", () => {
  expect([plural(1, "page"), plural(1_200, "page")]).toEqual(["1 page", "1,200 pages"]);
  expect(minuteOf("2026-11-21T09:30:59.123Z")).toBe("2026-11-21 09:30");
  expect(state("cancelled_due_to_timeout")).toBe("cancelled due to timeout");
});
