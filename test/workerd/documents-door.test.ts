import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DocumentsBehindDoor, DocumentsDoor } from "../../src/fetch/fetcher-process/documents-door.ts";
import { Documents, PART_BYTES } from "../../src/store/mirror/documents.ts";

const documents = new Documents(env.MIRROR);
const behind = new DocumentsBehindDoor(new DocumentsDoor(documents));

/** Bytes that differ from place to place, in pieces of `piece`. */
async function* pieces(length: number, piece: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; at += piece)
    yield Uint8Array.from({ length: Math.min(piece, length - at) }, (_, i) => (at + i) % 251);
}

async function isWhole(key: string, length: number): Promise<boolean> {
  const stored = await documents.read(key);
  return stored !== null && stored.byteLength === length && stored.every((byte, i) => byte === i % 251);
}

test("a body goes through the door as it is", async () => {
  await behind.put(
    "door/whole",
    Uint8Array.from({ length: 1_000 }, (_, i) => i % 251),
  );
  await behind.put("door/known", { chunks: pieces(100_000, 7_001), length: 100_000 });
  expect([await isWhole("door/whole", 1_000), await isWhole("door/known", 100_000)]).toEqual([true, true]);
  await behind.remove("door/whole");
  expect(await documents.read("door/whole")).toBeNull();
});

test.each([
  ["less than a part", 1_000_000, 3],
  ["exactly two parts", 2 * PART_BYTES, 4],
  ["two parts and a rest", 2 * PART_BYTES + 1, 5],
])("a body of unknown length, %s, takes as many writes as in one process", async (_, length, writes) => {
  expect(await behind.putParts("door/parts", pieces(length, 65_537))).toBe(writes);
  expect(await isWhole("door/parts", length)).toBe(true);
});

class Broken extends Error {}

async function* breaksOff(): AsyncGenerator<Uint8Array> {
  yield* pieces(PART_BYTES + 10, 100_000);
  throw new Broken("the host broke off");
}

test("a body that breaks off fails as it broke off, and leaves nothing", async () => {
  await expect(behind.putParts("door/broken", breaksOff())).rejects.toBeInstanceOf(Broken);
  await expect(behind.put("door/broken", { chunks: breaksOff(), length: 2 * PART_BYTES })).rejects.toBeInstanceOf(
    Broken,
  );
  expect(await documents.read("door/broken")).toBeNull();
});
