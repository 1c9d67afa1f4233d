import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { bodies } from "../../src/fetch/transport/byte-budget.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/** Documents on their way into R2: bodies of unknown length, and what waits for memory. */

const KEY = "crawl/packs/documents/one-first";
const URL = "https://a.test/long.pdf";

afterEach(() => vi.unstubAllGlobals());

/** A body that comes in pieces of this size, without a length. */
function chunked(bytes: Uint8Array, piece: number): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) controller.close();
      else controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
}

function pdfOf(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  bytes.set(new TextEncoder().encode("%PDF-1.4\n"));
  for (let i = 9; i < length; i++) bytes[i] = (i * 31 + (i >> 11)) & 0xff;
  return bytes;
}

function fetchAs(
  type: string,
  body: () => BodyInit,
  asked: { leaseMs?: number; timeoutMs?: number; maxBytes?: number } = {},
  bucket: R2Bucket = env.MIRROR,
) {
  vi.stubGlobal("fetch", async () => new Response(body(), { headers: { "content-type": type } }));
  const { maxBytes = 26_214_400, ...times } = asked;
  const order = {
    documents: ["pdf" as const],
    document: { key: KEY, maxBytes, takesLarge: false },
    maxBodyBytes: 10_000_000,
  };
  const fetcher = new PageFetcher(createExecutionContext(), { ...env, MIRROR: bucket });
  return fetcher.fetchPage({ ...PAGE_REQUEST, url: URL, ...order, timeoutMs: 30_000, ...times }, NO_SECRETS);
}

test.each([
  ["less than a part", 5_000_000, 1],
  ["one part", 5_242_880, 3],
  ["several parts", 12_000_001, 5],
  ["few bytes", 300_000, 1],
])("a document of %s without a length is stored byte for byte", async (_, length, most) => {
  const bytes = pdfOf(length);
  const result = await fetchAs("application/pdf", () => chunked(bytes, 70_001));
  expect(result).toMatchObject({ kind: "document", bodyBytes: length });
  expect(result.kind === "document" && result.writes).toBeLessThanOrEqual(Math.max(3, most));
  const stored = await env.MIRROR.get(KEY);
  expect(new Uint8Array((await stored?.arrayBuffer()) ?? [])).toEqual(bytes);
  expect(bodies.taken).toBe(0);
});

test("a document that turns out too long leaves nothing behind", async () => {
  await env.MIRROR.delete(KEY);
  const result = await fetchAs("application/pdf", () => chunked(pdfOf(9_000_000), 100_000), { maxBytes: 8_000_000 });
  expect(result).toMatchObject({ kind: "rejected", reason: "too-large" });
  expect(await env.MIRROR.head(KEY)).toBeNull();
});

test("a document that was stored although the mirror failed to say so is removed", async () => {
  const bucket = {
    put: async (key: string, value: Uint8Array) => {
      await env.MIRROR.put(key, value);
      throw new Error("put: We encountered an internal error. Please try again. (10001)");
    },
    delete: (key: string) => env.MIRROR.delete(key),
  } as unknown as R2Bucket;
  const result = await fetchAs("application/pdf", () => chunked(pdfOf(300_000), 100_000), {}, bucket);
  expect(result).toMatchObject({ kind: "given-back", lacks: "mirror" });
  expect(await env.MIRROR.head(KEY)).toBeNull();
});

test("a document of unknown length holds the memory of one part", async () => {
  let most = 0;
  const body = () => {
    const bytes = pdfOf(12_000_000);
    let at = 0;
    return new ReadableStream({
      pull(controller) {
        most = Math.max(most, bodies.taken);
        if (at >= bytes.byteLength) controller.close();
        else controller.enqueue(bytes.slice(at, at + 500_000));
        at += 500_000;
      },
    });
  };
  await fetchAs("application/pdf", body);
  expect(most).toBeGreaterThan(5_000_000);
  expect(most).toBeLessThan(6_000_000);
});

test.each([
  ["a document", "application/pdf"],
  ["a page", "text/html"],
])("%s without memory is given back in time for its lane's lease", async (_, type) => {
  const others = await bodies.take(32 * 1_048_576, 60_000);
  const startedAt = Date.now();
  try {
    const result = await fetchAs(type, () => pdfOf(2_000_000), { timeoutMs: 1_000, leaseMs: 1_400 });
    expect(result).toMatchObject({ kind: "given-back", lacks: "room", httpStatus: 200 });
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(390);
  } finally {
    others.release();
  }
});

test("a sitemap for the archive without memory is given back", async () => {
  const others = await bodies.take(32 * 1_048_576, 60_000);
  try {
    const bytes = new TextEncoder().encode(
      `<urlset>${"<url><loc>https://a.test/</loc></url>".repeat(40_000)}</urlset>`,
    );
    vi.stubGlobal(
      "fetch",
      async () => new Response(chunked(bytes, 100_000), { headers: { "content-type": "text/xml" } }),
    );
    const capture = { warcinfoId: "x", via: null, hops: "M" };
    const request = { ...REQUEST, url: "https://a.test/sitemap.xml", leaseMs: 1_200, capture };
    expect(await fetchSitemap(request, NO_SECRETS, env as unknown as Env)).toMatchObject({
      kind: "given-back",
      lacks: "room",
    });
  } finally {
    others.release();
  }
});
