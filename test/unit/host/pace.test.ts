import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffMs, LanePacer, restAfter, restMs } from "../../../src/host/pace.ts";

const DEFAULT = { minDelayMs: 1_000, maxDelayMs: 30_000, delayFactor: 5, crawlDelayMs: null };

describe("restMs", () => {
  test.each([
    ["a fast host rests for the minimum delay", 50, DEFAULT, 1_000],
    ["a slow host rests for a multiple of its fetch", 800, DEFAULT, 4_000],
    ["a very slow host rests for the maximum delay", 20_000, DEFAULT, 30_000],
    ["Crawl-delay is a minimum", 50, { ...DEFAULT, crawlDelayMs: 7_000 }, 7_000],
    ["a Crawl-delay above the maximum delay is obeyed", 50, { ...DEFAULT, crawlDelayMs: 120_000 }, 120_000],
    ["Crawl-delay is obeyed up to 300 s", 50, { ...DEFAULT, crawlDelayMs: 86_400_000 }, 300_000],
    ["a minimum delay of 0 means no delay, however slow the host", 2_000, { ...DEFAULT, minDelayMs: 0 }, 0],
    ["a minimum delay of 0, and a Crawl-delay", 0, { ...DEFAULT, minDelayMs: 0, crawlDelayMs: 2_000 }, 2_000],
    ["a delay factor that gives half a millisecond", 801, { ...DEFAULT, delayFactor: 1.5 }, 1_202],
    ["a Crawl-delay of half a millisecond", 50, { ...DEFAULT, crawlDelayMs: 2_000.5 }, 2_001],
    ["a minimum delay above the maximum wins", 50, { ...DEFAULT, minDelayMs: 60_000 }, 60_000],
  ])("%s", (_, durationMs, pace, expected) => {
    expect(restMs(durationMs, pace)).toBe(expected);
  });
});

describe("restAfter, with a limit of 10,000 bytes a second", () => {
  const limited = { ...DEFAULT, minDelayMs: 0, maxBytesPerSecond: 10_000 };
  test.each([
    ["a body that needed its time", 2_000, 20_000, limited, 0],
    ["a fast body waits for the rest of its time", 500, 20_000, limited, 1_500],
    ["a longer delay wins", 500, 20_000, { ...limited, minDelayMs: 1_000 }, 2_500],
    ["a longer Crawl-delay wins", 500, 20_000, { ...limited, crawlDelayMs: 7_000 }, 7_000],
    ["no body", 500, 0, limited, 0],
    ["without a limit", 500, 20_000, { ...limited, maxBytesPerSecond: 0 }, 0],
    ["at most a day", 0, 10_000_000_000, limited, 86_400_000],
  ])("%s", (_, durationMs, bodyBytes, pace, expected) => {
    expect(restAfter(durationMs, bodyBytes, pace)).toBe(expected);
  });
});

test("backoffMs doubles from 10 s to an hour", () => {
  expect([1, 2, 3, 9, 10, 40].map(backoffMs)).toEqual([10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000]);
});

describe("LanePacer", () => {
  test("no lane brings more bytes than its bandwidth limit, over requests and rests, on several connections", () => {
    const fetches = fc.array(fc.tuple(fc.nat(5_000), fc.nat(100_000)), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fetches, fc.integer({ min: 1_000, max: 50_000 }), fc.integer({ min: 1, max: 4 }), (all, limit, n) => {
        const pacer = new LanePacer({ ...DEFAULT, minDelayMs: 0, maxBytesPerSecond: limit }, 1_000);
        let now = 1_000;
        let total = 0;
        for (let i = 0; i < all.length; i += n) {
          // The connections start together, and each starts again when all have ended.
          const round = all.slice(i, i + n).map((each) => ({ each, startAt: pacer.start(now) }));
          for (const { each, startAt } of round.toSorted((a, b) => a.startAt + a.each[0] - (b.startAt + b.each[0]))) {
            const [durationMs, bodyBytes] = each;
            now = Math.max(now, startAt + durationMs);
            total += bodyBytes;
            pacer.finish(startAt + durationMs, durationMs, bodyBytes);
          }
          expect(total).toBeLessThanOrEqual(((Math.max(now, pacer.nextAt) - 1_000) / 1_000) * limit + 1);
        }
      }),
    );
  });

  test("one connection: the next start follows the rest after the last end", () => {
    const pacer = new LanePacer(DEFAULT, 5_000);
    expect(pacer.start(0)).toBe(5_000);
    pacer.finish(5_400, 400);
    expect(pacer.nextAt).toBe(7_400);
    expect(pacer.start(5_400)).toBe(7_400);
  });

  test("several connections: starts stay apart, and a slow fetch delays the next start", () => {
    const pacer = new LanePacer(DEFAULT, 0);
    expect([pacer.start(0), pacer.start(0), pacer.start(0)]).toEqual([0, 1_000, 2_000]);
    pacer.finish(2_500, 2_500);
    expect(pacer.start(2_500)).toBe(15_000);
  });

  test("several connections of a host whose delay follows its fetches: starts are the minimum delay apart", () => {
    const pacer = new LanePacer({ ...DEFAULT, minDelayMs: 100, delayFactor: 200 }, 0);
    expect([pacer.start(0), pacer.start(0)]).toEqual([0, 100]);
  });
});
