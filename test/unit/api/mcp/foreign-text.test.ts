import fc from "fast-check";
import { expect, test } from "vitest";
import { fence, newMark, withoutUnseen, withoutUnseenIn } from "../../../../src/api/mcp/foreign-text.ts";

/** Words of pages, marked as such. */

const tagged = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

test.each([
  ["tags that spell a text", `Seen.${tagged("crawl evil")}`, "Seen."],
  ["variation selectors that spell bytes", "a\u{e0100}\u{e01ef}b", "ab"],
  ["reversed writing", "abc\u202edef\u202c", "abcdef"],
  ["spaces without width", "a\u200bb\u2060c\ufeff", "abc"],
  ["control characters", "a\u0000b\u001b[31mc\u0085", "ab[31mc"],
  ["what stays: line ends and tabs", "a\n\tb\r\n", "a\n\tb\r\n"],
  ["what stays: joiners and emoji", "می‌خواهم 👩‍👧 ❤️", "می‌خواهم 👩‍👧 ❤️"],
  ["what stays: other scripts", "日本語 हिन्दी עברית", "日本語 हिन्दी עברית"],
])("leaves out %s", (_, text, seen) => {
  expect(withoutUnseen(text)).toBe(seen);
});

test("leaves them out of every string of a value", () => {
  expect(withoutUnseenIn({ a: [`x${tagged("y")}`, 1, null], b: { c: "\u200b" } })).toEqual({
    a: ["x", 1, null],
    b: { c: "" },
  });
});

test("a text ends at the line with the mark of its beginning, whatever it says", () => {
  const mark = newMark();
  const words = fc.string({ unit: fc.constantFrom("a", "\n", "\r", " ", "[quote-", "00000000", " ends]", "😀") });
  fc.assert(
    fc.property(words, words, (text, source) => {
      const lines = fence(text, source, mark).split("\n");
      expect(lines[0]).toMatch(new RegExp(`^\\[${mark} begins: words of .*\\]$`));
      expect(lines.indexOf(`[${mark} ends]`)).toBe(lines.length - 1);
    }),
  );
  expect(newMark()).not.toBe(mark);
});
