import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KnownWords } from "../../../src/scope/known-words.ts";

const MAX_STORED = 16_384;
/** So many adds that times are counted anew, and so many different ones that some are forgotten. */
const MANY = 300_000;

describe("KnownWords", () => {
  test("stores what was met last, in that order", () => {
    const anyPrint = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
    fc.assert(
      fc.property(fc.array(anyPrint, { maxLength: 200 }), (prints) => {
        const known = KnownWords.from("");
        for (const print of prints) known.add(print);
        expect(prints.every((print) => known.has(print))).toBe(true);
        expect(known.has(41)).toBe(prints.includes(41));
        expect(stored(known)).toEqual([...new Set(prints.toReversed())].toReversed());
        expect(KnownWords.from(known.toString()).toString()).toBe(known.toString());
      }),
    );
  });

  test("forgets what it has not met for longest", () => {
    const known = KnownWords.from("");
    const met = new Set<number>();
    for (let n = 0; n < MANY; n++) {
      const print = Math.imul(n % 7 === 0 ? n : n % 9_000, 0x9e37_79b1) >>> 0;
      known.add(print);
      met.delete(print);
      met.add(print);
    }
    expect(stored(known)).toEqual([...met].slice(-MAX_STORED));
  });
});

function stored(known: KnownWords): number[] {
  return [...new Uint32Array(Uint8Array.from(Buffer.from(known.toString(), "base64")).buffer)];
}
