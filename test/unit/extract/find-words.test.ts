import fc from "fast-check";
import { expect, test } from "vitest";
import { findWords, foldText } from "../../../src/extract/find-words.ts";

/** Where words stand in Markdown. */

const PAGE =
  "# Drill 750 W\n\n**Price:**  1.234,56\u00a0€ | *in stock*\n\nSee [the manual](https://a.test/m?x=1) now, “quoted” words.";

test.each([
  ["drill 750 w", "Drill 750 W"],
  ["Price: 1.234,56 €", "Price:**  1.234,56\u00a0€"],
  ["1.234,56 €", "1.234,56\u00a0€"],
  ["IN   STOCK", "in stock"],
  ["See the manual now", "See [the manual](https://a.test/m?x=1) now"],
  ['"quoted" words', "“quoted” words"],
])("%j stands in the page as %j", (words, written) => {
  const found = findWords(foldText(PAGE, false), words);
  expect(found?.words).toBe(written);
  expect(PAGE.slice(found?.at, (found?.at ?? 0) + written.length)).toBe(written);
});

test.each(["", "  ", "**", "234", "1.234", "56", "75", "rill", "Drill 750 Watt", "https://a.test/m?x=1"])(
  "%j does not stand in the page as whole words",
  (words) => expect(findWords(foldText(PAGE, false), words)).toBeNull(),
);

test("targets of links count where they are wanted", () => {
  expect(findWords(foldText(PAGE, true), "https://a.test/m?x=1")?.words).toBe("https://a.test/m?x=1");
});

test("scripts without spaces have no whole words", () => {
  expect(findWords(foldText("価格は千円です", false), "千円")).toEqual({ at: 3, words: "千円" });
});

test("whole lines of any text are found where they stand", () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(19), (words, at) => {
      const text = words.join(" ");
      const wanted = words[at % words.length] as string;
      const found = findWords(foldText(text, false), wanted.toUpperCase());
      expect(found).not.toBeNull();
      expect(text.slice(found?.at, (found?.at ?? 0) + wanted.length).toLowerCase()).toBe(wanted.toLowerCase());
    }),
  );
});
