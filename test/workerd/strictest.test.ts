import { expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS, DEFAULT_POLITENESS, readOptions } from "../../src/crawl/crawl-options.ts";
import { strictest } from "../../src/frontier/batch/admit.ts";

/** Crawls share a host: the most careful of them sets its pace. */

const crawlWith = (maxBytesPerSecond: number, from = ""): CrawlOptions => {
  const politeness = { ...DEFAULT_POLITENESS, maxBytesPerSecond };
  return { ...DEFAULT_OPTIONS, urls: [], userAgent: "Test/1", politeness, from };
};

test.each([
  [[0, 0], 0],
  [[0, 5_000], 5_000],
  [[9_000, 0, 5_000], 5_000],
])("bandwidth limits of %j make %i", (limits, expected) => {
  expect(strictest(limits.map((limit) => crawlWith(limit))).maxBytesPerSecond).toBe(expected);
});

test("a request for robots.txt has the From header of a crawl", () => {
  expect(strictest([crawlWith(0, "me@a.test")]).from).toBe("me@a.test");
});

test("a crawl of an older version has neither limit nor From header", () => {
  const { from: _from, maxBytes: _maxBytes, politeness, ...older } = crawlWith(7, "me@a.test");
  const { maxBytesPerSecond: _limit, ...pace } = politeness;
  const read = readOptions(JSON.stringify({ ...older, politeness: pace }));
  expect(read).toMatchObject({ from: "", maxBytes: 0, politeness: DEFAULT_POLITENESS });
});
