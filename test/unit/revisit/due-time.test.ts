import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueAt, dueTerms, type RevisitPolicy, type VisitedPage } from "../../../src/revisit/due-time.ts";

const DAY_MS = 86_400_000;
const VISITED = Date.UTC(2026, 10, 1);
const WEEKLY: RevisitPolicy = { everyMs: 7 * DAY_MS, isFixed: false, scale: 1, prior: { perDay: 1 / 50, weight: 1 } };
const PAGE: VisitedPage = {
  seq: 0,
  changes: 0,
  days: 0,
  visitedMs: VISITED,
  isRevisited: true,
  isSignalled: false,
  trust: null,
};
const TRUSTED = { precision: 1, recall: 1 };

/** Days from the last visit to the next. */
function interval(page: Partial<VisitedPage>, policy: Partial<RevisitPolicy> = {}): number {
  return (dueAt({ ...PAGE, ...page }, { ...WEEKLY, ...policy }, VISITED) - VISITED) / DAY_MS;
}

describe("an interval", () => {
  test("is the mean interval for a page at the site's rate", () => {
    expect(interval({})).toBeCloseTo(7, 6);
  });

  test("is in proportion to 1 / sqrt(rate)", () => {
    expect(interval({ changes: 3, days: 0 })).toBeCloseTo(3.5, 6);
    expect(interval({ changes: 0, days: 7 })).toBeCloseTo(7 * Math.sqrt(1.14), 1);
  });

  test("moves with the scale, without a new visit", () => {
    expect(interval({}, { scale: 0.5 })).toBeCloseTo(3.5, 6);
    expect(interval({ changes: 3 }, { scale: 2 })).toBeCloseTo(7, 6);
  });

  test("is at most 1.45 mean intervals, and at least a 32nd of one", () => {
    expect(interval({ days: 1e6 })).toBeCloseTo(7 * 1.45, 6);
    expect(interval({ changes: 1e6 })).toBeCloseTo(7 / 32, 6);
  });

  test("with --fixed is the same for all pages", () => {
    const pages = [{}, { changes: 50 }, { days: 1e4 }, { isSignalled: true, trust: TRUSTED }];
    for (const page of pages) expect(interval(page, { isFixed: true, scale: 3 })).toBe(7);
  });
});

describe("a signal", () => {
  test("of a trusted host makes a page due at once where changes are rare", () => {
    expect(interval({ isSignalled: true, trust: TRUSTED })).toBeLessThan(0.5);
  });

  test("counts as far as its host is trusted", () => {
    const days = [0, 0.1, 0.5, 1].map((precision) => interval({ isSignalled: true, trust: { precision, recall: 0 } }));
    expect(days[0]).toBeCloseTo(7, 6);
    expect(days).toEqual(days.toSorted((a, b) => b - a));
  });

  test("waits longer where there are more changes than visits", () => {
    const busy = { prior: { perDay: 5, weight: 1 } };
    expect(interval({ isSignalled: true, trust: TRUSTED }, busy)).toBeGreaterThan(3);
  });

  test("that is missing lengthens the interval of a trusted host's page, at most to the double", () => {
    expect(interval({ trust: { precision: 1, recall: 0.5 } })).toBeCloseTo(7 * Math.SQRT2, 6);
    expect(interval({ trust: TRUSTED })).toBeCloseTo(14, 6);
    expect(interval({ trust: { precision: 0, recall: 0 } })).toBeCloseTo(7, 6);
    expect(interval({ days: 1e6, trust: TRUSTED })).toBeCloseTo(24.5, 6);
  });
});

