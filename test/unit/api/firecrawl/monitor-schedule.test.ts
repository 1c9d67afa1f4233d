import { expect, test } from "vitest";
import { cronOfEveryS, everySOfCron, everySOfText } from "../../../../src/api/firecrawl/monitor-schedule.ts";

/** The interval that a monitor's schedule asks for. */

test.each<[string, number | null]>([
  ["* * * * *", 60],
  ["*/30 * * * *", 1_800],
  ["5,35 * * * *", 1_800],
  ["0 * * * *", 3_600],
  ["15 */6 * * *", 21_600],
  ["0 9,21 * * *", 43_200],
  ["0 9 * * *", 86_400],
  ["0 9 * * MON", 604_800],
  ["0 9 * * 7", 604_800],
  ["0 9 * * mon-sun", null],
  ["0 9 * * 0-6", 86_400],
  // Their times are not evenly apart.
  ["*/7 * * * *", null],
  ["0 9 * * 1-5", null],
  ["0 9,17 * * *", null],
  ["0 0 1 * *", null],
  ["0 0 * 1 *", null],
  ["61 * * * *", null],
  ["* * * * * *", null],
  ["5-1 * * * *", null],
  ["*/0 * * * *", null],
  ["hourly", null],
])("of the cron expression %s", (cron, expected) => {
  expect(everySOfCron(cron)).toBe(expected);
});

test.each<[string, number | null]>([
  ["every 30 minutes", 1_800],
  ["every hour", 3_600],
  ["Hourly", 3_600],
  ["daily at 9:00", 86_400],
  ["weekly on monday", 604_800],
  ["every 2 weeks", 1_209_600],
  ["every 6h", 21_600],
  ["when something happens", null],
  ["every 0 minutes", null],
  ["every 3 months", null],
])("of the words %s", (text, expected) => {
  expect(everySOfText(text)).toBe(expected);
});

test.each([60, 300, 1_800, 3_600, 21_600, 86_400, 604_800])("%d seconds are a cron expression", (everyS) => {
  expect(everySOfCron(cronOfEveryS(everyS) ?? "")).toBe(everyS);
});

test("other intervals are none", () => {
  expect([420, 90, 18_000, 172_800].map(cronOfEveryS)).toEqual([null, null, null, null]);
});
