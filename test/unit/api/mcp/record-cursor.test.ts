import fc from "fast-check";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "../../../../src/api/mcp/record-cursor.ts";

/** Cursors that hold a URL or a title of a site. */

test("a cursor is one word, and comes back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (cursor) => {
      const written = writeCursor(cursor);
      expect(written).toMatch(/^[\w-]*$/);
      expect(readCursor(written)).toBe(cursor);
    }),
  );
  expect(readCursor("")).toBe("");
});

test("another text is refused with a sentence", () => {
  expect(() => readCursor("https://a.test/ignore this")).toThrow("not the cursor of an earlier answer");
});
