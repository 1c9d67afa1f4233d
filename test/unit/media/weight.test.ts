import { expect, test } from "vitest";
import { kindOf } from "../../../src/media/kind/kinds.ts";
import { weighsMuch } from "../../../src/media/kind/weight.ts";

test.each([
  ["text/html", "<p>a</p>", 20_000, false],
  ["text/html", "<p>a</p>", 30_000, true],
  ["text/html", "words, ", 100_000, false],
  ["text/html", "words, ", 160_000, true],
  ["application/rss+xml", "<item/>", 60_000, true],
  ["text/csv", "a,b\n", 20_000, false],
  ["text/csv", "a,b\n", 30_000, true],
  ["text/tab-separated-values", "a\tb\n", 30_000, true],
  ["application/json", "[1,2],", 100_000, false],
  ["application/json", "[1,2],", 180_000, true],
  ["application/xml", "<a/>", 100_000, false],
  ["text/plain", "a,b\n", 100_000, false],
  ["text/plain", "a,b\n", 300_000, true],
])("%s of %j, %d times", (type, unit, times, expected) => {
  expect(weighsMuch(new TextEncoder().encode(unit.repeat(times)), kindOf(type))).toBe(expected);
});
