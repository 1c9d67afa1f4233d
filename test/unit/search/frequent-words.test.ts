import fc from "fast-check";
import { expect, test } from "vitest";
import { leaveOutFrequent, MOST_PLACES } from "../../../src/search/frequent-words.ts";
import { runsOf } from "../../../src/search/scripts.ts";

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

test.each([
  ["a word", "y", "x ".repeat(500_000), /\bx\b/g],
  ["a word in other cases and forms", "", "Log logs LOGGING ".repeat(30_000), /\blog\w*/gi],
  ["a character", "", "的".repeat(300_000), /的/g],
  ["a character between others", "", Array.from({ length: 60_000 }, (_, i) => `的${i}`).join("，"), /的/g],
])("%s that a text repeats without end has a maximum number of places", (_, before, repeated, pattern) => {
  const left = leaveOutFrequent(`${before} ${repeated} the end`);
  expect(countOf(left, pattern)).toBe(MOST_PLACES);
  expect(left.endsWith("the end")).toBe(true);
});

test("what is as frequent as in any long text stays", () => {
  const words = Array.from({ length: 170_000 }, (_, i) => (i % 15 === 0 ? "the" : `word${i % 4_000}`));
  const text = words.join(" ");
  expect(leaveOutFrequent(text)).toBe(text);
});

test("each text keeps all of its words, and a short one all of its places", () => {
  const texts = fc.array(fc.constantFrom("x", "the", "的", "一", "9", "é", " ", "\n", "，", "🕷"), { maxLength: 200 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 2_000 }), (parts, times) => {
      const text = `${parts.join("")} `.repeat(times);
      const left = leaveOutFrequent(text);
      expect(new Set(runsOf(left).map((run) => [...run][0]))).toEqual(new Set(runsOf(text).map((run) => [...run][0])));
      if (text.length < MOST_PLACES) expect(left).toBe(text);
    }),
    { numRuns: 30 },
  );
});
