import { expect, test } from "vitest";
import type { Crawl } from "../../../src/crawl/crawl.ts";
import { fillHistory, historyStepMs, type Report } from "../../../src/crawl/report/report.ts";
import { ReportCache } from "../../../src/reading/analysis/report-cache.ts";

const crawl = (id: string, updatedAt: number, finishedAt: number | null = null) =>
  ({ id, updatedAt, finishedAt, counters: { discovered: updatedAt } }) as Crawl;

/** A cache whose reports take `tookMs` each, and a count of the reports that were made. */
function countReports(tookMs: number) {
  let now = 1_000;
  let made = 0;
  const cache = new ReportCache();
  const make = async () => {
    made += 1;
    now += tookMs;
    return { codes: { 200: made } } as unknown as Report;
  };
  const ask = async (updatedAt: number, id = "a", finishedAt: number | null = null) =>
    (await cache.of(crawl(id, updatedAt, finishedAt), { now: () => now }, make)).codes;
  return {
    ask,
    made: () => made,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("a crawl that does not change has one report, however old", async () => {
  const { ask, made, pass } = countReports(10);
  await ask(1);
  pass(86_400_000);
  expect([await ask(1), made()]).toEqual([{ 200: 1 }, 1]);
  await ask(1, "b");
  expect(made()).toBe(2);
});

test("a crawl that changes has a report every two seconds, and slow reports are made less often", async () => {
  const quick = countReports(10);
  await quick.ask(1);
  quick.pass(1_999);
  await quick.ask(2);
  expect(quick.made()).toBe(1);
  quick.pass(1);
  await quick.ask(2);
  expect(quick.made()).toBe(2);

  const slow = countReports(500);
  await slow.ask(1);
  slow.pass(9_999);
  await slow.ask(2);
  expect(slow.made()).toBe(1);
  slow.pass(1);
  expect([await slow.ask(2), slow.made()]).toEqual([{ 200: 2 }, 2]);
});

test("a crawl that has just ended has a new report at once, and then no more", async () => {
  const { ask, made } = countReports(500);
  await ask(1);
  expect([await ask(2, "a", 2), made()]).toEqual([{ 200: 2 }, 2]);
  expect([await ask(2, "a", 2), made()]).toEqual([{ 200: 2 }, 2]);
});

test.each([
  [0, 0, 1],
  [0, 119_999, 1],
  [0, 120_000, 2],
  [0, 3_600_000, 60],
  [0, 30 * 86_400_000 - 1, 21_600],
  [0, 400 * 86_400_000, 4 * 86_400],
])("the time from %d to %d ms is shown in at most 120 steps of %d s", (from, to, seconds) => {
  const stepMs = historyStepMs(from, to);
  expect(stepMs).toBe(seconds * 1_000);
  const steps = fillHistory([{ at: from, pages: 3, bytes: 4 }], from, to, stepMs);
  expect(steps[0]).toEqual({ at: from, pages: 3, bytes: 4 });
  expect(steps.length).toBeLessThanOrEqual(120);
});
