import { createExecutionContext, env } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FeedView } from "../../src/api/views.ts";
import { pageUrl, WatchedCrawl } from "./watched-crawl.ts";

/** Feeds of a watch's changes: who may read them, and what they say. */

interface JsonFeed {
  feed_url: string;
  home_page_url: string;
  items: { id: string; url: string; external_url: string; title: string; tags: string[] }[];
}

async function request(url: string, init: RequestInit = {}, changes: Partial<Env> = {}): Promise<Response> {
  return app.request(url, init, { ...env, ...changes }, createExecutionContext());
}

async function makeFeed(crawl: WatchedCrawl): Promise<{ atom: string; json: string }> {
  const init = { method: "POST", headers: { authorization: "Bearer test-token" } };
  const { atom, json } = (await (await request(`/api/crawls/${crawl.id}/feed`, init)).json<{ result: FeedView }>())
    .result;
  return { atom: atom ?? "", json: json ?? "" };
}

const startWatch = () => WatchedCrawl.start([{ says: "0" }, { says: "1" }, { says: "2" }]);
const change = (crawl: WatchedCrawl, n: number, text: string) => crawl.visit(new Map([[n, { says: text }]]));

test("a feed has the newest changes, the newest first, with links to what changed", async () => {
  const crawl = await startWatch();
  const { atom, json } = await makeFeed(crawl);
  expect(await (await request(json)).json<JsonFeed>()).toMatchObject({ items: [] });
  for (let i = 0; i < 60; i++) await change(crawl, 1, `text ${i}`);
  await crawl.visit(new Map([[2, "moved"]]));

  const response = await request(json);
  expect(response.headers.get("content-type")).toBe("application/feed+json");
  const feed = await response.json<JsonFeed>();
  expect([feed.feed_url, feed.home_page_url]).toEqual([json, `http://localhost/crawls/${crawl.id}/changes`]);
  expect(feed.items).toHaveLength(50);
  const [moved, changed, ...others] = feed.items;
  expect(moved).toMatchObject({ external_url: pageUrl(2), tags: ["moved"], url: expect.stringContaining("/record?") });
  expect(changed).toMatchObject({ title: "Changed: text 59", tags: ["changed"] });
  const shown = new URL(changed?.url ?? "");
  expect([shown.pathname, shown.searchParams.get("url")]).toEqual([`/crawls/${crawl.id}/diff`, pageUrl(1)]);
  expect(new Set(feed.items.map(({ id }) => id)).size).toBe(50);
  expect((await (await request(json)).json<JsonFeed>()).items.map(({ id }) => id)).toEqual(
    [moved, changed, ...others].map((item) => item?.id),
  );

  const asAtom = await request(atom);
  expect(asAtom.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  const xml = await asAtom.text();
  expect(xml.match(/<entry>/g)).toHaveLength(50);
  expect(xml).toContain(`<id>${moved?.id}</id>`);
});

test("an unchanged feed is answered with 304 to its ETag, until the next change", async () => {
  const crawl = await startWatch();
  const { atom, json } = await makeFeed(crawl);
  await change(crawl, 1, "new");
  for (const address of [atom, json]) {
    const first = await request(address);
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const again = await request(address, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    await change(crawl, 1, `newer ${address}`);
    expect((await request(address, { headers: { "if-none-match": etag } })).status).toBe(200);
  }
});

test("a key reads the feeds of its crawl, and nothing else", async () => {
  const crawl = await startWatch();
  const other = await startWatch();
  const { atom } = await makeFeed(crawl);
  const otherFeed = await makeFeed(other);
  const [, key = ""] = /\.([0-9a-f]{32})\./.exec(atom) ?? [];
  expect(otherFeed.atom).not.toContain(key);
  for (const address of [
    `/feeds/${other.id}.${key}.atom`,
    `/feeds/${crawl.id}.${"0".repeat(32)}.atom`,
    `/feeds/${crawl.id}..atom`,
    `/feeds/${crawl.id}.atom`,
    `/feeds/${crawl.id}.${key}.rss`,
    `/feeds/${crypto.randomUUID()}.${key}.atom`,
  ])
    expect([address, (await request(address)).status]).toEqual([address, 404]);
  const bearer = { headers: { authorization: `Bearer ${key}` } };
  for (const path of ["", "/changes", "/feed", "/records"])
    expect((await request(`/api/crawls/${crawl.id}${path}`, bearer)).status).toBe(401);
});

test("a stranger learns nothing from wrong keys: not which crawls there are, nor which have feeds", async () => {
  const crawl = await startWatch();
  const other = await startWatch();
  await makeFeed(crawl);
  const key = "0".repeat(32);
  const answers = [];
  for (const id of [crawl.id, other.id, crypto.randomUUID()]) {
    const statements = vi.spyOn(env.LEDGER, "prepare");
    const { status, headers, ...answer } = await request(`/feeds/${id}.${key}.atom`).then(async (one) => ({
      status: one.status,
      headers: [...one.headers].filter(([name]) => name !== "x-request-id"),
      text: (await one.text()).replace(/"requestId":"[^"]+"/, ""),
    }));
    answers.push({ status, headers, ...answer, sql: statements.mock.calls.map(([sql]) => sql) });
    statements.mockRestore();
  }
  expect(answers[0]).toMatchObject({ status: 404, sql: [expect.stringContaining("key")] });
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
});

test("a crawl without a key has no feed, and a new key revokes the one before", async () => {
  const crawl = await startWatch();
  const known = async () => (await (await crawl.get("/feed")).json<{ result: FeedView }>()).result;
  expect(await known()).toEqual({ atom: null, json: null });
  const before = await makeFeed(crawl);
  expect(await known()).toEqual(before);
  expect((await request(before.atom)).status).toBe(200);
  const after = await makeFeed(crawl);
  expect(await known()).toEqual(after);
  expect([(await request(before.atom)).status, (await request(after.atom)).status]).toEqual([404, 200]);
});

test("an address that sends many wrong keys is refused", async () => {
  const crawl = await startWatch();
  const { atom } = await makeFeed(crawl);
  const refuse = { limit: async () => ({ success: false }) };
  const limits = { RATE_LIMITS: "", GUESS_LIMIT: refuse } as unknown as Partial<Env>;
  const from = { headers: { "cf-connecting-ip": "192.0.2.77" } };
  const wrong = `/feeds/${crawl.id}.${"0".repeat(32)}.atom`;
  expect((await request(wrong, from, limits)).status).toBe(429);
  expect((await request(atom, from, limits)).status).toBe(429);
  expect((await request(atom, { headers: { "cf-connecting-ip": "192.0.2.78" } })).status).toBe(200);
});
