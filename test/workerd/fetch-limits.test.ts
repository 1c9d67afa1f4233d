import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { PAGE_REQUEST } from "./page-request.ts";

/** Time limits of one fetch. test/e2e/fetch-limits.long.test.ts has the limits that a real server can show quickly. */

afterEach(() => void vi.unstubAllGlobals());

const REQUEST = { ...PAGE_REQUEST, url: "https://a.test/", timeoutMs: 60_000, headersTimeoutMs: 50 };

test("a fetch without headers ends before the total timeout", async () => {
  vi.stubGlobal(
    "fetch",
    (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const result = await new PageFetcher(createExecutionContext(), env).fetchPage(REQUEST, NO_SECRETS);
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
  const result = await new PageFetcher(createExecutionContext(), env).fetchPage(REQUEST, NO_SECRETS);
  expect(result).toMatchObject({ kind: "page", title: "late" });
});

describe("large bodies", () => {
  /** The default of vi.waitFor is a second, which a busy machine exceeds. */
  const PATIENCE = { timeout: 60_000 };
  /** Longer than the fourth page takes on a busy machine. */
  const WAIT_MS = 1_500;

  /** Responses that say how long they are. Each sends its body when the test lets it. */
  function serveLarge(bytes: number): { read: () => number; finish: (at: number) => void } {
    const bodies: PromiseWithResolvers<void>[] = [];
    let read = 0;
    vi.stubGlobal("fetch", async (_: string, { signal }: { signal: AbortSignal }) => {
      const body = Promise.withResolvers<void>();
      bodies.push(body);
      signal.addEventListener("abort", () => body.reject(signal.reason));
      let isStarted = false;
      const stream = new ReadableStream({
        type: "bytes",
        async pull(controller) {
          if (!isStarted) read += 1;
          isStarted = true;
          await body.promise;
          controller.enqueue(new TextEncoder().encode("<title>large"));
          controller.close();
          controller.byobRequest?.respond(0);
        },
      });
      return new Response(stream, { headers: { "content-type": "text/html", "content-length": `${bytes}` } });
    });
    return { read: () => read, finish: (at) => bodies[at]?.resolve() };
  }

  const TEN_MB = 10_000_000;
  const start = (timeoutMs: number) =>
    new PageFetcher(createExecutionContext(), env).fetchPage(
      { ...PAGE_REQUEST, url: "https://a.test/", timeoutMs, maxBodyBytes: TEN_MB },
      NO_SECRETS,
    );

  test("are read three at a time; the wait counts neither as the timeout nor as the duration", async () => {
    const { read, finish } = serveLarge(TEN_MB);
    const first = [start(60_000), start(60_000), start(60_000)];
    await vi.waitFor(() => expect(read()).toBe(3), PATIENCE);
    const fourth = start(WAIT_MS);
    await scheduler.wait(WAIT_MS + 200);
    expect(read()).toBe(3);
    finish(0);
    finish(3);
    expect(await fourth).toMatchObject({
      kind: "page",
      title: "large",
      durationMs: expect.toSatisfy((ms) => ms < WAIT_MS),
    });
    for (const at of [1, 2]) finish(at);
    expect(await Promise.all(first)).toMatchObject(first.map(() => ({ kind: "page", title: "large" })));
  });

  test("that are small enough never wait", async () => {
    const { read, finish } = serveLarge(500_000);
    const pages = Array.from({ length: 25 }, () => start(60_000));
    await vi.waitFor(() => expect(read()).toBe(25), PATIENCE);
    for (const at of pages.keys()) finish(at);
    expect(await Promise.all(pages)).toMatchObject(pages.map(() => ({ kind: "page" })));
  });

  test("that fail give their share back", async () => {
    const { read, finish } = serveLarge(TEN_MB);
    const failing = [start(200), start(200), start(200)];
    expect(await Promise.all(failing)).toMatchObject(failing.map(() => ({ reason: "timeout" })));
    const next = start(60_000);
    await vi.waitFor(() => expect(read()).toBe(4), PATIENCE);
    finish(3);
    expect(await next).toMatchObject({ kind: "page" });
  });
});
