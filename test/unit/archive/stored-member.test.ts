import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { gunzipMember, storedMember } from "../../../src/archive/gzip-member.ts";
import { joinBytes } from "../../../src/core/join-bytes.ts";

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31) % 251);

test.each([[[0]], [[1]], [[65_535]], [[65_536]], [[12, 200_000, 4]]])(
  "pieces of %j bytes are a gzip member",
  async (sizes) => {
    const record = sizes.map(bytesOf);
    const member = joinBytes(storedMember(record));
    expect(new Uint8Array(gunzipSync(member))).toEqual(joinBytes(record));
    expect(await gunzipMember(member)).toEqual(joinBytes(record));
  },
);

test("a body is not copied", () => {
  const body = bytesOf(100_000);
  const pieces = storedMember([bytesOf(10), body]);
  expect(pieces.filter(({ buffer }) => buffer === body.buffer).map(({ byteLength }) => byteLength)).toEqual([
    65_535, 34_465,
  ]);
});
