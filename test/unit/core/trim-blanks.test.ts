import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { trimBlanks, trimBlanksAtEnd } from "../../../src/core/trim-blanks.ts";

describe("trimming spaces and tabs", () => {
  const texts = fc.array(fc.constantFrom(" ", "\t", "a", "\n", "\u00a0")).map((parts) => parts.join(""));

  test("is what the regular expressions do", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(trimBlanks(text)).toBe(text.replace(/^[\t ]+|[\t ]+$/g, ""));
        expect(trimBlanksAtEnd(text)).toBe(text.replace(/[\t ]+$/, ""));
      }),
    );
  });

  test("takes linear time for blanks that are not at the end", () => {
    const text = `b${" ".repeat(5_000_000)}c`;
    expect(trimBlanks(` ${text}\t`)).toBe(text);
  });
});
