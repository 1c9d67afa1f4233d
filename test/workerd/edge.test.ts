import { createExecutionContext, env } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/** How a crawl's requests pass through Cloudflare's network, and the answers that this network gives itself. */

const ENV = { ...env, ALLOW_PRIVATE: "true" };
const holdHost = async () => ({ release: async () => undefined });
const ROBOTS = { ...REQUEST, privateHosts: [], answeredBefore: false, holdHost };

afterEach(() => void vi.unstubAllGlobals());

function answer(status: number, body: string, headers: Record<string, string>): void {
  vi.stubGlobal("fetch", async () => new Response(body, { status, headers }));
}

const fetchPage = (changes: Partial<typeof PAGE_REQUEST> = {}) =>
  new PageFetcher(createExecutionContext(), env).fetchPage(
    { ...PAGE_REQUEST, ...changes, url: "https://a.test/" },
    NO_SECRETS,
  );
const robotsOf = async () => (await fetchRobots("https://a.test", ROBOTS, undefined, ENV)).file;

test("every request bypasses Cloudflare's cache: a page, an asset, a sitemap, a robots.txt", async () => {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, { cf, cache, headers }: RequestInit) => {
    sent.push({ cf, cache, control: new Headers(headers).get("cache-control") });
    return new Response("<p>in", { headers: { "content-type": "text/html" } });
  });
  await fetchPage();
  await fetchPage({ asset: true });
  await fetchSitemap({ ...REQUEST, url: "https://a.test/sitemap.xml" }, NO_SECRETS, ENV);
  await robotsOf();
  // What the runtime makes of `cache: "no-store"`, without the headers that it adds.
  const bypassing = { cf: { cacheTtl: -1, cacheLevel: "bypass" }, cache: undefined, control: null };
  expect(sent).toEqual([bypassing, bypassing, bypassing, bypassing]);
});

test("the Worker calls its own page fetcher without a binding", async () => {
  const { PageFetcher } = exports as unknown as { PageFetcher: { fetchPage(request: unknown): Promise<unknown> } };
  const refused = await PageFetcher.fetchPage({ ...PAGE_REQUEST, url: "http://8.8.8.8/" });
  expect(refused).toMatchObject({ kind: "rejected", reason: "ip-address" });
  expect(env).not.toHaveProperty("PAGE_FETCHER");
});

test.each([520, 527])("%i is tried again, and is not the host's failure", async (status) => {
  answer(status, "", { server: "cloudflare" });
  const result = { kind: "rejected", reason: "http-status", httpStatus: status, retryable: true, hostFailed: false };
  expect(await fetchPage()).toMatchObject(result);
});

describe("an answer of Cloudflare's own to robots.txt forbids, like one that cannot be read", () => {
  const html = '<div id="cf-error-details"><span class="cf-error-code">1020</span>';
  test.each([
    [403, "error code: 1003", "1003"],
    [403, html, "1020"],
    [409, '{"error_code": 1001, "status": 409}', "1001"],
  ])("%i %s", async (status, body, code) => {
    answer(status, body, { server: "cloudflare" });
    const detail = expect.stringContaining(`robots.txt answered Cloudflare's error ${code}`);
    expect(await robotsOf()).toMatchObject({ state: "silent", detail });
  });

  test.each([
    [403, "error code: 1003", "nginx"],
    [403, "Forbidden", "cloudflare"],
    [404, "<h1>Not found</h1>", "cloudflare"],
  ])("but the site's own %i does not: %s from %s", async (status, body, server) => {
    answer(status, body, { server });
    expect((await robotsOf()).state).toBe("allow-all");
  });
});
