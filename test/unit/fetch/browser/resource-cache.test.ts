import { expect, test } from "vitest";
import { keptMs, ResourceCache } from "../../../../src/fetch/browser/resource-cache.ts";

test.each([
  ["nothing is said", 200, {}, 300_000],
  ["an age", 200, { "cache-control": "public, max-age=60" }, 60_000],
  ["a year", 200, { "cache-control": "max-age=31536000, immutable" }, 3_600_000],
  ["no age", 200, { "cache-control": "max-age=0" }, 0],
  ["no-store", 200, { "cache-control": "no-store" }, 0],
  ["no-cache", 200, { "cache-control": "No-Cache" }, 0],
  ["private", 200, { "cache-control": "private, max-age=60" }, 0],
  ["another status", 404, {}, 0],
  ["a part", 206, {}, 0],
  ["variants that all our requests share", 200, { vary: "Accept-Encoding, Origin" }, 300_000],
  ["variants by cookie", 200, { vary: "Accept-Encoding, Cookie" }, 0],
  ["any variants", 200, { vary: "*" }, 0],
])("%s", (_, status, headers, expected) => {
  expect(keptMs({ status, headers: Object.entries(headers) })).toBe(expected);
});

test("what is too large is not kept, and the oldest goes first", () => {
  const cache = new ResourceCache(12_000);
  const answer = (bytes: number) => ({ status: 200, headers: [], body: new Uint8Array(bytes) });
  cache.put("huge", answer(5 * 1024 * 1024));
  cache.put("one", answer(4_000));
  cache.put("two", answer(4_000));
  expect([cache.get("huge"), cache.get("one")?.body.length]).toEqual([undefined, 4_000]);
  cache.put("three", answer(4_000));
  expect([cache.get("two"), cache.get("one")?.body.length, cache.get("three")?.body.length]).toEqual([
    undefined,
    4_000,
    4_000,
  ]);
});

test("the bodies of redirects count too", () => {
  const cache = new ResourceCache(12_000);
  const body = new Uint8Array(4_000);
  const exchange = (payload: Uint8Array) => ({
    ...{ url: "", status: 200, statusText: "", headers: [], requestHeaders: [], date: 0, durationMs: 0, sha256: "" },
    payload,
  });
  const answer = { status: 200, headers: [], body };
  cache.put("direct", { ...answer, exchanges: [exchange(body)] });
  cache.put("redirected", { ...answer, exchanges: [exchange(new Uint8Array(4_000)), exchange(body)] });
  expect([cache.get("direct"), cache.get("redirected")?.exchanges?.length]).toEqual([undefined, 2]);
});
