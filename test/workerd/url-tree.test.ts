import { createExecutionContext, env } from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { RecordDetailView } from "../../src/api/views.ts";
import type { TreeLevel } from "../../src/crawl/page/url-tree.ts";
import { type Web, World } from "./world.ts";

/** The tree of a crawl's URLs, and the path to one of them, from rows of the real ledger. */

const MANY = Array.from({ length: 230 }, (_, i) => `/many/${String(i).padStart(3, "0")}`);
const PATHS = [
  "/docs/",
  "/docs/one",
  "/docs/deep/er/",
  "/docs/deep/two?x=/y/",
  "/docs/deep/two?x=2",
  "/docsy",
  "/gone",
];
const WEB: Web = (url) => {
  const { host, pathname } = new URL(url);
  if (pathname === "/gone") return { status: 404 };
  if (host !== "a.test") return { links: [] };
  if (pathname === "/docs/") return { links: ["https://a.test/docs/found", "https://a.test/docs/one"] };
  if (pathname === "/docs/found") return { redirect: "https://a.test/docs/led" };
  if (pathname !== "/") return { links: [] };
  return { links: [...PATHS, ...MANY].map((path) => `https://a.test${path}`).concat("https://b.test/") };
};
let id = "";

beforeAll(async () => {
  const world = new World(WEB, {
    sitemaps: (url) =>
      url.endsWith("/pages.xml") ? { pages: [{ url: "https://a.test/listed", lastmod: null }] } : { status: 404 },
    named: { "https://a.test": ["https://a.test/pages.xml"] },
  });
  id = await world.start(["https://a.test/"], { includeExternalLinks: true, source: "all" });
  await world.runToEnd(id);
});

async function ask<T>(path: string): Promise<{ status: number; result: T }> {
  const headers = { authorization: "Bearer reading-token" };
  const answer = await app.request(`/api/crawls/${id}/${path}`, { headers }, env, createExecutionContext());
  return { status: answer.status, ...((await answer.json()) as { result: T }) };
}
const level = async (path: string) => (await ask<TreeLevel>(`tree?path=${encodeURIComponent(path)}`)).result;
const recordDetail = async (url: string) =>
  (await ask<RecordDetailView>(`record?url=${encodeURIComponent(url)}`)).result;

describe("the tree", () => {
  test("starts with the hosts, whose URLs add up to the crawl", async () => {
    const { children, rest } = await level("");
    expect(children.map(({ segment, urls }) => [segment, urls])).toEqual([
      ["https://a.test/", 241],
      ["https://b.test/", 1],
    ]);
    expect(rest).toBeNull();
  });

  test("has folders and pages, and groups the URLs of one path", async () => {
    const { children } = await level("https://a.test/docs/");
    expect(children.map(({ segment, isLeaf, urls }) => [segment, isLeaf, urls])).toEqual([
      ["deep/", false, 3],
      ["", true, 1],
      ["found", true, 1],
      ["led", true, 1],
      ["one", true, 1],
    ]);
    const deep = await level("https://a.test/docs/deep/");
    expect(deep.children.map(({ segment, urls }) => [segment, urls])).toEqual([
      ["two", 2],
      ["er/", 1],
    ]);
  });

  test("counts completed and errored URLs", async () => {
    const { children } = await level("https://a.test/");
    const gone = children.find(({ segment }) => segment === "gone");
    expect(gone).toMatchObject({ urls: 1, completed: 0, errored: 1, bytes: 0 });
    const many = children.find(({ segment }) => segment === "many/");
    expect(many).toMatchObject({ urls: 230, completed: 230 });
  });

  test("adds up the children beyond the limit", async () => {
    const { children, rest, ranges } = await level("https://a.test/many/");
    expect(children.length).toBe(200);
    expect(rest).toEqual({ children: 30, urls: 30, completed: 30, queued: 0, errored: 0, bytes: expect.any(Number) });
    expect(ranges).toHaveLength(24);
    expect(ranges[0]).toMatchObject({ first: "200", last: "201", children: 2, urls: 2 });
    expect(ranges.at(-1)).toMatchObject({ first: "229", last: "229" });
    for (const sum of ["children", "urls", "completed", "bytes"] as const)
      expect(ranges.reduce((total, range) => total + range[sum], 0)).toBe(rest?.[sum]);
  });

  test.each(["https://a.test/docs", "x", "https://a.test/?x=/"])("has no children for %s", async (path) => {
    expect((await ask(`tree?path=${encodeURIComponent(path)}`)).status).toBe(400);
  });
});

describe("a record", () => {
  test("shows the path from its seed, through a redirect", async () => {
    const { path, inlinks } = await recordDetail("https://a.test/docs/led");
    expect(path.map(({ url }) => new URL(url).pathname)).toEqual(["/", "/docs/", "/docs/found", "/docs/led"]);
    expect(inlinks).toEqual(["https://a.test/docs/found"]);
  });

  test("shows the URLs first found on it, without those known before", async () => {
    const { found, hasMoreFound } = await recordDetail("https://a.test/docs/");
    expect(found.map(({ url, status }) => [url, status])).toEqual([["https://a.test/docs/found", "skipped"]]);
    expect(hasMoreFound).toBe(false);
    expect((await recordDetail("https://a.test/")).hasMoreFound).toBe(true);
  });

  test("has the sitemap that lists it in its path", async () => {
    const { path } = await recordDetail("https://a.test/listed");
    expect(path.map(({ kind }) => kind)).toEqual(["robots.txt", "sitemap", "page"]);
  });

  test("is found by any spelling of its URL; others are not found", async () => {
    expect((await recordDetail("HTTPS://A.test/docs/#top")).record.url).toBe("https://a.test/docs/");
    expect((await ask("record?url=https://a.test/nowhere")).status).toBe(404);
  });
});
