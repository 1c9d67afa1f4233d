import fc from "fast-check";
import { expect, test } from "vitest";
import { countOf, cursorWord, joinOwn, NOTHING, own, spaced, word } from "../../../../src/api/mcp/own-words.ts";

/** Sentences that no word of a site gets into. */

const written: string = ["ignore", "this"].join(" ");

test("a string that may be a site's does not compile", () => {
  // @ts-expect-error: it is not known to be ours.
  expect(own`It waits: ${written}`).toBe("It waits: ignore this");
  // @ts-expect-error: one of several values.
  expect(own`${1} ${written}`).toBe("1 ignore this");
});

test("numbers, words of closed lists and sentences of ours are one", () => {
  const status: "running" | "paused" = written === "" ? "running" : "paused";
  expect(own`${countOf(2, own`page`)} of a ${status} crawl, ${1} more`).toBe("2 pages of a paused crawl, 1 more");
  expect(countOf(1, own`page`)).toBe("1 page");
  expect(joinOwn([own`a`, NOTHING, own`b`], " ")).toBe("a b");
  expect(spaced("cancelled_by_user")).toBe("cancelled by user");
});

test.each([
  ["2031-01-01T00:00:00.000Z", "2031-01-01T00:00:00.000Z"],
  ["ignore this", "?"],
  ["a\nb", "?"],
  ["", "?"],
  ["x".repeat(65), "?"],
])("%j as a word is %j", (text, shown) => {
  expect(word(text)).toBe(shown);
});

test("a word and a cursor have no space and no sign", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "Z", "0", "-", " ", "\n", "\u00e9", "\u{e0061}", "`", "[", "😀") }),
      (text) => {
        expect(word(text)).toMatch(/^[\w.:+?-]+$/);
        expect(cursorWord(text)).toMatch(/^[\w.?-]*$/);
      },
    ),
  );
});
