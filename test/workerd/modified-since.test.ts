import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { type Sitemaps, type Web, World } from "./world.ts";

/** A crawl with `modifiedSince` stores only pages that have changed, and its records explain the others. */

const ORIGIN = "https://site.test";
const SEED = `${ORIGIN}/`;
const SINCE = 1_750_000_000;
const OLD = SINCE * 1000 - 10 * 86_400_000;
const NEW = SINCE * 1000 + 10 * 86_400_000;

async function run(web: Web, sitemaps: Sitemaps, changes: Partial<CrawlOptions> = {}) {
  const world = new World(web, { sitemaps });
  const crawl = await world.start([SEED], { source: "all", modifiedSince: SINCE, ...changes });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  const rows = await world.deps.records.list(crawl, { cursor: "", limit: 100 });
  const records = rows.map(({ url, status, reason }) => [url.slice(ORIGIN.length), reason ?? status]);
  const stored = await env.MIRROR.list({ prefix: `${crawl}/` });
  return { world, rows, records, stored: stored.objects.length, state: await world.deps.ledger.crawl(crawl) };
}

const noSitemaps: Sitemaps = () => ({ status: 404 });
/** Pages with their last change and their links. The change is null if the server does not send it. */
const site =
  (pages: Record<string, [lastModified: number | null, ...links: string[]]>): Web =>
  (url) => {
    const [lastModified, ...links] = pages[url.slice(ORIGIN.length)] ?? [null];
    return { links: links.map((link) => ORIGIN + link), ...(lastModified === null ? {} : { lastModified }) };
  };

const PAGES = site({
  "/": [OLD, "/old", "/new", "/silent"],
  "/old": [OLD, "/old/new"],
  "/new": [NEW, "/old"],
  "/old/new": [NEW],
});

describe("by links", () => {
  test("an old page is skipped, and its links are followed", async () => {
    const { records, stored, rows, state } = await run(PAGES, noSitemaps);
    expect(records).toEqual([
      ["/", "not-modified"],
      ["/new", "completed"],
      ["/old", "not-modified"],
      ["/old/new", "completed"],
      ["/silent", "completed"],
    ]);
    expect(rows[0]).toMatchObject({ status: "skipped", httpStatus: 200, detail: "it is old" });
    expect(stored).toBe(3);
    expect(state).toMatchObject({ status: "completed", counters: { completed: 3, skipped: 2 } });
  });

  test("a page whose links are not followed is requested conditionally", async () => {
    const { records, rows } = await run(PAGES, noSitemaps, { depth: 1 });
    expect(records.map(([path]) => path)).toEqual(["/", "/new", "/old", "/silent"]);
    expect(rows.map(({ httpStatus }) => httpStatus)).toEqual([200, 200, 304, 200]);
    expect(rows[2]).toMatchObject({ status: "skipped", reason: "not-modified", attempts: 1 });
  });
});

describe("by sitemaps", () => {
  const pages = [
    { url: SEED, lastmod: OLD },
    { url: `${ORIGIN}/old`, lastmod: OLD },
    { url: `${ORIGIN}/new`, lastmod: NEW },
    { url: `${ORIGIN}/undated`, lastmod: null },
  ];
  const listed: Sitemaps = (url) => (url === `${ORIGIN}/sitemap.xml` ? { pages } : { status: 404 });

  test("pages with an old date are not fetched, except seeds; pages with a newer date are", async () => {
    const { world, records, rows } = await run(site({ "/new": [OLD], "/undated": [OLD] }), listed, {
      source: "sitemaps",
    });
    expect(records).toEqual([
      ["/", "completed"],
      ["/new", "completed"],
      ["/old", "not-modified"],
      ["/undated", "not-modified"],
    ]);
    expect(world.fetched.toSorted()).toEqual([SEED, `${ORIGIN}/new`, `${ORIGIN}/undated`]);
    const [, , old] = rows;
    expect(old).toMatchObject({ httpStatus: null, detail: `a sitemap says that it last changed ${iso(OLD)}` });
  });

  test("without modifiedSince, dates have no effect", async () => {
    const { records } = await run(site({ "/old": [OLD] }), listed, { modifiedSince: null });
    expect(new Set(records.map(([, end]) => end))).toEqual(new Set(["completed"]));
  });

  test("skipped pages do not count towards the limit", async () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ url: `${ORIGIN}/${i}`, lastmod: i < 25 ? OLD : NEW }));
    const { state } = await run(site({}), () => ({ pages: many }), { source: "sitemaps", limit: 4 });
    expect(state).toMatchObject({ status: "completed", counters: { completed: 4 } });
  });
});

test("a crawl without changed pages is completed", async () => {
  const { state } = await run(site({ "/": [OLD] }), noSitemaps);
  expect(state).toMatchObject({ status: "completed", counters: { completed: 0, skipped: 1 } });
});

function iso(time: number): string {
  return new Date(time).toISOString();
}
