import { expect, test } from "vitest";
import { cronProblem, nextOccurrence } from "../../../src/lifecycle/cron.ts";

const NOON = Date.UTC(2026, 0, 15, 12);

test.each([
  ["* * * * *", "2026-01-15T12:01:00.000Z"],
  ["30 3 * * *", "2026-01-16T03:30:00.000Z"],
  ["0 0 1 * *", "2026-02-01T00:00:00.000Z"],
  ["0 9 * * MON", "2026-01-19T09:00:00.000Z"],
  ["0 0 29 2 *", "2028-02-29T00:00:00.000Z"],
])("%s in UTC", (cron, next) => {
  expect(new Date(nextOccurrence(cron, NOON)).toISOString()).toBe(next);
  expect(cronProblem(cron, NOON)).toBeNull();
});

test.each(["", "soon", "* * * *", "* * * * * *", "60 * * * *", "0 0 31 2 *"])("%j is refused with a reason", (cron) => {
  expect(cronProblem(cron, NOON)).toEqual(expect.any(String));
});
