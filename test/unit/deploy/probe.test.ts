import { expect, test } from "vitest";
import { tableOf } from "../../../scripts/probe.ts";
import type { Measurements, ProbeRequest } from "../../../scripts/probe-measure.ts";

/** What the table of a probe says about its numbers. */

const REQUEST: ProbeRequest = {
  address: "https://crawl.example.com",
  token: "t",
  fast: Array.from({ length: 18 }, (_, i) => `https://fast-${i}.example/`),
  silent: Array.from({ length: 7 }, (_, i) => `https://silent-${i}.example/`),
  timeoutMs: 10_000,
  minDelayMs: 1_000,
};
const FOUND: Measurements = {
  healthMs: 20,
  ledgerMs: 55,
  gatesMs: 105,
  firstPageMs: 1_500,
  dryRunMs: 900,
  aloneMs: 1_000,
  besideMs: 1_100,
  besideShownMs: 1_300,
  pages: 90,
  pagesPerSecond: 15,
  urlsPerBatch: 12.5,
  usdPerMillionPages: 4.2,
};

const row = (what: string, changes: Partial<Measurements> = {}) =>
  tableOf({ ...FOUND, ...changes }, REQUEST).find(([name]) => name === what);

test.each([
  [1_100, "x 1.1", "silent hosts hold up nobody"],
  [4_000, "x 4.0", "silent hosts slow the others down, by less than their timeout"],
  [10_400, "x 10.4", "fast pages waited for silent ones: invocations of one batch may share six connections"],
])("fast pages after %i ms beside silent hosts", (besideMs, ratio, meaning) => {
  expect(row("ratio, beside to alone", { besideMs })).toEqual(["ratio, beside to alone", ratio, meaning]);
});

test("there is no ratio without silent hosts", () => {
  expect(row("ratio, beside to alone", { besideMs: null, besideShownMs: null })).toBeUndefined();
});

test("D1 and the gates take what their requests take beyond the one before", () => {
  expect(row("... with a read of D1")?.[2]).toBe("one query takes about 35 ms");
  expect(row("... and of all gates")?.[2]).toBe("18 gates at once take about 50 ms");
  expect(row("... with a read of D1", { ledgerMs: 10 })?.[2]).toBe("one query takes about 0 ms");
});
