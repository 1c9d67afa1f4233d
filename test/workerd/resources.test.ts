import { env } from "cloudflare:test";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { joinBytes } from "../../src/core/join-bytes.ts";
import type { RenderGateway } from "../../src/fetch/browser/render-gateway.ts";
import { ResourceCache } from "../../src/fetch/browser/resource-cache.ts";
import { Resources } from "../../src/fetch/browser/resources.ts";
import { REQUEST } from "./page-request.ts";

/** What a rendered page may load for a picture of it, and which requests stand in the archive. */

const PAGE = "https://a.test/";
const CAPTURE = { warcinfoId: "crawl", via: null, hops: "" };
const gateway: RenderGateway = {
  enter: async () => ({
    kind: "go",
    headers: { authorization: "Bearer secret", cookie: "own=secret" },
    mayBePrivate: true,
  }),
  leave: async () => undefined,
  unarchived: async (names) => names,
};

beforeEach(() => {
  vi.stubGlobal("fetch", async (url: string) => {
    if (url.endsWith("/moved.js")) return new Response("", { status: 302, headers: { location: "/app.js" } });
    return new Response(`body of ${url}`, { headers: { "set-cookie": "theirs=secret" } });
  });
});
afterEach(() => vi.unstubAllGlobals());

function resourcesOf(screenshot: boolean, cache = new ResourceCache(), leaseMs = 60_000): Resources {
  const request = { ...REQUEST, url: PAGE, timeoutMs: 5_000 };
  return new Resources(
    request,
    gateway,
    { ...env, ALLOW_PRIVATE: "true" },
    { crawl: "crawl", screenshot, cache },
    () => leaseMs,
  );
}

const ask = (resources: Resources, path: string, kind: string) =>
  resources.answer({ url: PAGE + path, method: "GET", kind, headers: { referer: PAGE, "x-token": "secret" } });

test("images and fonts are fetched for a picture alone", async () => {
  for (const kind of ["image", "font"]) {
    expect(await ask(resourcesOf(false), kind, kind)).toEqual({ refused: kind });
    expect(await ask(resourcesOf(true), kind, kind)).toMatchObject({ status: 200 });
  }
  expect(await ask(resourcesOf(true), "film", "media")).toEqual({ refused: "media" });
});

test("they leave room for what the page needs for its text", async () => {
  const resources = resourcesOf(true);
  const answers = await Promise.all(Array.from({ length: 70 }, (_, i) => ask(resources, `${i}.png`, "image")));
  expect(answers.filter((answer) => "refused" in answer)).toHaveLength(10);
  expect(await ask(resources, "app.js", "script")).toMatchObject({ status: 200 });
  expect(resources.traffic).toMatchObject({ sent: 61, refused: { limit: 10 } });
});

test("redirects and what the cache has are recorded too, without cookies and headers of others", async () => {
  const cache = new ResourceCache();
  const records = async () => {
    const resources = resourcesOf(false, cache);
    expect(await ask(resources, "moved.js", "script")).toMatchObject({ status: 200 });
    const kept = await resources.exchanges.toRecords(gateway.unarchived, PAGE, CAPTURE);
    expect(kept.map(({ url, status }) => [url, status])).toEqual([
      [`${PAGE}moved.js`, 302],
      [`${PAGE}app.js`, 200],
    ]);
    const text = kept
      .flatMap(({ response, others }) => [joinBytes(response), others])
      .map((members) => gunzipSync(members).toString())
      .join("");
    expect(text).toContain(`referer: ${PAGE}\r\n`);
    expect(text).not.toContain("secret");
    return resources.traffic;
  };
  expect(await records()).toMatchObject({ sent: 2, cached: 0 });
  // A page that uses the cache may be the first one that is stored.
  expect(await records()).toMatchObject({ sent: 0, cached: 1 });
});

test("a request takes no longer than the lane's lease, and that is no failure of its host", async () => {
  vi.stubGlobal("fetch", async (_: string, { signal }: RequestInit) => {
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    throw signal?.reason;
  });
  const leave = vi.spyOn(gateway, "leave");
  const resources = resourcesOf(false, new ResourceCache(), 50);
  expect(await ask(resources, "slow.js", "script")).toEqual({ refused: "timeout" });
  expect(leave.mock.calls).toMatchObject([[`${PAGE}slow.js`, { hostFailed: false, dropped: false }]]);
  leave.mockRestore();
  expect(await ask(resourcesOf(false, new ResourceCache(), 0), "late.js", "script")).toEqual({ refused: "busy" });
});

test("gates are asked for so many requests of a page, whatever they say, and for no URL that no server takes", async () => {
  const enter = vi.spyOn(gateway, "enter").mockResolvedValue({ kind: "refused", why: "robots" });
  const resources = resourcesOf(false);
  const answers = await Promise.all(
    Array.from({ length: 400 }, (_, i) =>
      resources.answer({ url: `https://h${i}.test/a`, method: "GET", kind: "fetch", headers: {} }),
    ),
  );
  expect(enter).toHaveBeenCalledTimes(300);
  expect(answers.at(0)).toEqual({ refused: "robots" });
  expect(resources.traffic.refused).toEqual({ robots: 300, limit: 100 });
  enter.mockRestore();
  const [longest, tooLong] = [16_384, 16_385].map((length) => "x".repeat(length - PAGE.length));
  expect(await ask(resourcesOf(false), longest ?? "", "script")).toMatchObject({ status: 200 });
  expect(await ask(resourcesOf(false), tooLong ?? "", "script")).toEqual({ refused: "limit" });
});
