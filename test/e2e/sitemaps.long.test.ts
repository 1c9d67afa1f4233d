import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** Sitemaps of every format, from a real server. */

const FAST = ["--delay", "0", "--limit", "500"];
const dir = scratch();
let site: Site;
let served: Served;

const urlset = (...paths: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${site.origin}${path}</loc><lastmod>2025-03-04</lastmod></url>`)
    .join("\n")}</urlset>`;

/** Body and content type by path. */
const SITEMAPS: Record<string, () => [body: string | Uint8Array, type: string, coding?: string]> = {
  "/sitemap.xml": () => [
    `<sitemapindex>${["gz", "gzip", "br", "text", "rss", "atom", "broken", "html", "none", "nested"]
      .map((name) => `<sitemap><loc>${site.origin}/maps/${name}</loc></sitemap>`)
      .join("")}</sitemapindex>`,
    "application/xml",
  ],
  "/maps/gz": () => [gzipSync(urlset("/listed/gz")), "application/gzip"],
  "/maps/gzip": () => [gzipSync(urlset("/listed/gzip?a=1&amp;b=2")), "application/xml", "gzip"],
  "/maps/br": () => [brotliCompressSync(gzipSync(urlset("/listed/br"))), "application/xml", "gzip, BR"],
  "/maps/text": () => [`\ufeff${site.origin}/listed/text\r\n`, "text/plain"],
  "/maps/rss": () => [
    `<rss version="2.0"><channel><item><link>${site.origin}/listed/rss</link><pubDate>Tue, 04 Mar 2025 05:06:07 GMT</pubDate></item></channel></rss>`,
    "application/rss+xml",
  ],
  "/maps/atom": () => [
    `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/listed/atom"/><updated>2025-03-04T05:06:07Z</updated></entry></feed>`,
    "application/atom+xml",
  ],
  "/maps/broken": () => [urlset("/listed/broken", "/listed/lost").slice(0, -60), "application/xml"],
  "/maps/html": () => ["<!doctype html><html><title>Not here</title></html>", "text/html"],
  "/maps/nested": () => [
    `<sitemapindex><sitemap><loc>${site.origin}/maps/leaf</loc></sitemap></sitemapindex>`,
    "text/xml",
  ],
  "/maps/leaf": () => [urlset("/listed/leaf"), "application/xml"],
  "/elsewhere.xml": () => [urlset("/listed/robots", "/private/page"), "application/xml"],
};

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  site = await startSite(({ url = "/" }, response) => {
    const sitemap = SITEMAPS[url]?.();
    if (sitemap !== undefined) {
      const [body, type, coding] = sitemap;
      response.writeHead(200, { "content-type": type, ...(coding ? { "content-encoding": coding } : {}) }).end(body);
    } else if (url === "/robots.txt") {
      const named = ["/elsewhere.xml", "/gone.xml"].map((path) => `Sitemap: ${site.origin}${path}`).join("\n");
      response.writeHead(200, { "content-type": "text/plain" }).end(`User-agent: *\nDisallow: /private/\n\n${named}\n`);
    } else if (url === "/") response.writeHead(200, HTML).end(page("home", "/linked"));
    else if (url.startsWith("/listed/") || url === "/linked") response.writeHead(200, HTML).end(page(url));
    else response.writeHead(404).end();
  });
});
afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const LISTED = [
  "/listed/atom",
  "/listed/br",
  "/listed/broken",
  "/listed/gz",
  "/listed/gzip?a=1&b=2",
  "/listed/leaf",
  "/listed/robots",
  "/listed/rss",
  "/listed/text",
];

test("every format is read, errors are reported, and pages come from links and sitemaps", async () => {
  const { byUrl, summary } = await crawl(join(dir.path, "all"), `${site.origin}/`, ...FAST, ...served.remote);
  const completed = [...byUrl.values()].filter(({ status }) => status === "completed");
  expect(completed.map(({ url }) => url.slice(site.origin.length))).toEqual(["/", "/linked", ...LISTED]);
  expect(byUrl.get(`${site.origin}/private/page`)).toMatchObject({ status: "disallowed", reason: "robots" });
  expect(summary).toMatchObject({ status: "completed", total: 12, completed: 11, disallowed: 1, errored: 0 });
  expect(byUrl.get(`${site.origin}/listed/rss`)?.lastmod).toBe("2025-03-04T05:06:07.000Z");
  expect(byUrl.get(`${site.origin}/listed/gz`)).toMatchObject({
    lastmod: "2025-03-04T00:00:00.000Z",
    via: `${site.origin}/maps/gz`,
  });
  expect(byUrl.get(`${site.origin}/linked`)?.lastmod).toBeNull();

  const shown = await run("status", summary.id, ...served.remote);
  expect(shown.stdout).toContain("10 sitemaps read, listing 10 URLs, 4 could not be read");
  expect(shown.stdout).toMatch(/maps\/broken: .*in the middle/);
  expect(shown.stdout).toMatch(/gone\.xml: .*404/);
  expect(shown.stdout).toMatch(/maps\/html: .*HTML page/);
});

test.each([
  ["links", ["/", "/linked"]],
  ["sitemaps", ["/", ...LISTED]],
])("--source %s", async (source, expected) => {
  site.log.length = 0;
  const flags = [...FAST, "--source", source, ...served.remote];
  const { records } = await crawl(join(dir.path, source), `${site.origin}/`, ...flags);
  const completed = records.filter(({ status }) => status === "completed");
  expect(completed.map(({ url }) => url.slice(site.origin.length))).toEqual(expected);
  expect(site.log.some(({ path }) => path === "/sitemap.xml")).toBe(source === "sitemaps");
});

describe("a dry run", () => {
  test("fetches only robots.txt and sitemaps, and lists the URLs that would be crawled or refused", async () => {
    site.log.length = 0;
    // In a new installation, which has not read this robots.txt.
    const flags = ["--dry-run", ...FAST, "--state", join(dir.path, "dry")];
    const { stdout, code } = await run("crawl", `${site.origin}/`, ...flags);
    expect(code).toBe(0);
    expect(stdout).toContain("10 URLs would be crawled");
    for (const path of ["/", ...LISTED]) expect(stdout).toContain(`  ${site.origin}${path}\n`);
    expect(stdout).toMatch(/private\/page: robots\.txt forbids it: .*Disallow: \/private\//);
    const asked = site.log.map(({ path }) => path);
    expect(asked[0]).toBe("/robots.txt");
    expect(asked.filter((path) => path !== "/robots.txt" && !(path in SITEMAPS)).toSorted()).toEqual([
      "/gone.xml",
      "/maps/none",
    ]);
  });

  test("the result as JSON and as records", async () => {
    const flags = ["--dry-run", ...FAST, ...served.remote];
    const { summary, records } = await crawl(join(dir.path, "dry-json"), `${site.origin}/`, ...flags);
    expect(summary).toMatchObject({ status: "completed", total: 11, completed: 0, skipped: 10, disallowed: 1 });
    expect(records.filter(({ reason }) => reason === "dry-run")).toHaveLength(10);
  });
});
