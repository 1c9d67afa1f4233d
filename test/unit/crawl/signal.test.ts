import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readingIntervalMs, signalRoom } from "../../../src/crawl/watch/signal.ts";

/** How often sources are read, and how many visits signals may bring. */

describe("sources are read", () => {
  const HOUR = 3_600_000;
  test.each<[everyMs: number, sources: number, pages: number, interval: number]>([
    [168 * HOUR, 1, 1_000, 21 * HOUR],
    [168 * HOUR, 8, 10, 21 * HOUR],
    [HOUR, 1, 1_000, 450_000],
    [60_000, 1, 1_000, 60_000],
    // A quarter as many readings as visits.
    [168 * HOUR, 1_000, 4_000, 168 * HOUR],
    [168 * HOUR, 50_000, 50_000_000, 21 * HOUR],
  ])("every %i ms: %i sources of %i pages each %i ms", (everyMs, sources, pages, interval) => {
    expect(readingIntervalMs(everyMs, sources, pages)).toBe(interval);
  });

  test("at most eight times a mean interval each, and at most a quarter as often as pages are visited", () => {
    const numbers = fc.tuple(
      fc.integer({ min: 60_000, max: 10 ** 12 }),
      fc.integer({ min: 1, max: 50_000 }),
      fc.nat(10 ** 8),
    );
    fc.assert(
      fc.property(numbers, ([everyMs, sources, pages]) => {
        const each = everyMs / readingIntervalMs(everyMs, sources, pages);
        expect(each).toBeLessThanOrEqual(8);
        expect(each * sources).toBeLessThanOrEqual(Math.max(pages / 4, 64) * 1.000_001);
      }),
    );
  });
});

test("signals bring at most one visit a page and mean interval, and half of that at once", () => {
  const everyMs = 1_000_000;
  const asked = fc.array(fc.tuple(fc.nat(200_000), fc.nat(1_000)), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(asked, fc.integer({ min: 1, max: 1_000 }), (waves, pages) => {
      let budget = { debt: 0, at: 0, pages, everyMs };
      let now = 0;
      let taken = 0;
      for (const [waitMs, wanted] of waves) {
        now += waitMs;
        const wave = Math.min(wanted, signalRoom(budget, now));
        const paid = (Math.max(pages, 10) * (now - budget.at)) / everyMs;
        if (wave > 0) budget = { ...budget, debt: Math.max(budget.debt - paid, 0) + wave, at: now };
        taken += wave;
      }
      expect(taken).toBeLessThanOrEqual(Math.max(pages / 2, 10) + (Math.max(pages, 10) * now) / everyMs + 1e-6);
    }),
  );
});

test("a clock that goes back gives no room", () => {
  expect(signalRoom({ debt: 50, at: 1_000, pages: 100, everyMs: 1_000 }, 0)).toBe(0);
});
