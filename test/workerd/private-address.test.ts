import { createExecutionContext, env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { consume } from "../../src/frontier/consumer.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { World } from "./world.ts";

/** Rule 5 in its first form: no request reaches a private address unless the operator has said so, redirects included. */

const PRIVATE = [
  "http://127.0.0.1:9/",
  "http://10.0.0.1/",
  "http://[::ffff:127.0.0.1]/",
  "http://169.254.169.254/",
  "http://host.internal/",
];

describe("refused before a connection is opened", () => {
  test.each(PRIVATE)("a page at %s", async (url) => {
    const fetcher = new PageFetcher(createExecutionContext(), { ...env, ALLOW_PRIVATE: "" });
    const result = await fetcher.fetchPage({
      url,
      userAgent: "Test/1",
      headers: {},
      timeoutMs: 1_000,
      maxBodyBytes: 1_000,
      agent: "test",
      pageRobots: true,
      scriptLinks: false,
    });
    expect(result).toMatchObject({ kind: "rejected", reason: "private-address", durationMs: 0, retryable: false });
  });

  test.each(PRIVATE)("robots.txt at %s", async (url) => {
    const request = {
      userAgent: "Test/1",
      timeoutMs: 1_000,
      answeredBefore: false,
      turn: async () => ({ done: async () => undefined }),
    };
    const { file } = await fetchRobots(new URL(url).origin, request, undefined, {});
    expect(file).toMatchObject({ state: "unreachable", reason: "private-address" });
  });
});

test("a redirect and a link to a private address are not followed", async () => {
  const world = new World((url) =>
    url === "https://a.test/"
      ? { links: ["https://a.test/moved", "http://192.168.0.1/router"] }
      : { redirect: "http://127.0.0.1/admin" },
  );
  const crawl = await world.start(["https://a.test/"], { includeExternalLinks: true });
  const message = (url: string) => ({ v: 1 as const, crawl, url, epoch: 1 });
  await consume([message("https://a.test/")], world.deps, false);
  await consume([message("https://a.test/moved")], world.deps, false);
  expect(world.fetched).toEqual(["https://a.test/", "https://a.test/moved"]);
  expect((await world.deps.ledger.record(crawl, "https://a.test/moved"))?.detail).toContain(
    "which scope refuses: 127.0.0.1",
  );
  expect(await world.deps.ledger.refusals(crawl)).toEqual([
    { reason: "private-address", count: 1, examples: ["http://192.168.0.1/router"] },
  ]);
});
