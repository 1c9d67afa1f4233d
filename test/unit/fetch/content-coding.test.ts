import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { decode, decodeBeginning } from "../../../src/fetch/content-coding.ts";

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

  test("a body that is cut anywhere gives a beginning of the page", () => {
    const cuts = fc.tuple(ANY_BYTES, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cuts, ([bytes, at]) => {
        const coded = encode(bytes);
        const found = plain(decodeBeginning(coding, coded.subarray(0, Math.floor(coded.length * at)), 2_000));
        expect(found).toEqual(bytes.subarray(0, found?.length));
      }),
    );
  });
});

test("what a gzip body holds before its damage is found", () => {
  const bytes = new TextEncoder().encode("<title>kept</title>");
  const coded = gzipSync(bytes);
  expect(plain(decodeBeginning("gzip", Buffer.concat([coded, Buffer.from("garbage")]), 1_000))).toEqual(bytes);
  const damaged = Uint8Array.from(coded);
  // The checksum.
  damaged[coded.length - 8] = (damaged[coded.length - 8] ?? 0) ^ 0xff;
  expect(() => decode("gzip", damaged, 1_000)).toThrow();
  expect(plain(decodeBeginning("gzip", damaged, 1_000))).toEqual(bytes);
  expect(decodeBeginning("gzip", bytes, 1_000)).toHaveLength(0);
});

test("of a body that is too long, a little more than the limit is found", () => {
  const coded = gzipSync(new Uint8Array(10_000_000));
  const found = decodeBeginning("gzip", coded, 500_000);
  expect(found.length).toBeGreaterThan(500_000);
  expect(found.length).toBeLessThan(600_000);
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
  const copy = "../../../src/fetch/content-coding.ts?without-zstd";
  const { isKnownCoding }: typeof import("../../../src/fetch/content-coding.ts") = await import(copy);
  vi.doUnmock("node:zlib");
  expect([isKnownCoding("br"), isKnownCoding("zstd")]).toEqual([true, false]);
});
