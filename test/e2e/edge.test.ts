import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, scratch } from "./cli.ts";

/** What a server sees of a crawl that bypasses Cloudflare's cache: only the usual headers. */

const dir = scratch();
const seen = new Map<string, IncomingHttpHeaders>();
let site: Site;

const XML = { "content-type": "application/xml" };
const ANSWERS: Record<string, [number, Record<string, string>, string]> = {
  "/": [200, HTML, "<title>start</title><img src=/image.png>"],
  "/image.png": [200, { "content-type": "image/png" }, "png"],
};

beforeAll(async () => {
  site = await startSite(({ url = "", headers }, response) => {
    seen.set(url, headers);
    const sitemap = `<urlset><url><loc>${site.origin}/</loc></url></urlset>`;
    const [status, types, body] =
      url === "/sitemap.xml" ? [200, XML, sitemap] : (ANSWERS[url] ?? ([404, {}, ""] as const));
    response.writeHead(status, types).end(body);
  });
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

test("a page, an asset, a sitemap and a robots.txt come with the same few headers", async () => {
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--source", "all", "--assets", "--delay", "0");
  expect(summary).toMatchObject({ status: "completed", completed: 2 });
  const paths = ["/", "/image.png", "/robots.txt", "/sitemap.xml"];
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(paths));
  for (const path of paths) {
    const names = Object.keys(seen.get(path) ?? {}).filter((name) => name !== "connection");
    // Cloudflare adds CF-Worker to each request of a Worker, this machine does not.
    // https://developers.cloudflare.com/fundamentals/reference/http-headers/#cf-worker
    expect(names.sort(), path).toEqual(["accept", "accept-encoding", "host", "user-agent"]);
  }
});
