import { expect, test } from "vitest";
import { compileNoise } from "../../../src/changes/noise/compile-noise.ts";
import { findNoisyBlocks } from "../../../src/changes/noise/noisy-blocks.ts";
import { hashOf } from "../../../src/changes/page-version.ts";
import { compileTemplate } from "../../../src/changes/template/compile-template.ts";
import { EMPTY_TEMPLATE } from "../../../src/changes/template/host-template.ts";

const noisyOf = (blocks: readonly string[], places: readonly string[], names: readonly string[]) => {
  const template = compileTemplate(EMPTY_TEMPLATE, [...places], { storedAt: null });
  return [...(findNoisyBlocks(blocks, blocks.map(hashOf), { ...template, noise: compileNoise(places) }, names) ?? [])];
};
const text =
  "A long text that says what the page is for, and says it at length, so that noise is a small share of it all.";

test("a menu of four after the banner of the day is noise", () => {
  const blocks = ["banner", "one", "two", "three", "four", "lamp", "20 eur", text];
  expect(noisyOf(blocks, [`s:${hashOf("banner")}>+4`], ["lamp"])).toEqual([1, 2, 3, 4]);
});

test("where the menu is not in the content, the page's heading and its price are none", () => {
  const blocks = ["banner", "lamp", "20 eur", text];
  expect(noisyOf(blocks, [`s:${hashOf("banner")}>+2`], ["lamp"])).toEqual([]);
  expect(noisyOf(blocks, [`s:${hashOf("banner")}>+2`], [])).toEqual([1, 2]);
});
