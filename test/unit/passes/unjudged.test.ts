import { expect, test } from "vitest";
import { tellUnjudged, unjudgedBy } from "../../../src/passes/links/unjudged.ts";

test.each([
  ["skipped", "limit", "limit"],
  ["disallowed", "robots", "robots"],
  ["cancelled", "time-limit", "time-limit"],
  ["queued", null, "queued"],
  ["queued", "timeout", "queued"],
  ["pending", null, "queued"],
  ["skipped", "same-page", null],
  ["skipped", "no-sitemap", null],
] as const)("a %s URL with the reason %s counts as %s", (status, reason, counted) => {
  expect(unjudgedBy({ status, reason })).toBe(counted);
});

test("the report says what it did not judge, most first", () => {
  expect(tellUnjudged({}, 9)).toEqual([]);
  expect(tellUnjudged({ robots: 2, limit: 1_015, queued: 1 }, 1_167)).toEqual([
    "1,018 of 1,167 URLs were not judged: 1,015 (the crawl had reached its page limit), 2 (robots.txt forbids it), 1 (not fetched yet).",
  ]);
});
