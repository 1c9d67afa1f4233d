import { expect, test } from "vitest";
import { checkEvidence } from "../../../src/extract/check-evidence.ts";
import type { Claim, Json } from "../../../src/extract/extraction.ts";
import { pageTextOf } from "../../../src/extract/page-text.ts";

/** Which values have words of the page behind them. */

const TEXT = "# Drill\n\nPrice: 1.299,00 € for 2 pieces, rated 4,5. Ships on March 14, 2026. In stock.";
const page = pageTextOf("https://a.test/", "Drill 750 W at the shop", TEXT, 10_000);
const check = (values: Json, claims: Claim[], rule: "marked" | "strict" = "marked") =>
  checkEvidence({ values, claims }, page, rule);

test.each<[string, Json, string | null, string | null]>([
  ["a number as the page writes it", 1299, "1.299,00 €", null],
  ["a number with another sign", 4.5, "rated 4,5", null],
  ["one of several numbers", 2, "1.299,00 € for 2 pieces", null],
  ["a date that is written otherwise", "2026-03-14", "March 14, 2026", null],
  ["a yes", true, "In stock", null],
  ["words of the title", "750 W", "750 W", null],
  ["a string that stands there without being named", "In stock", null, null],
  ["a number that the words do not have", 1, "1.299,00 €", "its words do not have this number"],
  ["words that do not stand there", 1299, "1.299,00 $", "its words do not stand in the page"],
  ["no words", 1299, null, "the model gave no words for it"],
  ["a string that was made up", "HACKED", null, "the model gave no words for it"],
])("%s", (_, value, words, problem) => {
  const claims = words === null ? [] : [{ path: "/it", words }];
  const { values, evidence } = check({ it: value }, claims);
  expect(values).toEqual({ it: value });
  expect(evidence).toEqual([expect.objectContaining({ path: "/it", problem })]);
  const [{ at, words: shown, in: part } = { at: null, words: null, in: null }] = evidence;
  if (problem === null) {
    const source = part === "title" ? (page.title ?? "") : TEXT;
    expect(source.slice(at ?? 0, (at ?? 0) + (shown?.length ?? 0))).toBe(shown);
  } else expect([at, shown, part]).toEqual([null, null, null]);
});

test("strict evidence leaves null in place of what has none, and the rest as it is", () => {
  const values = { name: "Drill", price: 7, parts: ["Drill", "Ghost"], "a/b": { "c~d": 2 } };
  const claims = [{ path: "/a~1b/c~0d", words: "2 pieces" }];
  const found = check(values, claims, "strict");
  expect(found.values).toEqual({ name: "Drill", price: null, parts: ["Drill", null], "a/b": { "c~d": 2 } });
  expect(found.evidence.map(({ path, problem }) => [path, problem === null])).toEqual([
    ["/name", true],
    ["/price", false],
    ["/parts/0", true],
    ["/parts/1", false],
    ["/a~1b/c~0d", true],
  ]);
});

test("what is null has no evidence", () => {
  expect(check({ a: null, b: [] }, []).evidence).toEqual([]);
});
