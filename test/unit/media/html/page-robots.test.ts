import { expect, test } from "vitest";
import { decidePageRobots, headerDirectives, metaDirectives } from "../../../../src/media/html/page-robots.ts";

test.each([
  ["noindex", ["noindex"]],
  ["NoIndex, NOFOLLOW", ["noindex", "nofollow"]],
  ["noindex nofollow", ["noindex", "nofollow"]],
  ["max-snippet: 50, none", ["max-snippet: 50", "none"]],
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
