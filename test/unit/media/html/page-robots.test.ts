import { expect, test } from "vitest";
import { decidePageRobots, headerDirectives, metaDirectives } from "../../../../src/media/html/facts/page-robots.ts";

test.each([
  ["noindex", ["noindex"]],
  ["NoIndex, NOFOLLOW", ["noindex", "nofollow"]],
  ["noindex nofollow", ["noindex", "nofollow"]],
  ["noindex;nofollow", ["noindex", "nofollow"]],
  ["noindex ; nofollow;", ["noindex", "nofollow"]],
  ["max-snippet:50;none", ["max-snippet:50", "none"]],
  ["max-snippet: 50, none", ["max-snippet: 50", "none"]],
  ["max-image-preview:large noindex", ["max-image-preview:large", "noindex"]],
  ["max-snippet : -1 nofollow", ["max-snippet : -1", "nofollow"]],
  ["noindex unavailable_after: 25 Jun 2030 15:00:00 PST", ["noindex", "unavailable_after: 25 jun 2030 15:00:00 pst"]],
  ["Unavailable_After: 25 Jun 2030 15:00:00 PST, none", ["unavailable_after: 25 jun 2030 15:00:00 pst", "none"]],
  ["unavailable_after: Sat, 01-Jan-00 00:00:00 GMT, none", ["unavailable_after: sat, 01-jan-00 00:00:00 gmt", "none"]],
  ["", []],
])("meta %s", (content, directives) => {
  expect(metaDirectives(content)).toEqual(directives);
});

test.each([
  [null, []],
  ["noindex", ["noindex"]],
  ["noindex, nofollow", ["noindex", "nofollow"]],
  ["orbweaver: noindex, nofollow", ["noindex", "nofollow"]],
  ["Orbweaver: NOINDEX", ["noindex"]],
  ["otherbot: noindex, nofollow", []],
  ["otherbot: noindex, orbweaver: nofollow", ["nofollow"]],
  ["nofollow, otherbot: noindex", ["nofollow"]],
  ["orb: noindex", []],
  ["orbweaver-news: noindex", []],
  ["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", ["unavailable_after: 25 jun 2030 15:00:00 pst", "noindex"]],
  [",, noarchive ,", ["noarchive"]],
  ["noindex;nofollow", ["noindex", "nofollow"]],
  ["unavailable_after: Sunday, 02 Jan 2000 00:00:00 GMT", ["unavailable_after: sunday, 02 jan 2000 00:00:00 gmt"]],
  [
    "unavailable_after: sun, 02 jan 2000 00:00:00 gmt, none",
    ["unavailable_after: sun, 02 jan 2000 00:00:00 gmt", "none"],
  ],
  ["otherbot: unavailable_after: Sun, 02 Jan 2000 00:00:00 GMT, orbweaver: noarchive", ["noarchive"]],
  // Two headers, of which one names another crawler.
  ["otherbot: noindex, noindex", ["noindex"]],
  ["otherbot: noindex, none", ["none"]],
  ["otherbot: nofollow, noindex", ["noindex"]],
  ["otherbot: noarchive, noindex, nofollow", ["noindex", "nofollow"]],
  ["otherbot: noindex, nofollow, noindex", ["noindex"]],
  ["noindex, otherbot: nofollow", ["noindex"]],
  ["otherbot: noindex, nofollow, anotherbot: none, nofollow", ["nofollow"]],
])("X-Robots-Tag %s", (value, directives) => {
  expect(headerDirectives(value, "Orbweaver")).toEqual(directives);
});

test.each([
  [[], [], null, null],
  [["noindex"], [], "meta: noindex", null],
  [["index", "follow"], ["none"], "X-Robots-Tag: none", "X-Robots-Tag: none"],
  [["nofollow"], ["noindex"], "X-Robots-Tag: noindex", "meta: nofollow"],
  [["noarchive", "max-snippet: 0"], [], null, null],
  [["all"], ["noindex"], "X-Robots-Tag: noindex", null],
])("meta %j with header %j", (meta, header, noindex, nofollow) => {
  expect(decidePageRobots(meta, header)).toEqual({ noindex, nofollow });
});

test.each([
  ["unavailable_after: 2026-03-01", "2026-02-28T23:59:59Z", false],
  ["unavailable_after: 2026-03-01", "2026-03-01T00:00:00Z", true],
  ["unavailable_after: 25 jun 2010 15:00:00 pst", "2026-01-01T00:00:00Z", true],
  ["unavailable_after:saturday, 01-jan-11 15:00:00 pst", "2026-01-01T00:00:00Z", true],
  ["unavailable_after: 2030-01-01t00:00:00+01:00", "2026-01-01T00:00:00Z", false],
  ["unavailable_after: some day", "2026-01-01T00:00:00Z", false],
])("%s at %s", (directive, now, isOver) => {
  expect(decidePageRobots([directive], [], Date.parse(now)).noindex).toBe(isOver ? `meta: ${directive}` : null);
  expect(decidePageRobots([], [directive], Date.parse(now)).noindex).toBe(isOver ? `X-Robots-Tag: ${directive}` : null);
  expect(decidePageRobots([directive], []).noindex).toBeNull();
});
