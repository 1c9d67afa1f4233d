import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { decode } from "../../../src/fetch/transport/content-coding.ts";
import { decodeBeginning, decodeUpTo } from "../../../src/fetch/transport/decode-pieces.ts";

const CODINGS: [coding: string, encode: (bytes: Uint8Array) => Uint8Array][] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", brotliCompressSync],
  ["zstd", zstdCompressSync],
];
const ANY_BYTES = fc.uint8Array({ minLength: 1, maxLength: 2_000 });
const plain = (bytes: Uint8Array | null) => (bytes === null ? null : new Uint8Array(bytes));

describe.each(CODINGS)("%s", (coding, encode) => {
  test("is undone", () => {
    fc.assert(
      fc.property(ANY_BYTES, (bytes) => {
        expect(plain(decode(coding, encode(bytes), 2_000))).toEqual(bytes);
      }),
    );
  });

  test("has a limit, with some slack", () => {
    const bytes = new Uint8Array(100_000);
    expect(plain(decode(coding, encode(bytes), 100_000))).toEqual(bytes);
    expect(decode(coding, encode(bytes), 1_000)).toBeNull();
  });

  test("a body that is cut anywhere gives a beginning of the page", async () => {
    const cuts = fc.tuple(ANY_BYTES, fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(cuts, async ([bytes, at]) => {
        const coded = encode(bytes);
        const cut = await decodeBeginning(coding, coded.subarray(0, Math.floor(coded.length * at)), 2_000);
        expect(cut).toEqual({ bytes: bytes.subarray(0, cut.bytes.length), isWhole: true });
      }),
    );
  });

  test("a long body is undone piece by piece as in one go, up to the limit", async () => {
    const sizes = fc.tuple(fc.nat(150_000), fc.integer({ min: 1, max: 150_000 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(sizes, async ([size, limit, isPart]) => {
        const bytes = Uint8Array.from({ length: size }, (_, at) => (at * at) >> 7);
        const { bytes: made, isWhole } = await decodeUpTo(coding, encode(bytes), { limit, isPart });
        expect(isWhole).toBe(size <= limit);
        expect(made.length).toBeGreaterThanOrEqual(Math.min(size, limit));
        expect(made.length).toBeLessThanOrEqual(limit + 262_144);
        expect(Buffer.compare(made, bytes.subarray(0, made.length))).toBe(0);
      }),
      { numRuns: 8 },
    );
  });

  test("a few bytes that stand for many give the beginning, and no more is made", async () => {
    const coded = encode(new Uint8Array(4_000_000).fill(0x20));
    for (const found of [
      await decodeUpTo(coding, coded, { limit: 500_000, isPart: false }),
      await decodeBeginning(coding, coded, 500_000),
    ]) {
      expect(found.isWhole).toBe(false);
      expect(found.bytes.length).toBeGreaterThan(500_000);
      expect(found.bytes.length).toBeLessThan(800_000);
    }
  });
});

test("what a gzip body holds before its damage is found", async () => {
  const bytes = new TextEncoder().encode("<title>kept</title>");
  const coded = gzipSync(bytes);
  const beginning = async (sent: Uint8Array) => plain((await decodeBeginning("gzip", sent, 1_000)).bytes);
  expect(await beginning(Buffer.concat([coded, Buffer.from("garbage")]))).toEqual(bytes);
  const damaged = Uint8Array.from(coded);
  // The checksum.
  damaged[coded.length - 8] = (damaged[coded.length - 8] ?? 0) ^ 0xff;
  expect(() => decode("gzip", damaged, 1_000)).toThrow();
  expect(await beginning(damaged)).toEqual(bytes);
  expect(await beginning(bytes)).toHaveLength(0);
});

test("what a long body holds before its damage is found, to the byte", async () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => (at * at) >> 7);
  for (const encode of [deflateSync, deflateRawSync]) {
    const coded = Uint8Array.from(encode(bytes));
    for (const at of [1_000, 5_000, coded.length - 100]) {
      const damaged = Uint8Array.from(coded);
      damaged.fill(0xff, at);
      const found = (await decodeBeginning("deflate", damaged, 1_000_000)).bytes;
      const whole = (await decodeBeginning("deflate", coded.subarray(0, at), 1_000_000)).bytes;
      expect(found.length).toBeGreaterThanOrEqual(whole.length);
      expect(Buffer.compare(found.subarray(0, whole.length), whole)).toBe(0);
    }
  }
});

test("a gzip body of many members is undone, wherever they begin", async () => {
  const bytes = Uint8Array.from({ length: 9_000 }, (_, at) => (at * at) >> 7);
  const members = Array.from({ length: 9 }, (_, at) => gzipSync(bytes.subarray(at * 1_000, (at + 1) * 1_000)));
  const coded = Buffer.concat(members);
  expect(plain((await decodeUpTo("gzip", coded, { limit: 9_000, isPart: false })).bytes)).toEqual(bytes);
  expect((await decodeUpTo("gzip", coded, { limit: 5_000, isPart: false })).isWhole).toBe(false);
});

test("a runtime without zstd knows the other codings", async () => {
  vi.doMock("node:zlib", async (importOriginal) => {
    const {
      zstdDecompressSync: _,
      createZstdDecompress: __,
      ...others
    } = await importOriginal<typeof import("node:zlib")>();
    return others;
  });
  // A copy of this module alone: other files of tests share the process, and must keep their modules.
  const copy = "../../../src/fetch/transport/content-coding.ts?without-zstd";
  const { isKnownCoding }: typeof import("../../../src/fetch/transport/content-coding.ts") = await import(copy);
  vi.doUnmock("node:zlib");
  expect([isKnownCoding("br"), isKnownCoding("zstd")]).toEqual([true, false]);
});
