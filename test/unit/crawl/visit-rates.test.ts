import { expect, test } from "vitest";
import { everyMsOf, parseRate, shortestEveryMs } from "../../../src/crawl/watch/visit-rates.ts";

test.each<[string, ReturnType<typeof parseRate>]>([
  ["1h:/prices/**", { everyS: 3_600, glob: "/prices/**" }],
  ["30d: /archive/**", { everyS: 2_592_000, glob: "/archive/**" }],
  ["2w:https://a.test/*", { everyS: 1_209_600, glob: "https://a.test/*" }],
  ["30s:/prices/**", null],
  ["1h:", null],
  ["/prices/**", null],
  ["https://a.test/**", null],
  ["often:/prices/**", null],
])("an interval for a pattern: %s", (written, rate) => {
  expect(parseRate(written)).toEqual(rate);
});

test("the first pattern that matches a URL gives its interval, and all others have that of the watch", () => {
  const watch = { everyS: 86_400, everyFor: ["1h:/prices/**", "30d:/prices/old/**", "7d:/archive/**"] };
  const hours = (path: string) => everyMsOf(watch)(`https://a.test${path}`) / 3_600_000;
  expect(["/prices/1", "/prices/old/1", "/archive/1", "/"].map(hours)).toEqual([1, 1, 168, 24]);
  expect(shortestEveryMs(watch)).toBe(3_600_000);
  expect(everyMsOf({ everyS: 60 })("https://a.test/prices/1")).toBe(60_000);
});
