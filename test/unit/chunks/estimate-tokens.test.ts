import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
// The tokenizer of OpenAI's embedding models, without native code.
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens, weighTokens } from "../../../src/chunks/estimate-tokens.ts";

const FOLDER = join(import.meta.dirname, "../../content");
const texts = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".txt"))
  .map((name): [string, string] => [name, readFileSync(join(FOLDER, name), "utf8")])
  .filter(([, text]) => text.length > 300);

describe("the estimate is near what a tokenizer counts", () => {
  const errors = texts.map(([, text]) => weighTokens(text) / encode(text).length - 1);

  test.each(texts)("%s, within 30%", (_, text) => {
    expect(Math.abs(weighTokens(text) / encode(text).length - 1)).toBeLessThan(0.3);
  });

  test("within 12% on average, and as often above as below", () => {
    expect(texts.length).toBeGreaterThan(20);
    const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
    expect(mean(errors.map(Math.abs))).toBeLessThan(0.12);
    expect(Math.abs(mean(errors))).toBeLessThan(0.06);
  });
});

test.each<[string, number]>([
  ["", 0],
  ["a", 1],
  ["word", 1],
  ["the lathe", 2],
  ["2026", 3],
  ["旋盤", 3],
])("%j has %i", (text, tokens) => expect(estimateTokens(text)).toBe(tokens));

test("lines weigh together what each weighs, and more text never weighs less", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
      expect(weighTokens(`${a}\n`) + weighTokens(`b${b}`)).toBeCloseTo(weighTokens(`${a}\nb${b}`), 6);
      expect(weighTokens(a + b)).toBeGreaterThanOrEqual(weighTokens(a) - 1e-9);
    }),
  );
});