describe("the first revisits", () => {
  const pages = Array.from({ length: 700 }, (_, seq) => seq);
  const firsts = pages.map((seq) => interval({ seq, isRevisited: false }));

  test("are spread evenly over one mean interval, as are those of each part of the site", () => {
    for (const part of [firsts, firsts.slice(300, 370)])
      for (let day = 0; day < 7; day++) {
        const share = part.filter((first) => first >= day && first < day + 1).length / part.length;
        expect(share).toBeGreaterThan(0.8 / 7);
        expect(share).toBeLessThan(1.2 / 7);
      }
  });

  test("with --fixed too", () => {
    expect(Math.max(...pages.map((seq) => interval({ seq, isRevisited: false }, { isFixed: true })))).toBeGreaterThan(
      6.9,
    );
  });

  test("do not wait for their turn where a trusted host signals a change", () => {
    for (const seq of pages.slice(0, 50))
      expect(interval({ seq, isRevisited: false, isSignalled: true, trust: TRUSTED })).toBeLessThan(0.5);
  });
});

describe("a clock that is set back", () => {
  test("leaves visits in the future, whose pages are due now", () => {
    const now = VISITED - 30 * DAY_MS;
    expect(dueAt(PAGE, WEEKLY, now)).toBe(now);
  });

  test("by seconds changes nothing", () => {
    expect(dueAt(PAGE, WEEKLY, VISITED - 5_000)).toBe(VISITED + 7 * DAY_MS);
  });
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const amount = fc.double({ min: 0, max: 1e4, noNaN: true });
const somePage = fc.record({
  seq: fc.nat(1e7),
  changes: amount,
  days: amount,
  visitedMs: fc.constant(VISITED),
  isRevisited: fc.boolean(),
  isSignalled: fc.boolean(),
  trust: fc.option(fc.record({ precision: share, recall: share })),
});
const somePolicy = fc.record({
  everyMs: fc.integer({ min: 60_000, max: 365 * DAY_MS }),
  isFixed: fc.boolean(),
  scale: fc.double({ min: 1 / 64, max: 64, noNaN: true }),
  prior: fc.record({
    perDay: fc.double({ min: 1e-5, max: 1_440, noNaN: true }),
    weight: fc.constantFrom(1 / 16, 1, 16),
  }),
});

test("no interval is longer than seven mean intervals, and no revisited page's shorter than a 32nd", () => {
  fc.assert(
    fc.property(somePage, somePolicy, (page, policy) => {
      const waited = dueAt(page, policy, VISITED) - VISITED;
      expect(Number.isInteger(waited)).toBe(true);
      expect(waited).toBeLessThanOrEqual(7 * policy.everyMs + 1);
      expect(waited).toBeGreaterThanOrEqual(page.isRevisited ? policy.everyMs / 32 - 1 : 0);
    }),
  );
});

test("a query leaves out no page that is due, by the terms alone", () => {
  const db = new DatabaseSync(":memory:");
  // The condition of the scan: no signal is worth more than a precision of 1, no silence makes a page due sooner.
  const statement = db.prepare(
    `SELECT CASE
       WHEN NOT :revisited AND :t >= (:seq * 0.61803398875 - CAST(:seq * 0.61803398875 AS INTEGER)) * :firstDays THEN 1
       WHEN :t < :leastDays OR NOT (:revisited OR :signalled) THEN 0
       WHEN :t >= :mostDays THEN 1
       ELSE (:changes + :weight) * :t * :t + 2 * :signalled * :t * (:days + :weight / :perDay)
         >= :threshold * (:days + :weight / :perDay)
     END AS isDue`,
  );
  fc.assert(
    fc.property(somePage, somePolicy, fc.double({ min: 0, max: 9, noNaN: true }), (page, policy, intervals) => {
      const nowMs = VISITED + Math.ceil(intervals * policy.everyMs);
      if (dueAt(page, policy, nowMs) > nowMs) return;
      const { changes, days, isSignalled, isRevisited, seq } = page;
      // Due times are whole milliseconds.
      const t = ((nowMs - VISITED) / DAY_MS) * (1 + 1e-9) + 1 / DAY_MS;
      const row = { changes, days, seq, signalled: isSignalled ? 1 : 0, revisited: isRevisited ? 1 : 0 };
      expect(statement.get({ ...dueTerms(policy), ...policy.prior, ...row, t })).toEqual({ isDue: 1 });
    }),
  );
  db.close();
});
