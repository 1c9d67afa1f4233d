import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { NO_CHANGES } from "../../../bench/freshness/totals.ts";
import {
  afterVisit,
  type ChangeCount,
  changeProbability,
  changesPerDay,
  countVisit,
  type Visit,
} from "../../../src/revisit/change-rate.ts";

const PRIOR = { perDay: 1 / 50, weight: 1 };
const visit = (days: number, changed: boolean): Visit => ({ days, changed, signalPrecision: null });

describe("a page's rate", () => {
  test("is the site's before its own visits count", () => {
    expect(changesPerDay(NO_CHANGES, PRIOR)).toBeCloseTo(1 / 50, 12);
  });

  test("follows the formula: C is 0.97 C + l / (1 - e^-l), T is 0.97 T + t, the rate (C + 1) / (T + 1 / site)", () => {
    const page = { changes: 2, days: 30 };
    const expected = (3 / 80) * 7;
    const after = afterVisit(page, visit(7, true), PRIOR);
    expect(after.changes).toBeCloseTo(0.97 * 2 + expected / (1 - Math.exp(-expected)), 12);
    expect(after.days).toBeCloseTo(0.97 * 30 + 7, 12);
    expect(changesPerDay(after, PRIOR)).toBeCloseTo((after.changes + 1) / (after.days + 50), 12);
  });

  test("falls with a visit that finds nothing new", () => {
    const after = afterVisit({ changes: 2, days: 30 }, visit(7, false), PRIOR);
    expect(after).toEqual({ changes: 0.97 * 2, days: 0.97 * 30 + 7 });
  });

  test.each([
    ["a tenth of the mean rate", 0.002],
    ["the mean rate", 0.02],
    ["a change every three days", 0.33],
  ])("comes near the truth: %s", (_, truth) => {
    const random = randomFrom(7);
    let page: ChangeCount = NO_CHANGES;
    let sum = 0;
    for (let i = 0; i < 4_000; i++) {
      const days = 1 + 6 * random();
      page = afterVisit(page, visit(days, random() < 1 - Math.exp(-truth * days)), PRIOR);
      if (i >= 100) sum += changesPerDay(page, PRIOR) / 3_900;
    }
    // The prior, a change in 50 days, makes slow pages seem faster, and fast ones slower.
    expect(sum).toBeGreaterThan(0.55 * truth);
    expect(sum).toBeLessThan(1.15 * truth + 1 / 180);
  });

  test("a heavier prior keeps a page nearer to the site's rate", () => {
    const page = { changes: 5, days: 10 };
    const rates = [0.25, 1, 4, 16].map((weight) => changesPerDay(page, { ...PRIOR, weight }));
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
    expect(rates.at(-1)).toBeGreaterThan(PRIOR.perDay);
  });
});

describe("what a change stands for", () => {
  test.each([
    ["none expected", 0, 1],
    ["hardly any expected", 1e-18, 1],
    ["few expected", 1e-9, 1 + 0.5e-9],
    ["one expected", 1, 1 / (1 - Math.exp(-1))],
    ["a hundred expected", 100, 100],
  ])("%s", (_, expected, changes) => {
    expect(countVisit(visit(expected * 10, true), 0.1).changes).toBeCloseTo(changes, 11);
  });

  test("a trusted signal saw the change itself, so the visit stands for one", () => {
    expect(countVisit({ days: 100, changed: true, signalPrecision: 1 }, 0.1).changes).toBe(1);
    expect(countVisit({ days: 100, changed: true, signalPrecision: 0 }, 0.1).changes).toBeCloseTo(10, 3);
  });
});

test("every number stays finite and in its bounds, whatever comes in", () => {
  const any = fc.oneof(fc.double(), fc.constantFrom(0, -1, 1e308, 5e-324, Number.NaN, Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(
      fc.record({ changes: any, days: any }),
      fc.array(fc.record({ days: any, changed: fc.boolean(), signalPrecision: fc.option(any) }), { maxLength: 60 }),
      any,
      fc.constantFrom(1 / 16, 1, 16),
      (start, visits, perDay, weight) => {
        let page = start;
        const prior = { perDay, weight };
        for (const next of visits) page = afterVisit(page, next, prior);
        const rate = changesPerDay(page, prior);
        expect(rate).toBeGreaterThanOrEqual(1e-5);
        expect(rate).toBeLessThanOrEqual(1_440);
        const probability = changeProbability(visits[0]?.days ?? 1, rate);
        expect(probability).toBeGreaterThanOrEqual(0);
        expect(probability).toBeLessThanOrEqual(1);
        if (visits.length > 0) expect(Number.isFinite(page.changes) && Number.isFinite(page.days)).toBe(true);
      },
    ),
  );
});

test("a page that is new at each visit has a rate that still rises, and never without bound", () => {
  let page: ChangeCount = NO_CHANGES;
  const rates: number[] = [];
  for (let i = 0; i < 20_000; i++) {
    page = afterVisit(page, visit(0.25, true), PRIOR);
    rates.push(changesPerDay(page, PRIOR));
  }
  expect(rates[100]).toBeGreaterThan(rates[10] ?? 0);
  expect(rates.at(-1)).toBeLessThanOrEqual(1_440);
});
