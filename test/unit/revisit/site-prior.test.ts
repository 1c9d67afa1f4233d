import fc from "fast-check";
import { expect, test } from "vitest";
import { randomFrom } from "../../../bench/freshness/random.ts";
import { addKnowledge, boundKnowledge, NO_CHANGES } from "../../../bench/freshness/totals.ts";
import { afterVisit, type ChangeCount, type Visit } from "../../../src/revisit/change-rate.ts";
import { learnFrom, NOTHING_KNOWN, priorOf } from "../../../src/revisit/site-prior.ts";

/** What a year of weekly visits tells of pages that change so often a day. */
function watchFor(rates: readonly number[]) {
  const random = randomFrom(3);
  let known = NOTHING_KNOWN;
  const pages: ChangeCount[] = rates.map(() => NO_CHANGES);
  for (let week = 0; week < 52; week++) {
    const prior = priorOf(known, 7);
    for (const [i, rate] of rates.entries()) {
      const page = pages[i] ?? NO_CHANGES;
      const visit: Visit = { days: 7, changed: random() < 1 - Math.exp(-7 * rate), signalPrecision: null };
      known = addKnowledge(known, learnFrom(page, visit, prior));
      pages[i] = afterVisit(page, visit, prior);
    }
    known = boundKnowledge(known, rates.length, 7);
  }
  return priorOf(known, 7);
}

test("a watch that knows nothing takes its pages for ones that change every four mean intervals", () => {
  expect(priorOf(NOTHING_KNOWN, 7)).toEqual({ perDay: 1 / 28, weight: 1 });
});

test("pages that change alike get a heavy prior at their mean rate, so they are visited alike", () => {
  const prior = watchFor(Array.from({ length: 200 }, () => 1 / 30));
  expect(prior.weight).toBe(16);
  expect(prior.perDay).toBeCloseTo(1 / 30, 2);
});

test("a few busy pages among quiet ones get a light prior, so one change tells much", () => {
  const prior = watchFor(Array.from({ length: 200 }, (_, i) => (i % 20 === 0 ? 1 / 5 : 1 / 3_000)));
  expect(prior.weight).toBeLessThan(1);
});

test("totals do not depend on the order in which batches add to them", () => {
  const visits = fc.array(
    fc.record({
      days: fc.double({ min: 0, max: 90, noNaN: true }),
      changed: fc.boolean(),
      signalPrecision: fc.constant(null),
    }),
    { minLength: 2, maxLength: 20 },
  );
  fc.assert(
    fc.property(visits, (all) => {
      const told = all.map((visit) => learnFrom({ changes: 1, days: 20 }, visit, priorOf(NOTHING_KNOWN, 7)));
      const forwards = told.reduce(addKnowledge, NOTHING_KNOWN);
      const backwards = told.toReversed().reduce(addKnowledge, NOTHING_KNOWN);
      expect(forwards.changes).toBeCloseTo(backwards.changes, 8);
      expect(forwards.days).toBeCloseTo(backwards.days, 8);
      for (const [i, loss] of forwards.losses.entries()) expect(loss).toBeCloseTo(backwards.losses[i] ?? -1, 8);
    }),
  );
});

test("totals stay bounded, and what is halved keeps its rate", () => {
  const told = { changes: 100, days: 5_000, losses: [1, 2, 3, 4, 5] };
  let known = NOTHING_KNOWN;
  for (let i = 0; i < 1_000; i++) known = boundKnowledge(addKnowledge(known, told), 10, 7);
  expect(known.days).toBeLessThanOrEqual(64 * 7 * 10 + 5_000);
  expect(known.changes / known.days).toBeCloseTo(0.02, 10);
});

test("a prior is finite, whatever is stored", () => {
  const any = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1));
  fc.assert(
    fc.property(any, any, fc.array(any, { maxLength: 8 }), (changes, days, losses) => {
      const { perDay, weight } = priorOf({ changes, days, losses }, 7);
      expect(Number.isFinite(perDay) && perDay > 0).toBe(true);
      expect([1 / 16, 1 / 4, 1, 4, 16]).toContain(weight);
    }),
  );
});
