import { expect, test } from "vitest";
import type { PageHeaders } from "../../src/crawl/outcome.ts";
import { readPage } from "../../src/fetch/read-page.ts";

const REQUEST = {
  url: "https://a.test/dir/",
  agent: "orbweaver",
  pageRobots: true,
  scriptLinks: false,
  assets: false,
  asset: false,
  documents: [],
  parts: [],
  search: false,
  version: null,
  modifiedSince: null,
};
const NOW = Date.parse("2026-03-01");

async function read(html: string, headers: PageHeaders, now = NOW) {
  const body = new TextEncoder().encode(html);
  const page = await readPage({ body, contentType: "text/html", headers, httpStatus: 200 }, REQUEST, 5, now);
  return page.kind === "page" ? page : null;
}

test("a page is left out from the date of its unavailable_after on", async () => {
  const html = "<meta name=robots content='unavailable_after: 2026-03-01'><a href=x>";
  expect(await read(html, [], NOW - 1)).toMatchObject({ noindex: null, links: ["https://a.test/dir/x"] });
  expect(await read(html, [])).toMatchObject({
    noindex: "meta: unavailable_after: 2026-03-01",
    links: ["https://a.test/dir/x"],
  });
  const header: PageHeaders = [["x-robots-tag", "otherbot: noindex, unavailable_after: 1 Jan 2026"]];
  expect((await read("x", header))?.noindex).toBe("X-Robots-Tag: unavailable_after: 1 jan 2026");
});

test("the headers of the answer name links and sitemaps", async () => {
  const headers: PageHeaders = [
    ["link", '</next>; rel=next, </map.xml>; rel=sitemap, </left>; rel="next nofollow"'],
    ["refresh", "0; url=/moved"],
  ];
  expect(await read("<a href=a>", headers)).toMatchObject({
    links: ["https://a.test/dir/a", "https://a.test/next", "https://a.test/moved"],
    sitemaps: ["https://a.test/map.xml"],
    nofollow: { count: 1, examples: ["https://a.test/left"] },
  });
});

test("a page that asks not to follow its links names no sitemaps", async () => {
  const sitemapsOf = async (html: string, headers: PageHeaders = []) => (await read(html, headers))?.sitemaps;
  const link = "<link rel=sitemap href=/map.xml>";
  expect(await sitemapsOf(link)).toEqual(["https://a.test/map.xml"]);
  expect(await sitemapsOf(`<meta name=robots content=nofollow>${link}`)).toEqual([]);
  expect(await sitemapsOf(link, [["x-robots-tag", "none"]])).toEqual([]);
  expect(await sitemapsOf('<link rel="sitemap nofollow" href=/map.xml>')).toEqual([]);
  expect(await sitemapsOf("x", [["link", '</map.xml>; rel="sitemap nofollow"']])).toEqual([]);
});

test("a feed under a type of XML is stored under its own, and its entries are links", async () => {
  const body = new TextEncoder().encode(
    "<rss><channel><title>T</title><item><link>a</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item></channel></rss>",
  );
  const received = { body, contentType: "text/xml; charset=utf-8", headers: [], httpStatus: 200 };
  const page = await readPage(received, { ...REQUEST, documents: ["feed"], parts: ["markdown"] }, 5, NOW);
  expect(page).toMatchObject({
    contentType: "application/rss+xml; charset=utf-8",
    title: "T",
    links: ["https://a.test/dir/a"],
  });
  expect(await readPage(received, REQUEST, 5, NOW)).toMatchObject({
    reason: "content-type",
    detail: "application/rss+xml that is called text/xml",
  });
});

test("10 MB of JSON are kept as they are, and searched as far as the index goes", async () => {
  const body = new TextEncoder().encode(`["${"some words ".repeat(900_000)}"]`);
  const received = { body, contentType: "application/json", headers: [], httpStatus: 200 };
  const page = await readPage(
    received,
    { ...REQUEST, documents: ["json"], search: true, version: { ignoredElements: [] }, parts: ["markdown"] },
    5,
    NOW,
  );
  expect(page).toMatchObject({
    kind: "page",
    bytes: body.length,
    leftOut: { problem: expect.stringContaining("10%") },
  });
  if (page.kind !== "page") return;
  expect(page.text?.length).toBeLessThanOrEqual(1_000_000);
  expect(page.version).toMatchObject({ rest: { characters: expect.any(Number) } });
});
