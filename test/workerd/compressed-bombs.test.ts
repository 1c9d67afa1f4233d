import { env as bindings, createExecutionContext } from "cloudflare:test";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { joinBytes } from "../../src/core/join-bytes.ts";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { bodies } from "../../src/fetch/transport/byte-budget.ts";
import { readBody } from "../../src/fetch/transport/read-body.ts";
import { streamBody } from "../../src/fetch/transport/stream-body.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/** A few bytes that stand for many end as what is too long, in every coding and wherever a body is read. */

afterEach(() => void vi.unstubAllGlobals());

const env = bindings as unknown as Env;
const MIB = 1_048_576;
const brotli = (quality: number) => (bytes: Uint8Array) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const members = (bytes: Uint8Array) => joinBytes(Array.from({ length: 8 }, () => gzipSync(bytes)));
type Encode = (bytes: Uint8Array) => Uint8Array;

const CODINGS: [name: string, coding: string, encode: Encode][] = [
  ["gzip", "gzip", gzipSync],
  ["gzip in old spelling", "X-Gzip", gzipSync],
  ["gzip of many members", "gzip", members],
  ["zlib", "deflate", deflateSync],
  ["bare deflate", "deflate", deflateRawSync],
  ["Brotli", "br", brotli(1)],
  ["dense Brotli", "br", brotli(5)],
  ["zstd", "zstd", zstdCompressSync],
  ["gzip in Brotli", "gzip, br", (bytes) => brotli(5)(gzipSync(bytes))],
  ["Brotli in gzip", "br, gzip", (bytes) => gzipSync(brotli(5)(bytes))],
  ["zstd in zstd", "zstd, zstd", (bytes) => zstdCompressSync(zstdCompressSync(bytes))],
];

/** What stands for it begins with this text. */
function bombOf(begin: string, encode: Encode, length = 12 * MIB): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length).fill(0x20);
  bytes.set(new TextEncoder().encode(begin));
  return new Uint8Array(encode(bytes));
}

/** `isDeclared`: with the length of the body as it is sent. */
function answering(body: Uint8Array<ArrayBuffer>, coding: string, type: string, isDeclared = false): Response {
  const headers = new Headers({ "content-type": type, "content-encoding": coding });
  if (isDeclared) headers.set("content-length", `${body.byteLength}`);
  return new Response(new Blob([body]).stream(), { headers, encodeBody: "manual" });
}

const live = new AbortController().signal;

describe.each(CODINGS)("%s", (_, coding, encode) => {
  const page = bombOf("<title>shown</title>", encode);

  test("is read up to the limit, and is not complete", async () => {
    for (const keepBroken of [false, true])
      for (const isDeclared of [false, true])
        for (const limit of [100_000, 2 * MIB]) {
          const response = answering(page, coding, "text/html", isDeclared);
          const { bytes, ...rest } = await readBody(response, limit, live, { keepBroken });
          expect([bytes.byteLength, rest]).toEqual([limit, { complete: false, truncated: null }]);
          expect(new TextDecoder().decode(bytes.subarray(0, 20))).toBe("<title>shown</title>");
        }
  });

  test("makes a page that is too large", async () => {
    for (const isDeclared of [false, true]) {
      vi.stubGlobal("fetch", async () => answering(page, coding, "text/html", isDeclared));
      const fetcher = new PageFetcher(createExecutionContext(), env);
      for (const keepBroken of [false, true]) {
        const request = { ...PAGE_REQUEST, url: "https://a.test/", timeoutMs: 30_000, maxBodyBytes: MIB, keepBroken };
        expect(await fetcher.fetchPage(request, NO_SECRETS)).toMatchObject({ kind: "rejected", reason: "too-large" });
      }
    }
    expect(bodies.taken).toBe(0);
  });

  test("makes a document that is too large", async () => {
    const body = bombOf("%PDF-1.4\n", encode);
    vi.stubGlobal("fetch", async () => answering(body, coding, "application/pdf"));
    const order = {
      documents: ["pdf" as const],
      document: { key: "c/packs/documents/one", maxBytes: 2 * MIB, takesLarge: false },
    };
    const request = { ...PAGE_REQUEST, ...order, url: "https://a.test/long.pdf", timeoutMs: 30_000 };
    const result = await new PageFetcher(createExecutionContext(), env).fetchPage(request, NO_SECRETS);
    expect(result).toMatchObject({ kind: "rejected", reason: "too-large" });
    expect(await env.MIRROR.get(order.document.key)).toBeNull();
  });

  test("makes no more of a stream than its reader may take", async () => {
    let length = 0;
    const response = answering(page, coding, "text/plain");
    const reading = async () => {
      for await (const chunk of streamBody(response, live, { maxBytes: 2 * MIB })) length += chunk.byteLength;
    };
    await expect(reading()).rejects.toThrow("more than 2,097,152 bytes");
    expect(length).toBeLessThan(2 * MIB + 262_145);
  });

  test("hides no rule of a robots.txt", async () => {
    const body = bombOf("User-agent: *\nDisallow: /private\n", encode);
    vi.stubGlobal("fetch", async () => answering(body, coding, "text/plain"));
    const hold = async () => ({ release: async () => undefined });
    const request = { userAgent: "Test/1", timeoutMs: 30_000, privateHosts: [], answeredBefore: true, holdHost: hold };
    const { file } = await fetchRobots("https://a.test", request, undefined, env);
    expect(JSON.stringify(file)).toContain("/private");
  });
});

test.each(CODINGS.slice(0, 8))("a sitemap in %s is cut at the limit of the protocol", async (_, coding, encode) => {
  const length = encode === members ? 8 * MIB : 56 * MIB;
  const body = bombOf("https://a.test/1\nhttps://a.test/2\n", encode, length);
  vi.stubGlobal("fetch", async () => answering(body, coding, "text/plain"));
  const request = { ...REQUEST, url: "https://a.test/sitemap.txt", timeoutMs: 60_000 };
  const capture = { warcinfoId: "w", via: null, hops: "M" };
  const result = await fetchSitemap({ ...request, capture }, NO_SECRETS, env);
  expect(result).toMatchObject({ kind: "sitemap", sitemap: { truncated: "more than 52,428,800 bytes" } });
  expect(result.kind === "sitemap" && result.sitemap.pages.map(({ url }) => url)).toContain("https://a.test/1");
});

test("other work has its turn while a long body is undone", async () => {
  const body = bombOf("", gzipSync, 10 * MIB);
  let turns = 0;
  const ticking = setInterval(() => turns++, 0);
  const { complete } = await readBody(answering(body, "gzip", "text/plain"), 10 * MIB, live);
  clearInterval(ticking);
  expect(complete).toBe(true);
  expect(turns).toBeGreaterThan(2);
});
