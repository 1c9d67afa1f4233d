import { expect, test } from "vitest";
import { measureWatch } from "../../../bench/freshness/measure-watch.ts";
import type { SettledVisit } from "../../../bench/freshness/pipeline/order.ts";
import type { TextSite } from "../../../bench/freshness/text-site.ts";

/** What the freshness bench says of a run of the pipeline. */

const DAY = 86_400_000;
const BEGIN = Date.UTC(2026, 0, 1);

/** A page that says A, B from day 3, A again from day 20, C from day 30, and D from day 31. */
const site: TextSite = {
  name: "test",
  beginMs: BEGIN,
  days: 200,
  pages: [
    {
      name: "a",
      bornDay: 0,
      goneDay: Number.POSITIVE_INFINITY,
      changeDays: Float64Array.from([3, 20, 30, 31]),
      textAt: (version) => ["A", "B", "A", "C", "D"][version] ?? "",
    },
  ],
};

const visit = (day: number, result: SettledVisit["result"]): SettledVisit => ({
  url: "http://site/p/a",
  at: BEGIN + day * DAY,
  result,
  change: result === "changed" ? "changed" : null,
  isStored: result === "changed",
});

const measure = (visits: SettledVisit[]) =>
  measureWatch(
    site,
    {
      fetched: [{ url: "http://site/p/a", at: BEGIN }],
      visits,
      changes: [],
      usage: {},
      beats: { count: 1, usage: {} },
      seconds: 1,
      firstUsage: {},
      keepUsage: {},
      largeBeats: null,
      statements: [],
      held: {
        ...{ packs: 0, packBytes: 0, records: 0, oldPacks: 0, oldRecords: 0, versions: 0, changes: 0 },
        ...{ databaseBytes: 0, rowBytes: { version: 0, change: 0, pack: 0 }, removed: null },
      },
    },
    7,
  );

test("the delay runs from each change to the visit that tells it", () => {
  const measured = measure([
    visit(5, "changed"),
    visit(21, "changed"),
    visit(33, "changed"),
    visit(40, "not-modified"),
  ]);
  // Days 3 to 5, 20 to 21, 30 to 33 and 31 to 33.
  expect(measured.delayDays).toBe((2 + 1 + 3 + 2) / 4);
  expect(measured).toMatchObject({ missedShare: 1 / 4, toldShare: 1, falseShare: 0, notModifiedShare: 1, visits: 4 });
  expect(measured.longestIntervals).toBe(160 / 7);
});

test("a change that a visit did not tell is found by the next one that does", () => {
  const measured = measure([visit(5, "same"), visit(12, "changed"), visit(25, "changed"), visit(33, "changed")]);
  expect(measured.delayDays).toBe((9 + 5 + 3 + 2) / 4);
  expect(measured.toldShare).toBe(1);
});

test("a change that was undone before it was told was not told", () => {
  const measured = measure([visit(5, "same"), visit(25, "same"), visit(33, "changed")]);
  // What was undone says what was told.
  expect(measured.toldShare).toBe(2 / 3);
});

test("a notice of a page that says what it said is false", () => {
  const measured = measure([visit(5, "changed"), visit(12, "changed"), visit(19, "same")]);
  expect(measured.falseShare).toBe(1 / 2);
});
