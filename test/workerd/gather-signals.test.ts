import { describe, expect, test } from "vitest";
import { gatherSignals } from "../../src/frontier/commit/gather-signals.ts";
import type { CrawlContext } from "../../src/frontier/context.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import type { SignalCount } from "../../src/revisit/signal-trust.ts";

/** Which dates of a sitemap become signals, and how many of them. */

const NOW = Date.UTC(2026, 10, 22, 12);
const DAY = 86_400_000;
const EVERY_S = 7 * 86_400;
const TRUSTED: SignalCount = { signalled: 100, proved: 95, expected: 10, changed: 100 };
const DOUBTED: SignalCount = { signalled: 100, proved: 10, expected: 10, changed: 10 };

interface Known {
  /** By URL; null for a page without a date. Other URLs have no row. */
  dates: Record<string, number | null>;
  lastAt?: number;
  counts?: Record<string, SignalCount>;
  debt?: number;
  pages?: number;
  fixed?: boolean;
}

const contextOf = (fixed: boolean) =>
  ({ crawl: { id: "c", options: { watch: { everyS: EVERY_S, fixed } } } }) as unknown as CrawlContext;

function gather(listed: { url: string; lastmod: number }[], known: Known) {
  const { dates, lastAt = NOW - DAY, counts = {}, debt = 0, pages = 1_000, fixed = false } = known;
  const signals = {
    moved: async (_: string, asked: { url: string; lastmod: number }[]) =>
      asked.flatMap(({ url, lastmod }) => {
        const before = dates[url];
        if (before === undefined || (before !== null && before >= lastmod)) return [];
        return [{ url, lastmod, isFirst: before === null, lastAt }];
      }),
    counts: async () => new Map(Object.entries(counts)),
    budget: async () => ({ debt, at: NOW, pages, everyMs: EVERY_S * 1_000 }),
  };
  return gatherSignals(contextOf(fixed), listed, { signals, clock: { now: () => NOW } } as unknown as Deps);
}

const many = (count: number, lastmod: number, host = "a.test") =>
  Array.from({ length: count }, (_, i) => ({ url: `https://${host}/${i}`, lastmod: lastmod + i }));
const knownAs = (listed: { url: string }[], lastmod: number | null) =>
  Object.fromEntries(listed.map(({ url }) => [url, lastmod]));

describe("a date", () => {
  const url = "https://a.test/x";
  test.each<[name: string, before: number | null | undefined, lastmod: number, signals: number, dated: number]>([
    ["that is later than the known one is a signal", NOW - 9 * DAY, NOW - 8 * DAY, 1, 0],
    ["that is the known one is none", NOW - 9 * DAY, NOW - 9 * DAY, 0, 0],
    ["of a page without a row is none", undefined, NOW, 0, 0],
    ["that is the first one, and before the last visit, is only noted", null, NOW - 9 * DAY, 0, 1],
    ["that is the first one, and after the last visit, is a signal", null, NOW, 1, 0],
    ["that is the first one, and may mean the whole day of the last visit, is a signal", null, NOW - 1.5 * DAY, 1, 0],
    ["of tomorrow is one, for there are time zones", NOW - DAY, NOW + DAY, 1, 0],
    ["in the future is none", NOW - DAY, NOW + DAY + 1, 0, 0],
  ])("%s", async (_, before, lastmod, signals, dated) => {
    const found = await gather([{ url, lastmod }], { dates: before === undefined ? {} : { [url]: before } });
    expect([found.signals.length, found.dated.length]).toEqual([signals, dated]);
  });

  test("counts once where several sitemaps have the page: the latest", async () => {
    const listed = [1, 3, 2].map((days) => ({ url, lastmod: NOW - 9 * DAY + days }));
    expect((await gather(listed, { dates: { [url]: 1 } })).signals).toEqual([
      { url, lastmod: NOW - 9 * DAY + 3, isDue: true },
    ]);
  });

  test("is nothing to a watch that visits all pages alike", async () => {
    const found = await gather([{ url, lastmod: NOW }], { dates: { [url]: 1 }, fixed: true });
    expect(found).toEqual({ signals: [], dated: [], isCut: false });
  });
});

describe("signals of a host", () => {
  const listed = many(600, NOW - DAY);
  const dates = knownAs(listed, 1);

  test("that is trusted are all due, whatever other signals have spent", async () => {
    const { signals, isCut } = await gather(listed, { dates, counts: { "a.test": TRUSTED }, debt: 500 });
    expect([signals.length, signals.every(({ isDue }) => isDue), isCut]).toEqual([600, true, false]);
    // The newest dates go first.
    expect(signals[0]?.lastmod).toBe(NOW - DAY + 599);
  });

  test("that is untested are taken ten at a time", async () => {
    const { signals, isCut } = await gather(listed, { dates });
    expect([signals.length, signals.every(({ isDue }) => isDue), isCut]).toEqual([10, true, true]);
  });

  test("that is doubted are tested by ten visits that come anyway", async () => {
    const { signals, isCut } = await gather(listed, { dates, counts: { "a.test": DOUBTED } });
    expect([signals.length, signals.some(({ isDue }) => isDue), isCut]).toEqual([10, false, false]);
  });

  test("do not depend on another host", async () => {
    const other = many(20, NOW - DAY, "b.test");
    const counts = { "a.test": DOUBTED, "b.test": TRUSTED };
    const { signals } = await gather([...listed, ...other], { dates: { ...dates, ...knownAs(other, 1) }, counts });
    expect(signals.filter(({ isDue }) => isDue).map(({ url }) => new URL(url).host)).toEqual(Array(20).fill("b.test"));
  });

  test("that is untested wait where the room is spent", async () => {
    const { signals, isCut } = await gather(listed, { dates, debt: 500 });
    expect([signals, isCut]).toEqual([[], true]);
  });
});
