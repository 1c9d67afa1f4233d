import { expect, test } from "vitest";
import { NO_RULES } from "../../../src/changes/ignore-rules.ts";
import { ignoredElementsOf } from "../../../src/crawl/watch/ignored-elements.ts";
import { versionOfHtml } from "../changes/version.ts";

/** Which elements of a page count for changes, read by the real reader. */

const PAGE = `<html><head><title>Shop</title></head><body><nav><a href="/">Home</a></nav>
<main><h1>Chair</h1><p class="ad">Buy two chairs today.</p><div id="offer"><p class="price">20 EUR</p>
<p>In stock. <b class="note">Ships soon.</b></p></div><p>Rated by 12 people.</p></main></body></html>`;
const blocksOf = (only: string[], selectors: string[] = [], html = PAGE) =>
  versionOfHtml(
    html,
    ignoredElementsOf({ only, ignore: { ...NO_RULES, selectors: [...selectors], urls: [], patterns: [] } }),
  ).blocks;

test.each<[string[], string[], string[]]>([
  [["#offer"], [], ["20 EUR", "In stock. Ships soon."]],
  [["#offer"], [".note"], ["20 EUR", "In stock."]],
  [[".price"], [], ["20 EUR"]],
  [[".price", "h1"], [], ["Chair", "20 EUR"]],
  [["h1, .ad"], [], ["Chair", "Buy two chairs today."]],
])("%j without %j", (only, ignored, blocks) => {
  expect(blocksOf(only, ignored).map((block) => block.trim())).toEqual(blocks);
});

test("a page without a watched element counts as a whole, and so does one of a watch of all", () => {
  expect(blocksOf(["#gone"])).toEqual(blocksOf([]));
  expect(blocksOf([]).length).toBeGreaterThan(3);
  expect(ignoredElementsOf(null)).toEqual([]);
});

test("a page of thousands of elements is read in a time that is no danger", () => {
  const deep = "<div>".repeat(200) + "<p class=price>20 EUR</p>" + "</div>".repeat(200);
  const html = `<html><body>${"<p>A line of <b>text</b>.</p>".repeat(8_000)}${deep}</body></html>`;
  const began = process.cpuUsage().user;
  expect(blocksOf([".price"], [], html).map((block) => block.trim())).toEqual(["20 EUR"]);
  expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(5_000);
});
