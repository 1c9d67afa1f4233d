import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `--modified-since` against a server that sends Last-Modified, and 304 for conditional requests. */

const DAY_MS = 86_400_000;
const now = Date.now();
const ago = (days: number) => new Date(now - days * DAY_MS);
const dir = scratch();
const conditions: Record<string, string | undefined> = {};
let site: Site;
let served: Served;

/** By path: days since the last change, or null if the server does not send it, and the links. */
const PAGES: Record<string, [days: number | null, ...links: string[]]> = {
  "/": [90, "/old", "/new", "/silent"],
  "/old": [90, "/behind"],
  "/new": [2],
  "/silent": [null],
  "/behind": [1],
  "/listed-old": [1],
  "/listed-new": [90],
  "/listed-undated": [90],
};

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  site = await startSite(({ url: path = "", headers }, response) => {
    if (path === "/sitemap.xml") {
      const entry = (listed: string, lastmod: string) =>
        `<url><loc>${site.origin}${listed}</loc>${lastmod === "" ? "" : `<lastmod>${lastmod}</lastmod>`}</url>`;
      const day = (days: number) => ago(days).toISOString().slice(0, 10);
      const urls = [entry("/listed-old", day(60)), entry("/listed-new", day(3)), entry("/listed-undated", "")];
      return void response
        .writeHead(200, { "content-type": "application/xml" })
        .end(`<urlset>${urls.join("")}</urlset>`);
    }
    const found = PAGES[path];
    if (found === undefined) return void response.writeHead(404).end();
    const [days, ...links] = found;
    const since = headers["if-modified-since"];
    conditions[path] = since;
    const lastModified = days === null ? {} : { "last-modified": ago(days).toUTCString() };
    if (since !== undefined && days !== null && ago(days).getTime() <= Date.parse(since))
      return void response.writeHead(304, lastModified).end();
    response.writeHead(200, { ...HTML, ...lastModified }).end(page(path, ...links));
  });
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

async function changed(name: string, ...flags: string[]) {
  for (const path of Object.keys(conditions)) delete conditions[path];
  const crawled = await crawl(join(dir.path, name), `${site.origin}/`, "--delay", "0", ...flags, ...served.remote);
  const ends = crawled.records.map(({ url, status, reason }) => [url.slice(site.origin.length), reason ?? status]);
  return { ...crawled, ends: Object.fromEntries(ends) };
}

describe("with links and sitemaps", () => {
  test("changed pages are stored, also those linked only from unchanged pages", async () => {
    const { ends, summary, byUrl, ended } = await changed("all", "--modified-since", "30d");
    expect(ends).toEqual({
      "/": "not-modified",
      "/old": "not-modified",
      "/new": "completed",
      "/silent": "completed",
      "/behind": "completed",
      "/listed-old": "not-modified",
      "/listed-new": "completed",
      "/listed-undated": "not-modified",
    });
    expect(summary).toMatchObject({ status: "completed", total: 8, finished: 8, completed: 4, skipped: 4 });
    expect(ended.code).toBe(0);
    expect(byUrl.get(`${site.origin}/old`)?.explanation).toBe(
      `it has not changed since the time that the crawl asks for: the server says that it last changed ${ago(90).toUTCString()}`,
    );
    // Their links count, so these requests were unconditional. The page that the sitemap dates was not requested.
    expect(Object.entries(conditions).filter(([, since]) => since !== undefined)).toEqual([]);
    expect(conditions).not.toHaveProperty("/listed-old");
  });
});

describe("with sitemaps only", () => {
  test("requests are conditional, and a 304 is accepted", async () => {
    const since = ago(30).toISOString().slice(0, 10);
    const { ends, byUrl, summary } = await changed("maps", "--modified-since", since, "--source", "sitemaps");
    expect(ends).toEqual({
      "/": "not-modified",
      "/listed-old": "not-modified",
      "/listed-new": "completed",
      "/listed-undated": "not-modified",
    });
    const condition = new Date(since).toUTCString();
    expect(conditions).toEqual({ "/": condition, "/listed-new": undefined, "/listed-undated": condition });
    expect(byUrl.get(`${site.origin}/`)).toMatchObject({ httpStatus: 304, status: "skipped" });
    const explained = await run("explain", `${site.origin}/`, "--crawl", summary.id, ...served.remote);
    expect(explained.stdout).toContain("the server answered 304");
  });
});

test("a time in the future is refused", async () => {
  const { code, stderr } = await run("crawl", `${site.origin}/`, "--modified-since", "2099-01-01", ...served.remote);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--modified-since: it is in the future")]);
});
