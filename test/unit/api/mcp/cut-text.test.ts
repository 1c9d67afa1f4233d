import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText } from "../../../../src/api/mcp/cut-text.ts";

/** A long text in parts. */

test.each<[text: string, offset: number, most: number, part: string, next: number | null]>([
  ["short", 0, 10, "short", null],
  ["", 0, 10, "", null],
  ["short", 9, 10, "", null],
  ["one two\n\nthree four", 0, 12, "one two\n\n", 9],
  ["one two three\nfour five", 0, 16, "one two three\n", 14],
  ["one two three four", 0, 10, "one two ", 8],
  ["oneword and more", 0, 10, "oneword ", 8],
  ["one long-word-without-an-end", 0, 10, "one long-w", 10],
  ["one two three four", 8, 6, "three ", 14],
  // The halves of a character stay together.
  ["abc😀def", 0, 4, "abc", 3],
  ["😀😀", 0, 1, "😀", 2],
  ["ab😀cd", 3, 10, "😀cd", null],
])("%j from %i, at most %i characters: %j", (text, offset, most, part, next) => {
  expect(cutText(text, offset, most)).toEqual({ text: part, next });
});

test("the parts of every text, one after the other, are the text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀", "字"), maxLength: 200 }),
      fc.integer({ min: 1, max: 40 }),
      (text, most) => {
        let joined = "";
        let offset: number | null = 0;
        for (let parts = 0; offset !== null; parts++) {
          expect(parts).toBeLessThanOrEqual(text.length);
          const part: { text: string; next: number | null } = cutText(text, offset, most);
          expect(part.text.isWellFormed()).toBe(true);
          // A single character may have two units.
          expect(part.text.length).toBeLessThanOrEqual(Math.max(most, 2));
          joined += part.text;
          offset = part.next;
        }
        expect(joined).toBe(text);
      },
    ),
  );
});
