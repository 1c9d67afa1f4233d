import { createExecutionContext, env } from "cloudflare:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { PAGE_REQUEST } from "./page-request.ts";

/** Challenges of bot walls and prices end a URL at once, whether or not an archive keeps the answer. */

afterEach(() => void vi.unstubAllGlobals());

const HTML = { "content-type": "text/html" };
const IMPERVA = `<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&incident_id=434000-41">Request unsuccessful. Incapsula incident ID: 434000-41</iframe>`;
const CAPTURE = { warcinfoId: "urn:uuid:00000000-0000-4000-8000-000000000000", via: null, hops: "0" } as never;

function fetchPage(status: number, headers: Record<string, string>, body: string | Uint8Array, isKept: boolean) {
  vi.stubGlobal("fetch", async () => new Response(body as BodyInit, { status, headers, encodeBody: "manual" }));
  const request = { ...PAGE_REQUEST, url: "https://a.test/", capture: isKept ? CAPTURE : null };
  return new PageFetcher(createExecutionContext(), env).fetchPage(request, NO_SECRETS);
}

describe.each([false, true])("with an archive: %s", (isKept) => {
  const cases: [string, number, Record<string, string>, string, object][] = [
    [
      "a challenge named by a header",
      403,
      { ...HTML, "cf-mitigated": "challenge" },
      "<p>Just a moment",
      { reason: "challenged", detail: expect.stringContaining("Cloudflare") },
    ],
    [
      "one with a status of success",
      202,
      { ...HTML, "x-amzn-waf-action": "challenge" },
      "<p>",
      { reason: "challenged", detail: expect.stringContaining("AWS WAF") },
    ],
    [
      "one named by its body",
      403,
      HTML,
      IMPERVA,
      { reason: "challenged", detail: expect.stringMatching(/^Imperva .*403/) },
    ],
    [
      "one that is called a page",
      200,
      HTML,
      IMPERVA,
      { reason: "challenged", detail: expect.stringContaining("Imperva") },
    ],
    [
      "a price",
      402,
      { "crawler-price": "USD 0.01" },
      "pay",
      { reason: "payment-required", detail: expect.stringContaining("USD 0.01") },
    ],
    ["a 403", 403, HTML, "<h1>Forbidden</h1>", { reason: "http-status", detail: expect.stringContaining("403") }],
    ["a 402 without a price", 402, HTML, "<h1>Payment Required</h1>", { reason: "http-status" }],
  ];

  it.each(cases)("%s", async (_, status, headers, body, expected) => {
    const result = await fetchPage(status, headers, body, isKept);
    expect(result).toMatchObject({
      kind: "rejected",
      httpStatus: status,
      retryable: false,
      hostFailed: false,
      ...expected,
    });
    if (!isKept || result.kind !== "rejected") return;
    // What stands in the archive is the whole answer.
    const { answer } = result.capture ?? {};
    const bytes = await new Blob((answer?.response ?? []) as never[]).arrayBuffer();
    expect(gunzipSync(new Uint8Array(bytes)).toString()).toContain(body);
  });

  it("one that is compressed", async () => {
    const result = await fetchPage(403, { ...HTML, "content-encoding": "gzip" }, gzipSync(IMPERVA), isKept);
    expect(result).toMatchObject({ reason: "challenged" });
  });

  it.each([
    [503, {}, false],
    [429, {}, false],
    [429, { "retry-after": "60" }, true],
  ])("one with %d and %j: the host has failed: %s", async (status, more, hostFailed) => {
    const result = await fetchPage(status, { ...HTML, "cf-mitigated": "challenge", ...more }, "", isKept);
    expect(result).toMatchObject({ reason: "challenged", retryable: false, hostFailed });
  });

  it("an overload is an overload", async () => {
    const result = await fetchPage(503, HTML, "<h1>Busy</h1>", isKept);
    expect(result).toMatchObject({ reason: "http-status", retryable: true, hostFailed: true });
  });
});

it("a body that does not come in time leaves an error what it is", async () => {
  vi.stubGlobal("fetch", async (_: string, { signal }: { signal: AbortSignal }) => {
    const body = new ReadableStream({
      type: "bytes",
      start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    });
    return new Response(body, { status: 403, headers: HTML });
  });
  const request = { ...PAGE_REQUEST, url: "https://a.test/", timeoutMs: 100 };
  const result = await new PageFetcher(createExecutionContext(), env).fetchPage(request, NO_SECRETS);
  expect(result).toMatchObject({ reason: "http-status", httpStatus: 403, hostFailed: false });
});
