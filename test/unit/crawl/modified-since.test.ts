import { expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../../src/crawl/crawl-options.ts";
import { isAskedOnCondition, isUnchanged } from "../../../src/crawl/watch/modified-since.ts";

const SINCE = "2026-03-10T12:00:00Z";

test.each([
  ["2026-03-10T12:00:01Z", false],
  ["2026-03-10T12:00:00Z", true],
  ["2026-03-10T11:59:59Z", true],
  // A day without a time: it may have been anywhere, at any time of it.
  ["2026-03-10", false],
  ["2026-03-09", true],
  ["2027-01-01", false],
])("a page that a sitemap dates %s: unchanged %s", (lastmod, expected) => {
  expect(isUnchanged(Date.parse(lastmod), { modifiedSince: Date.parse(SINCE) / 1000 })).toBe(expected);
  expect(isUnchanged(Date.parse(lastmod), { modifiedSince: null })).toBe(false);
});

test.each<[number, Partial<CrawlOptions>, boolean]>([
  [0, { source: "all" }, false],
  [3, { source: "links" }, false],
  [0, { source: "sitemaps" }, true],
  [2, { depth: 3 }, false],
  [3, { depth: 3 }, true],
  [0, { depth: 0 }, true],
])("at depth %d of %j: on condition %s", (depth, changes, expected) => {
  const options = { ...DEFAULT_OPTIONS, urls: [], userAgent: "", modifiedSince: 1, ...changes };
  expect(isAskedOnCondition(depth, options)).toBe(expected);
  expect(isAskedOnCondition(depth, { ...options, modifiedSince: null })).toBe(false);
});
