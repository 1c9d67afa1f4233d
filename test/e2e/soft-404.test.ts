import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, scratch } from "./cli.ts";

/** A site that answers every address with status 200. */

const dir = scratch();
let site: Site;

const PAGES: Record<string, string> = {
  "/": page("Start", "/spiders", "/gone", "/old/gone.html"),
  "/spiders": page("On spiders", "/"),
};

beforeAll(async () => {
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    if (path === "/robots.txt") return void response.writeHead(404).end();
    response.writeHead(200, HTML).end(PAGES[path] ?? page(`Sorry: page not found: ${path}`, "/"));
  });
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

test("its missing pages are soft 404s, and one random sibling is asked for", async () => {
  const { records } = await crawl(dir.path, `${site.origin}/`, "--delay", "0");
  const ends = records.map(({ url, status, reason }) => [new URL(url).pathname, reason ?? status]);
  expect(Object.fromEntries(ends)).toEqual({
    "/": "completed",
    "/spiders": "completed",
    "/gone": "soft-404",
    "/old/gone.html": "soft-404",
  });
  expect(site.log.filter(({ path }) => path.includes("no-such-page"))).toHaveLength(1);
});
