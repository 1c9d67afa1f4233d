import { expect, test } from "vitest";
import { RedirectList, RedirectListSink, SortedNodes } from "../../../src/graph/redirect-list.ts";

test("a redirect's target is found by its node, whatever its letters, and no other node has one", () => {
  const targets = Array.from({ length: 5_000 }, (_, i): [number, string] => [
    3 * i + 1,
    `https://site.test/${"straße/目/".repeat(i % 7)}${i}`,
  ]);
  const sink = new RedirectListSink();
  for (const target of targets) sink.add(...target);
  const list = new RedirectList(...sink.toArrays());
  expect(sink.count).toBe(5_000);
  expect([...list.values()]).toEqual(targets.map(([, url]) => url));
  expect(targets.map(([node]) => list.get(node))).toEqual(targets.map(([, url]) => url));
  expect([0, 2, 3, 15_000, 4_000_000_000].map((node) => list.get(node))).toEqual(Array(5).fill(undefined));
});

test("a sorted array of nodes has its nodes alone", () => {
  const nodes = new SortedNodes(Uint32Array.of(2, 3, 900));
  expect([0, 1, 2, 3, 4, 900, 901].map((node) => nodes.has(node))).toEqual([
    false,
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
  expect(new SortedNodes(new Uint32Array()).has(0)).toBe(false);
});
