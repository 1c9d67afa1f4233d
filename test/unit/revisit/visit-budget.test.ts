import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openBudget, stepBudget, type VisitBudget, visitsAllowed } from "../../../src/revisit/visit-budget.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const START = Date.UTC(2026, 0, 1);

interface Machine {
  isAwake?: (hour: number) => boolean;
  clockMs?: (hour: number) => number;
  isFixed?: boolean;
  everyMs?: number;
  /** No page waits longer, in mean intervals. */
  most?: number;
  /** Visits of an hour that repeat failed ones. */
  repeated?: (hour: number) => number;
}

/**
 * Pages with intervals of their own (in mean intervals, before the scale), looked at every hour while the machine is
 * awake. Returns the visits of each hour.
 */
function watchPages(
  own: readonly number[],
  hours: number,
  {
    isAwake = () => true,
    clockMs = (hour) => START + hour * HOUR_MS,
    isFixed = false,
    everyMs = WEEK_MS,
    most = Number.POSITIVE_INFINITY,
    repeated = () => 0,
  }: Machine = {},
) {
  let budget = openBudget(clockMs(0));
  const visited = own.map((_, i) => START - (i / own.length) * everyMs);
  const visits: number[] = [];
  let begun = { ordinary: 0, signalled: 0 };
  let next = 0;
  for (let hour = 0; hour < hours; hour++) {
    visits[hour] = 0;
    if (!isAwake(hour)) continue;
    const nowMs = clockMs(hour);
    budget = stepBudget(budget, { nowMs, everyMs, pages: own.length, begun, isFixed, beatMs: HOUR_MS });
    begun = { ordinary: 0, signalled: 0 };
    const { ordinary } = visitsAllowed(budget, own.length, 0);
    for (let k = 0, from = next; k < own.length && begun.ordinary < ordinary; k++) {
      const i = (from + k) % own.length;
      const interval = Math.min(most, (own[i] ?? 1) * (isFixed ? 1 : budget.scale));
      if (nowMs - (visited[i] ?? 0) < interval * everyMs) continue;
      visited[i] = nowMs;
      begun.ordinary += 1;
      next = i + 1;
    }
    visits[hour] = begun.ordinary;
    begun.ordinary += repeated(hour);
  }
  return { visits, budget };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const YEAR_HOURS = 365 * 24;
const budgetOf = (pages: number, hours = YEAR_HOURS) => (pages * hours * HOUR_MS) / WEEK_MS;

describe("a year of visits", () => {
  test.each([
    ["as long as the time between two looks", 1],
    ["of three looks", 3],
    ["of ten looks", 10],
  ])("keeps the budget with an interval %s", (_, looks) => {
    const { visits } = watchPages([1, 1, 1, 1, 0.5, 2], 2_000, { everyMs: looks * HOUR_MS });
    const share = sumOf(visits) / ((6 * 2_000) / looks);
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThan(1.05);
  });

  test.each([
    ["one page", [1]],
    ["three pages that want half of the budget", [2, 2, 2]],
    ["ten pages that want four times the budget", Array.from({ length: 10 }, () => 0.25)],
    ["300 pages with intervals from a tenth to ten", Array.from({ length: 300 }, (_, i) => 10 ** ((i % 21) / 10 - 1))],
  ])("keeps the budget: %s", (_, own) => {
    const { visits } = watchPages(own, YEAR_HOURS);
    expect(sumOf(visits) / budgetOf(own.length)).toBeGreaterThan(0.95);
    expect(sumOf(visits) / budgetOf(own.length)).toBeLessThan(1.05);
  });

  test("does not oscillate once the scale is found", () => {
    const { visits } = watchPages(
      Array.from({ length: 300 }, (_, i) => 0.3 + (i % 10) / 10),
      YEAR_HOURS,
    );
    for (let week = 10; week < 52; week++) {
      const inWeek = sumOf(visits.slice(week * 168, (week + 1) * 168));
      expect(inWeek / 300).toBeGreaterThan(0.85);
      expect(inWeek / 300).toBeLessThan(1.15);
    }
  });

  // Most of the pages are visited near the bound: a larger scale has no effect on them.
  test("goes back to its rhythm within a week of an outage in which all pages were asked again and again", () => {
    const [outage, pages] = [30 * 24, 40];
    const repeated = (hour: number) => (hour >= outage && hour < outage + 36 ? 2 : 0);
    const own = Array.from({ length: pages }, (_, i) => (i % 8 === 0 ? 0.4 : i % 4 === 1 ? 1 : 1.4));
    const { visits } = watchPages(own, 90 * 24, { everyMs: DAY_MS, most: 1.45, repeated });
    for (let day = 38; day < 87; day++) {
      const inDays = sumOf(visits.slice(day * 24, (day + 3) * 24)) / (3 * pages);
      expect(inDays).toBeGreaterThan(0.9);
      expect(inDays).toBeLessThan(1.1);
    }
  });

  test("with --fixed leaves the scale alone", () => {
    expect(watchPages([0.1, 0.1, 5], 2_000, { isFixed: true }).budget.scale).toBe(1);
  });
});

describe("what falls due at once", () => {
  const own = Array.from({ length: 700 }, () => 1);

  test("after a month of sleep is spread over about one mean interval", () => {
    const wake = 30 * 24;
    const { visits } = watchPages(own, wake + 14 * 24, { isAwake: (hour) => hour === 0 || hour >= wake });
    const days = Array.from({ length: 14 }, (_, day) => sumOf(visits.slice(wake + day * 24, wake + (day + 1) * 24)));
    for (const day of days) expect(day).toBeLessThan(700 * (1 / 8 + 1.25 / 7) + 2);
    expect(sumOf(days.slice(0, 7))).toBeGreaterThan(0.9 * 700);
    expect(sumOf(days.slice(0, 7))).toBeLessThan(1.4 * 700);
  });

  test("after a month of sleep is no budget that was saved", () => {
    const step = { everyMs: WEEK_MS, pages: 700, begun: { ordinary: 0, signalled: 0 }, isFixed: false };
    const awake = stepBudget(openBudget(START), { ...step, nowMs: START + 30 * DAY_MS });
    expect(awake.credit).toBe(700 / 8);
    expect(awake.base).toBeGreaterThan(0.95);
    expect(awake.scale).toBeGreaterThan(0.85);
  });

  test("after a clock that jumps a year ahead, too", () => {
    const jump = 100;
    const { visits } = watchPages(own, jump + 168, {
      clockMs: (hour) => START + hour * HOUR_MS + (hour < jump ? 0 : 365 * DAY_MS),
    });
    expect(Math.max(...visits)).toBeLessThan(700 / 4);
  });

  test("in each night of a laptop is visited by the next day, so the budget holds", () => {
    const { visits } = watchPages(own, 60 * 24, { isAwake: (hour) => hour % 24 >= 8 });
    expect(sumOf(visits) / budgetOf(700, 60 * 24)).toBeGreaterThan(0.95);
    expect(sumOf(visits) / budgetOf(700, 60 * 24)).toBeLessThan(1.05);
  });

  test("of pages that were added goes at the rate of the larger budget", () => {
    const before: VisitBudget = { scale: 1, credit: 0, tokens: 0, atMs: START };
    const step = { everyMs: WEEK_MS, begun: { ordinary: 0, signalled: 0 }, isFixed: false };
    const after = stepBudget(before, { ...step, nowMs: START + HOUR_MS, pages: 16_800 });
    expect(visitsAllowed(after, 16_800, 0).ordinary).toBe(125);
  });
});

describe("a clock that goes back", () => {
  test("adds nothing, and time goes on from there", () => {
    const step = { everyMs: WEEK_MS, pages: 168, begun: { ordinary: 0, signalled: 0 }, isFixed: false };
    const back = stepBudget({ ...openBudget(START), credit: 5 }, { ...step, nowMs: START - 30 * DAY_MS });
    expect(back).toEqual({
      ...{ base: 1, credit: 5, tokens: 0, spare: 0, atMs: START - 30 * DAY_MS },
      scale: expect.closeTo(1 - 5 / 168, 2),
    });
    expect(stepBudget(back, { ...step, nowMs: back.atMs + HOUR_MS }).credit).toBeCloseTo(6, 9);
  });
});

describe("signalled pages", () => {
  const spent: VisitBudget = { scale: 1, credit: 0, tokens: 0, atMs: START };

  test("of a trusted host may all be visited at once, and the debt is repaid", () => {
    expect(visitsAllowed(spent, 100, 1)).toEqual({ ordinary: 0, signalled: 100 });
    const begun = { ordinary: 0, signalled: 100 };
    const step = { nowMs: START + HOUR_MS, everyMs: WEEK_MS, pages: 100, begun, isFixed: false };
    const after = stepBudget(spent, step);
    expect(visitsAllowed(after, 100, 1).signalled).toBe(0);
    expect(after.scale).toBeGreaterThan(1);
  });

  test("of a host that lies find no place of their own", () => {
    expect(visitsAllowed({ ...spent, credit: 100 }, 100, 0).signalled).toBe(0);
  });

  test("leave the tokens to the others", () => {
    const begun = { ordinary: 0, signalled: 5_000 };
    const step = { nowMs: START + DAY_MS, everyMs: WEEK_MS, pages: 700, begun, isFixed: false };
    expect(visitsAllowed(stepBudget(spent, step), 700, 1).ordinary).toBeGreaterThan(80);
  });
});

describe("visits that ask again for what one has not decided", () => {
  const step = { everyMs: DAY_MS, pages: 40, isFixed: false, beatMs: HOUR_MS };
  /** The credit after ten days with so many visits an hour beside those of the budget. */
  const creditAfter = (repeated: number) => {
    let budget = openBudget(START);
    for (let hour = 1; hour <= 240; hour++) {
      const begun = { ordinary: 40 / 24 + repeated, signalled: 0, repeated };
      budget = stepBudget(budget, { ...step, nowMs: START + hour * HOUR_MS, begun });
    }
    return budget.credit;
  };

  test("take nothing of the budget, a quarter of it at most", () => {
    expect(creditAfter(10 / 24)).toBeCloseTo(0, 6);
    expect(creditAfter(11 / 24)).toBeCloseTo(-10, 6);
  });

  test("are not saved for later", () => {
    const later = { ...step, nowMs: START + 30 * DAY_MS, begun: { ordinary: 0, signalled: 0 } };
    const { spare = 0 } = stepBudget({ ...openBudget(START), spare: 10 }, later);
    expect(spare).toBe(10);
  });
});

test("a budget stays within its bounds, whatever happens", () => {
  const step = fc.record({
    nowMs: fc.integer({ min: 0, max: 4e12 }),
    everyMs: fc.integer({ min: 60_000, max: 365 * DAY_MS }),
    pages: fc.integer({ min: 0, max: 1e7 }),
    begun: fc.record({ ordinary: fc.nat(1e6), signalled: fc.nat(1e6), repeated: fc.nat(1e6) }),
    isFixed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 50 }), (steps) => {
      let budget = openBudget(START);
      for (const next of steps) {
        budget = stepBudget(budget, next);
        expect(budget.scale).toBeGreaterThanOrEqual(1 / 64);
        expect(budget.scale).toBeLessThanOrEqual(64);
        expect(Math.abs(budget.credit)).toBeLessThanOrEqual(Math.max(next.pages, 1));
        const { ordinary, signalled } = visitsAllowed(budget, next.pages, 1);
        expect(ordinary).toBeGreaterThanOrEqual(0);
        expect(ordinary).toBeLessThanOrEqual(Math.max(next.pages / 8, 1));
        expect(signalled).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
