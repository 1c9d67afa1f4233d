import { expect, test } from "vitest";
import { OriginSamples } from "../../../src/passes/text/sample-pages.ts";

function sampleOf(sizes: readonly number[]) {
  const samples = new OriginSamples();
  for (const [site, size] of sizes.entries())
    for (let page = 0; page < size; page++) samples.add(`https://${site}.test`, `https://${site}.test/${page}`);
  return samples.take();
}

test.each([
  ["fewer than five pages teach nothing", [4, 5], 5],
  ["a small site is read entirely", [150], 150],
  ["a large one by 192 pages", [10_000], 192],
  ["many sites share 4,800 pages", Array.from({ length: 100 }, () => 300), 4_800],
  ["at most 400 sites are read", Array.from({ length: 1_500 }, () => 20), 4_800],
])("%s", (_, sizes, pages) => {
  const sample = sampleOf(sizes);
  expect(sample).toHaveLength(pages);
  expect(new Set(sample.map(({ url }) => url)).size).toBe(pages);
});

test("a sample has pages from all over the site", () => {
  const places = sampleOf([10_000]).map(({ url }) => Number(url.split("/").at(-1)));
  const gaps = places.map((place, at) => place - (places[at - 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(2.5 * (10_000 / 192));
  expect(places.at(-1)).toBeGreaterThan(9_800);
});

test("the largest sites are kept, in the order of their URLs", () => {
  const sizes = Array.from({ length: 900 }, (_, site) => (site % 2 === 0 ? 6 : 9));
  const origins = [...new Set(sampleOf(sizes).map(({ origin }) => origin))];
  expect(origins).toHaveLength(400);
  expect(origins.every((origin) => Number(/\d+/.exec(origin)?.[0]) % 2 === 1)).toBe(true);
  expect(origins).toEqual([...origins].sort());
});
