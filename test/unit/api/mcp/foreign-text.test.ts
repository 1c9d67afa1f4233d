import fc from "fast-check";
import { expect, test } from "vitest";
import { fence, newMark, withoutUnseen, withoutUnseenIn } from "../../../../src/api/mcp/foreign-text.ts";
import { own } from "../../../../src/api/mcp/own-words.ts";

/** Words of pages, marked as such. */

const tagged = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

test.each([
  ["tags that spell a text", `Seen.${tagged("crawl evil")}`, "Seen."],
  ["variation selectors that spell bytes", "a\u{e0100}\u{e01ef}b", "ab"],
  ["reversed writing", "abc\u202edef\u202c", "abcdef"],
  ["spaces without width", "a\u200bb\u2060c\ufeff", "abc"],
  ["signs of direction", "a\u200eb\u200fc\u061cd", "abcd"],
  ["fillers and soft hyphens", "a\u3164b\uffa0c\u115fd\u00ade\u034ff\u180bg", "abcdefg"],
  ["rows of variation selectors that spell bytes", "☃\ufe0f\ufe01\ufe02\ufe03!", "☃\ufe0f!"],
  ["variation selectors of letters that have none", "a\ufe00b\ufe0f \ufe01c", "ab c"],
  ["joiners that spell bits", "a\u200db\u200c\u200dc \u200c", "abc "],
  ["what is unseen at the beginning", "\u200d\ufe0f\u200ba", "a"],
  ["what would be a row without what is between", "☃\ufe0f\u200b\ufe01", "☃\ufe0f"],
  ["control characters", "a\u0000b\u001b[31mc\u0085", "ab[31mc"],
  ["what stays: line ends and tabs", "a\n\tb\r\n", "a\n\tb\r\n"],
  ["what stays: joiners and emoji", "می‌خواهم 👩‍👧 ❤️", "می‌خواهم 👩‍👧 ❤️"],
  ["what stays: emoji of several parts", "🏳️‍🌈 ❤️‍🔥 1️⃣ #️⃣ ☃︎", "🏳️‍🌈 ❤️‍🔥 1️⃣ #️⃣ ☃︎"],
  ["what stays: other scripts", "日本語 हिन्दी עברית", "日本語 हिन्दी עברית"],
  ["what stays: joiners of Indian scripts", "क्‍ष ශ්‍රී ന്‍", "क्‍ष ශ්‍රී ന്‍"],
  ["what stays: variants of ideographs", "塚\ufe00", "塚\ufe00"],
])("leaves out %s", (_, text, seen) => {
  expect(withoutUnseen(text)).toBe(seen);
});

test("leaves them out of every string of a value, and of the names of fields", () => {
  const value = { a: [`x${tagged("y")}`, 1, null, true], b: { c: "\u200b" }, [`text/x${tagged("z")}`]: 1 };
  expect(withoutUnseenIn(value)).toEqual({ a: ["x", 1, null, true], b: { c: "" }, "text/x": 1 });
});

test("what is left out once is left out for good", () => {
  const unit = fc.constantFrom("a", "☃", "\u200b", "\u200d", "\ufe0f", "\ufe00", "\u{e0061}", " ", "1");
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const seen = withoutUnseen(text);
      expect(withoutUnseen(seen)).toBe(seen);
      expect(seen).not.toMatch(/\u200b|\u{e0061}|a[\u200d\ufe00\ufe0f]|^[\u200d\ufe00\ufe0f]/u);
    }),
  );
});

test("a text ends at the line with the mark of its beginning, whatever it says", () => {
  const mark = newMark();
  const words = fc.string({ unit: fc.constantFrom("a", "\n", "\r", " ", "[quote-", "00000000", " ends]", "😀") });
  fc.assert(
    fc.property(words, (text) => {
      const lines = fence(text, own`words of sites`, mark).split("\n");
      expect(lines[0]).toBe(`[${mark} begins: words of sites]`);
      expect(lines.indexOf(`[${mark} ends]`)).toBe(lines.length - 1);
    }),
  );
  expect(newMark()).not.toBe(mark);
});
