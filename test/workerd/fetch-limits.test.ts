import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { PAGE_REQUEST } from "./page-request.ts";

/** Time limits of one fetch. test/e2e/fetch-limits.test.ts has the limits that a real server can show quickly. */

afterEach(() => void vi.unstubAllGlobals());

const REQUEST = { ...PAGE_REQUEST, url: "https://a.test/", timeoutMs: 60_000, headersTimeoutMs: 50 };

test("a fetch without headers ends before the total timeout", async () => {
  vi.stubGlobal(
    "fetch",
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const result = await new PageFetcher(createExecutionContext(), env).fetchPage(REQUEST);
  expect(result).toMatchObject({ kind: "rejected", reason: "timeout", detail: "no answer in time", retryable: true });
});

test("a body may take longer than the headers", async () => {
  const body = new ReadableStream({
    type: "bytes",
    async start(controller) {
      controller.enqueue(new TextEncoder().encode("<title>late"));
      await scheduler.wait(200);
      controller.close();
    },
  });
  vi.stubGlobal("fetch", async () => new Response(body, { headers: { "content-type": "text/html" } }));
  const result = await new PageFetcher(createExecutionContext(), env).fetchPage(REQUEST);
  expect(result).toMatchObject({ kind: "page", title: "late" });
});
