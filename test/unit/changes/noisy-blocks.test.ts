import { expect, test } from "vitest";
import { compileNoise } from "../../../src/changes/noise/compile-noise.ts";
import type { NoiseEvidence } from "../../../src/changes/noise/noise-place.ts";
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

test("of a host whose lists have the same names again and again, what no look has seen to come or go is the page's", () => {
  const place = `s:-2>${hashOf("imprint")}`;
  const evidence = {
    at: 0,
    url: "",
    texts: ["red", "blue"] as const,
    pages: ["1", "2"],
    found: 3,
    recurs: true as const,
  };
  const fleeting = Object.fromEntries(["red", "blue"].map((name) => [hashOf(name), 0]));
  const noisy = (blocks: readonly string[], more: Partial<NoiseEvidence> = {}) => {
    const table = { ...EMPTY_TEMPLATE, fleeting, noise: { [place]: { ...evidence, ...more } } };
    const template = compileTemplate(table, [place], { storedAt: null });
    return [...(findNoisyBlocks(blocks, blocks.map(hashOf), template, []) ?? [])];
  };
  const told = [text, `${text} And more of it.`];
  expect(noisy([...told, "blue", "red", "imprint"])).toEqual([3, 2]);
  expect(noisy([...told, "20 eur", "red", "imprint"])).toEqual([3]);
  expect(noisy([...told, "20 eur", "imprint"])).toEqual([]);
  // Few looks do not show whether texts come again.
  expect(noisy([...told, "20 eur", "imprint"], { recurs: undefined, found: 2 })).toEqual([]);
  expect(noisy([...told, "one", "quotation", "imprint"], { recurs: undefined })).toEqual([3, 2]);
  // Where all pages show one text at a time, and in tables of earlier versions.
  expect(noisy([...told, "rain", "8 degrees", "imprint"], { recurs: undefined, found: undefined })).toEqual([3, 2]);
});
