import fc from "fast-check";
import { expect, test } from "vitest";
import { nearestName } from "../../../src/api/requests/nearest-name.ts";

const NAMES = ["url", "limit", "depth", "options", "options.excludePatterns", "politeness.minDelayMs", "maxAttempts"];

test.each([
  ["limt", "limit"],
  ["limits", "limit"],
  ["ilmit", "limit"],
  ["LIMIT", "limit"],
  ["maxDepth", "depth"],
  ["maxattempt", "maxAttempts"],
  ["excludePatterns", "options.excludePatterns"],
  ["minDelay", "politeness.minDelayMs"],
  ["colour", null],
  ["x", null],
  ["", null],
])("%s is near %s", (typed, nearest) => {
  expect(nearestName(typed, NAMES)).toBe(nearest);
});

test("a name is nearest to itself", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (names) => {
      for (const name of names) expect(nearestName(name, names)).toBe(name);
    }),
  );
});
