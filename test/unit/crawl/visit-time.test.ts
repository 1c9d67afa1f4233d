import { expect, test } from "vitest";
import { visitsSince } from "../../../src/crawl/watch/visit-time.ts";

test.each<[string, { storedAt: number | null; lastAt: number }, number, number]>([
  ["the first visit after the version was found", { storedAt: 100, lastAt: 100 }, 110, 1],
  ["a version that was found three intervals ago", { storedAt: 100, lastAt: 120 }, 130, 3],
  ["an interval that is longer than those before", { storedAt: 100, lastAt: 110 }, 130, 2],
  ["a last interval that does not fit in whole", { storedAt: 100, lastAt: 116 }, 126, 3],
  ["a version that is in no pack", { storedAt: null, lastAt: 100 }, 110, 1],
  ["a clock that stands still", { storedAt: 100, lastAt: 120 }, 120, 1],
  ["a clock that was set back since the last visit", { storedAt: 100, lastAt: 120 }, 110, 1],
  ["a clock that was set back before the version was found", { storedAt: 200, lastAt: 100 }, 110, 1],
])("visits since the stored version was found: %s", (_, visit, now, expected) => {
  expect(visitsSince(visit, now)).toBe(expected);
});
