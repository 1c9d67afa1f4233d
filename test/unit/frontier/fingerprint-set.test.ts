import fc from "fast-check";
import { expect, test } from "vitest";
import { FingerprintSet } from "../../../src/frontier/fingerprint-set.ts";

test("holds what was added, and nothing else, while there is room", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), fc.integer({ min: 0, max: 40 }), (urls, added) => {
      const set = new FingerprintSet(100_000);
      for (const url of urls.slice(0, added)) set.add(url);
      expect(urls.filter((url) => set.has(url))).toEqual(urls.slice(0, added));
    }),
  );
});

test("tells a hundred thousand URLs apart that differ by a digit", () => {
  const set = new FingerprintSet(524_288);
  const url = (i: number) => `https://example.com/articles/${i}.html`;
  for (let i = 0; i < 100_000; i++) set.add(url(i));
  let forgotten = 0;
  let taken = 0;
  for (let i = 0; i < 100_000; i++) {
    if (!set.has(url(i))) forgotten++;
    if (set.has(url(100_000 + i))) taken++;
  }
  expect(taken).toBe(0);
  // Of buckets that chance has overfilled: 165 where a hash spreads evenly.
  expect(forgotten).toBeLessThan(300);
});

test("a full bucket forgets the URL that was least lately asked about", () => {
  const set = new FingerprintSet(4);
  for (const url of ["a", "b", "c", "d"]) set.add(url);
  set.has("a");
  set.add("e");
  set.add("a");
  set.add("f");
  expect(["a", "b", "c", "d", "e", "f"].filter((url) => set.has(url))).toEqual(["a", "d", "e", "f"]);
});
