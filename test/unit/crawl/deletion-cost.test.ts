import { expect, it } from "vitest";
import { deletionUsd } from "../../../src/crawl/bounds/deletion-cost.ts";
import { DEFAULT_OPTIONS } from "../../../src/crawl/crawl-options.ts";

const COUNTERS = {
  discovered: 0,
  pending: 0,
  queued: 0,
  completed: 0,
  disallowed: 0,
  skipped: 0,
  errored: 0,
  cancelled: 0,
};

it.each([
  ["nothing", 0, 0, false, 0],
  ["a million URLs that were not stored", 1_000_000, 0, false, 1.04],
  ["a million pages", 1_000_000, 1_000_000, false, 2.04],
  ["a million pages with search", 1_000_000, 1_000_000, true, 6.04],
])("deleting %s", (_, discovered, completed, search, usd) => {
  const crawl = {
    counters: { ...COUNTERS, discovered, completed },
    options: { ...DEFAULT_OPTIONS, urls: [], userAgent: "", search },
  };
  expect(deletionUsd(crawl)).toBeCloseTo(usd);
});
