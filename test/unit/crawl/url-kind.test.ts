import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_PAGE_PRIORITY, type PageClaim, pagePriority } from "../../../src/crawl/page/url-kind.ts";

const PLAIN: PageClaim = { isPreferred: false, score: null, nth: null };

test.each<[string, Partial<PageClaim>, number]>([
  ["a page", {}, 0],
  ["a preferred page", { isPreferred: true }, 900],
  ["the first of a pattern", { nth: 1 }, -30],
  ["the thousandth of a pattern", { nth: 1_000 }, -300],
  ["the thousandth preferred one", { isPreferred: true, nth: 1_000 }, 600],
  ["a link of score 0", { score: 0 }, 0],
  ["a link of score 0.5", { score: 0.5 }, 440],
  ["a link of score 0.504", { score: 0.504 }, 440],
  ["a link of score 1", { score: 1 }, 880],
  ["a good link of a pattern", { score: 0.8, nth: 100 }, 500],
  ["a bad link of a pattern", { score: 0, nth: 100 }, -200],
  ["a preferred page that is off the subject", { isPreferred: true, score: 0 }, 900],
  ["a preferred page that is on it", { isPreferred: true, score: 1 }, 990],
])("the priority of %s", (_, claim, priority) => expect(pagePriority({ ...PLAIN, ...claim })).toBe(priority));

const claim = fc.record<PageClaim>({
  isPreferred: fc.boolean(),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
  nth: fc.option(fc.integer({ min: 1, max: 10_000_000 }), { nil: null }),
});

test("a page's priority is a whole number within its bounds, below that of assets", () => {
  fc.assert(
    fc.property(claim, (each) => {
      const priority = pagePriority(each);
      expect(Number.isInteger(priority)).toBe(true);
      expect(Math.abs(priority)).toBeLessThanOrEqual(MAX_PAGE_PRIORITY);
    }),
  );
});

test("a better score is never behind, and only a growing pattern gives way", () => {
  fc.assert(
    fc.property(claim, fc.double({ min: 0, max: 1, noNaN: true }), (each, other) => {
      const [low, high] = [Math.min(each.score ?? 0, other), Math.max(each.score ?? 0, other)];
      expect(pagePriority({ ...each, score: high })).toBeGreaterThanOrEqual(pagePriority({ ...each, score: low }));
      if (each.nth === null) expect(pagePriority(each)).toBeGreaterThanOrEqual(0);
    }),
  );
});
