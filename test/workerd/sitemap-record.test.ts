import { env } from "cloudflare:test";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readRecord } from "../../src/archive/read-warc-record.ts";
import { joinBytes } from "../../src/core/join-bytes.ts";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { bodies } from "../../src/fetch/transport/byte-budget.ts";
import { REQUEST } from "./page-request.ts";

/** The record of a sitemap holds what was read of it, and its memory is reserved. */

afterEach(() => void vi.unstubAllGlobals());

const MB = 1024 * 1024;
const encode = (text: string) => new TextEncoder().encode(text);
const URLS = "https://a.test/1\nhttps://a.test/2\n";
const ask = (keepBroken = false) =>
  fetchSitemap(
    {
      ...REQUEST,
      url: "https://a.test/sitemap.txt",
      keepBroken,
      timeoutMs: 30_000,
      capture: { warcinfoId: "w", via: null, hops: "M" },
    },
    NO_SECRETS,
    { ...env, ALLOW_PRIVATE: "true" },
  );

async function recordOf(body: BodyInit, coding: string | null, keepBroken = false) {
  const headers = new Headers({ "content-type": "text/plain" });
  if (coding !== null) headers.set("content-encoding", coding);
  vi.stubGlobal("fetch", async () => new Response(body, { headers, encodeBody: "manual" }));
  const result = await ask(keepBroken);
  if (result.kind !== "sitemap" || !result.capture?.answer) throw new Error("no record");
  const { response } = result.capture.answer;
  const { payload, warcHeaders } = await readRecord(joinBytes(response));
  const pages = result.sitemap.pages.map(({ url }) => url);
  return { pages, text: new TextDecoder().decode(payload), truncated: warcHeaders.get("warc-truncated") };
}

const WHOLE = { pages: ["https://a.test/1", "https://a.test/2"], text: URLS };

test.each<[name: string, body: BodyInit, coding: string | null]>([
  ["in no coding", URLS, null],
  ["in gzip", gzipSync(URLS), "gzip"],
  ["in gzip twice", gzipSync(gzipSync(URLS)), "gzip, gzip"],
  ["that is only called gzip", URLS, "gzip"],
  ["in gzip that is called gzip twice", gzipSync(URLS), "gzip, gzip"],
  ["in a coding that the server only names", URLS, "none"],
])("a sitemap %s is recorded as it was read", async (_, body, coding) => {
  expect(await recordOf(body, coding)).toEqual({ ...WHOLE, truncated: undefined });
});

test("of a broken sitemap what was read is recorded, and marked", async () => {
  const whole = `${URLS}${Array.from({ length: 5_000 }, (_, i) => `https://a.test/${(i * 7_919) % 65_536}\n`).join("")}`;
  const sent = gzipSync(whole);
  const { text, truncated } = await recordOf(sent.subarray(0, sent.length / 2), "gzip", true);
  expect(text.length).toBeGreaterThan(1_000);
  expect([whole.startsWith(text), truncated]).toEqual([true, "unspecified"]);
});

describe("a long sitemap", () => {
  const line = encode(`https://a.test/${"x".repeat(1_008)}\n`);
  const megabyte = new Uint8Array(MB);
  for (let at = 0; at < MB; at += line.length) megabyte.set(line, at);

  test("reserves memory for its copy, its body and its record, and gives it back", async () => {
    const taken: number[] = [];
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        taken.push(bodies.taken);
        if (++sent > 4) controller.close();
        else controller.enqueue(megabyte.slice());
      },
    });
    const { text } = await recordOf(body, null);
    expect(text).toHaveLength(4 * MB);
    // Four times ten megabytes are more than the budget of an isolate has.
    expect(taken.at(-1)).toBe(32 * MB);
    expect(bodies.taken).toBe(0);
  });

  test("is recorded up to the limit", async () => {
    const { text, truncated } = await recordOf(gzipSync(new Uint8Array(11 * MB).fill(10)), "gzip");
    expect([text.length, truncated]).toEqual([10 * MB, "length"]);
    expect(bodies.taken).toBe(0);
  });
});
