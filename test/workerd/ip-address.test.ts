import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";

/**
 * A Worker on Cloudflare cannot fetch from an IP address in place of a host name: it gets Cloudflare's own 403. So such
 * a URL is refused without a request where BOOT is not set, and only there.
 */

const ADDRESSES = ["http://8.8.8.8/x", "http://0x08080808/x", "http://[2606:4700:4700::1111]:8080/x"];
const DEPLOYED = { ...env, ALLOW_PRIVATE: "", FRONTIER: { sendBatch: async () => undefined } as unknown as Queue };
const LOCAL = { ...DEPLOYED, BOOT: "b" };
const holdHost = async () => ({ release: async () => undefined });

let asked: string[] = [];
afterEach(() => {
  vi.unstubAllGlobals();
  asked = [];
});

function answerAll(answer: () => Response): void {
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return answer();
  });
}

const pageOf = (url: string, env: Env) =>
  new PageFetcher(createExecutionContext(), env).fetchPage({ ...PAGE_REQUEST, url }, NO_SECRETS);

test.each(ADDRESSES)("%s is fetched locally, and not on Cloudflare", async (url) => {
  answerAll(() => new Response("<p>in", { headers: { "content-type": "text/html" } }));
  const refusal = { kind: "rejected", reason: "ip-address", retryable: false, hostFailed: false, durationMs: 0 };
  expect(await pageOf(url, DEPLOYED)).toMatchObject(refusal);
  expect(await fetchSitemap({ ...REQUEST, url }, NO_SECRETS, DEPLOYED)).toMatchObject(refusal);
  expect(asked).toEqual([]);
  expect(await pageOf(url, LOCAL)).toMatchObject({ kind: "page" });
  expect(asked).toEqual([url]);
});

test("the robots.txt of an address, and one that redirects there, end the URL with this reason", async () => {
  answerAll(() => new Response(null, { status: 301, headers: { location: "http://8.8.8.8/robots.txt" } }));
  const unreachable = { state: "unreachable", reason: "ip-address", final: true };
  const request = { ...REQUEST, privateHosts: [], answeredBefore: false, holdHost };
  expect((await fetchRobots("http://8.8.8.8", request, undefined, DEPLOYED)).file).toMatchObject(unreachable);
  expect(asked).toEqual([]);
  expect((await fetchRobots("https://a.test", request, undefined, DEPLOYED)).file).toMatchObject(unreachable);
  expect(asked).toEqual(["https://a.test/robots.txt"]);
});

describe("a seed", () => {
  const post = async (url: string, env: Env) => {
    const init = {
      method: "POST",
      headers: { authorization: "Bearer test-token" },
      body: JSON.stringify({ urls: ["https://a.test/", url] }),
    };
    const response = await app.request("/api/crawls", init, env, createExecutionContext());
    const { errors } = (await response.json()) as { errors?: { code: string; message: string }[] };
    return { status: response.status, ...errors?.[0] };
  };

  test.each(ADDRESSES)("%s is refused on Cloudflare, with the reason", async (url) => {
    const refused = await post(url, DEPLOYED);
    expect([refused.status, refused.code]).toEqual([400, "ip-address"]);
    expect(refused.message).toMatch(/^The host of http:.* is an IP address\. Cloudflare fetches host names only/);
    expect((await post(url, LOCAL)).status).toBe(201);
  });

  test("that is private is refused as private first", async () => {
    expect(await post("http://127.0.0.1/", DEPLOYED)).toMatchObject({ status: 400, code: "private-address" });
  });
});
