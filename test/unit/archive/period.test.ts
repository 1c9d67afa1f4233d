import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timestamp } from "../../../src/archive/cdxj.ts";
import { periodOf } from "../../../src/archive/period.ts";

describe("the digits of a time in an address", () => {
  test.each([
    ["2026", "2026-01-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"],
    ["202602", "2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"],
    ["202802", "2028-02-01T00:00:00.000Z", "2028-02-29T23:59:59.999Z"],
    ["20261121", "2026-11-21T00:00:00.000Z", "2026-11-21T23:59:59.999Z"],
    ["2026112109", "2026-11-21T09:00:00.000Z", "2026-11-21T09:59:59.999Z"],
    ["202611210930", "2026-11-21T09:30:00.000Z", "2026-11-21T09:30:59.999Z"],
    ["20261121093000", "2026-11-21T09:30:00.000Z", "2026-11-21T09:30:00.999Z"],
    ["20261231235959", "2026-12-31T23:59:59.000Z", "2026-12-31T23:59:59.999Z"],
  ])("%s is a period from %s to %s", (digits, start, end) => {
    expect(periodOf(digits)).toEqual({ start: Date.parse(start), end: Date.parse(end) });
  });

  test.each([
    "",
    "202",
    "0050",
    "20260",
    "202600",
    "202613",
    "20260230",
    "20270229",
    "20261131",
    "2026112124",
    "202611210960",
    "20261121093060",
    "202611210930001",
    "2026112109300012",
    "2026-11-21",
    "２０２６",
  ])("%j are no period", (digits) => {
    expect(periodOf(digits)).toBeNull();
  });

  test("name the second of every time", () => {
    const times = fc.integer({ min: 0, max: Date.parse("9999-12-31T23:59:59Z") });
    fc.assert(
      fc.property(times, (time) => {
        const period = periodOf(timestamp(time));
        expect(period?.start).toBe(Math.floor(time / 1000) * 1000);
        expect((period?.end ?? 0) - (period?.start ?? 0)).toBe(999);
      }),
    );
  });
});
