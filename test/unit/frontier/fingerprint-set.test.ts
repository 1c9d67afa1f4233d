import fc from "fast-check";
import { expect, test } from "vitest";
import { FingerprintSet, type Memory } from "../../../src/frontier/commit/fingerprint-set.ts";

/** Memory of so many bytes, and its peak. */
class Allowance implements Memory {
  used = 0;
  peak = 0;
  readonly #bytes: number;

  constructor(bytes = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
  }

  take(bytes: number): boolean {
    if (this.used + bytes > this.#bytes) return false;
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    return true;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}

const MEGABYTE = 1_000_000;
const url = (i: number) => `https://example.com/articles/${i}.html`;

test("holds what was added, and nothing else, while there is room", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { maxLength: 40 }), fc.integer({ min: 0, max: 40 }), (urls, added) => {
      const set = new FingerprintSet(MEGABYTE, new Allowance(), () => expect.unreachable());
      for (const url of urls.slice(0, added)) set.add(url);
      expect(urls.filter((url) => set.has(url))).toEqual(urls.slice(0, added));
    }),
  );
});

test("holds 200,000 URLs that differ by a digit in 12 bytes each, and tells them from as many others", () => {
  const memory = new Allowance();
  const set = new FingerprintSet(12 * MEGABYTE, memory, () => expect.unreachable());
  for (let i = 0; i < 200_000; i++) set.add(url(i));
  let missing = 0;
  let mistaken = 0;
  for (let i = 0; i < 200_000; i++) {
    if (!set.has(url(i))) missing++;
    if (set.has(url(200_000 + i))) mistaken++;
  }
  expect({ missing, mistaken }).toEqual({ missing: 0, mistaken: 0 });
  expect(memory.used).toBe(set.bytes);
  // Between two steps of its growth.
  expect(memory.peak).toBeLessThan(200_000 * 8 * 1.5);
});

test("forgets none while it may grow, whatever the seeds are", () => {
  let forgotten = 0;
  for (let round = 0; round < 1_000; round++) {
    const set = new FingerprintSet(MEGABYTE, new Allowance(), () => forgotten++);
    for (let i = 0; i < 1_000; i++) set.add(url(i));
  }
  expect(forgotten).toBe(0);
});

test("takes a few kilobytes for a few URLs", () => {
  const set = new FingerprintSet(12 * MEGABYTE, new Allowance(), () => expect.unreachable());
  for (let i = 0; i < 100; i++) set.add(url(i));
  expect(set.bytes).toBeLessThan(8 * 1024);
});

test("forgets one URL for each that it has no place for, and says which", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000 }), (bytes) => {
      const forgotten: string[] = [];
      const set = new FingerprintSet(MEGABYTE, new Allowance(bytes), (print) => forgotten.push(print.join()));
      const urls = Array.from({ length: 3_000 }, (_, i) => url(i));
      for (const each of urls) set.add(each);
      const gone = urls.filter((each) => !set.has(each)).map((each) => set.fingerprintOf(each).join());
      expect(forgotten.toSorted()).toEqual(gone.toSorted());
    }),
    { numRuns: 20 },
  );
});

test("keeps a URL that is often asked about", () => {
  const set = new FingerprintSet(16 * 1024, new Allowance(), () => undefined);
  set.add("often");
  for (let i = 0; i < 10_000; i++) {
    set.add(url(i));
    expect(set.has("often")).toBe(true);
  }
});

test("a cleared set has no URL, and no memory", () => {
  const memory = new Allowance();
  const set = new FingerprintSet(MEGABYTE, memory, () => expect.unreachable());
  for (let i = 0; i < 1_000; i++) set.add(url(i));
  set.clear();
  expect(memory.used).toBe(0);
  expect(set.has(url(1))).toBe(false);
  set.add(url(1));
  expect(set.has(url(1))).toBe(true);
});
