import { expect, test } from "vitest";
import type { CrawlView } from "../../../src/api/views.ts";
import { levelBoxes } from "../../../src/console/analysis/level-boxes.ts";
import type { TreeNode } from "../../../src/crawl/page/url-tree.ts";

const CRAWL = { id: "c" } as CrawlView;
const PATH = "https://a.test/";
const counts = { urls: 1, completed: 1, queued: 0, errored: 0, bytes: 10 };
const pagesOf = (length: number): TreeNode[] =>
  Array.from({ length }, (_, i) => ({ segment: `page-${100 + i}.html`, isLeaf: true, ...counts }));
const boxesOf = (children: TreeNode[]) =>
  levelBoxes(CRAWL, { level: { path: PATH, children, rest: null, ranges: [] }, below: new Map() }, "urls");

test("a folder of a few pages has a box for each", () => {
  expect(boxesOf(pagesOf(40)).map(({ name, size }) => [name, size])).toEqual(
    pagesOf(40).map(({ segment }) => [segment, 1]),
  );
});

test("one of many pages has ranges of names, of which each leads to its records, beside its folders", () => {
  const folder = { ...counts, segment: "guides/", isLeaf: false, urls: 5 };
  // The API names the largest first.
  const boxes = boxesOf([folder, ...pagesOf(150).toReversed()]);
  expect(boxes.length).toBeLessThan(26);
  expect(boxes.reduce((sum, { size }) => sum + size, 0)).toBe(155);
  expect(boxes.slice(0, 3).map(({ name, href }) => [name, href])).toEqual([
    ["guides/", `/crawls/c/map?${new URLSearchParams({ path: `${PATH}guides/` })}`],
    ["page-100.html – page-106.html", `/crawls/c/records?${new URLSearchParams({ q: PATH })}`],
    [
      "page-107.html – page-113.html",
      `/crawls/c/records?${new URLSearchParams({ q: PATH, cursor: `${PATH}page-106.html` })}`,
    ],
  ]);
});
