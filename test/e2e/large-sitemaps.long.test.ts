import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** Sitemaps as large as the protocol allows, and larger (https://www.sitemaps.org/protocol.html). */

const dir = scratch();
let site: Site;
let served: Served;

function sitemapOf(entries: number, paddingBytes: number): string {
  const caption = `<image:caption>${"x".repeat(paddingBytes)}</image:caption>`;
  const urls = Array.from({ length: entries }, (_, i) => `<url><loc>${site.origin}/${i}</loc>${caption}</url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`;
}

/** The sitemap that robots.txt names. */
let listed = "";

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  site = await startSite(({ url = "/" }, response) => {
    if (url === "/robots.txt") {
      response.writeHead(200, { "content-type": "text/plain" }).end(`Sitemap: ${site.origin}/listed.xml\n`);
    } else if (url === "/listed.xml") response.writeHead(200, { "content-type": "application/xml" }).end(listed);
    else response.writeHead(404).end();
  });
});
afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const flags = () => ["--dry-run", "--delay", "0", "--limit", "20", ...served.remote];

test("50,000 entries in 50 MB are read up to the page limit", async () => {
  listed = sitemapOf(50_000, 900);
  const { summary } = await crawl(join(dir.path, "large"), `${site.origin}/`, ...flags());
  expect(summary).toMatchObject({ status: "completed", total: 50_001, skipped: 50_001 });
});

test("entries beyond the protocol's limit are dropped and reported", async () => {
  listed = sitemapOf(60_000, 20);
  const { stdout } = await run("crawl", `${site.origin}/`, ...flags());
  expect(stdout).toContain("20 URLs would be crawled");
  expect(stdout).toContain("49,981 more URLs found, over the limit of 20 pages.");
  expect(stdout).toMatch(/listed\.xml: more than 50,000 URLs: the rest was left out/);
});
