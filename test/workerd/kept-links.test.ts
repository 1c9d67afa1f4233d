import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { decodePageLinks, findPageLinks, type PageLinks } from "../../src/graph/page-links.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { hashId } from "../../src/media/id-hash.ts";
import { readFormats } from "../../src/reading/records/read-formats.ts";
import { readLinkLines } from "../../src/store/mirror/kept-links.ts";
import { exportRecords } from "./read-warc.ts";
import { DAY_MS, HOUR_MS, removeWatches, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** The links of each page that is read are kept in the pack of its batch, and its row names them. */

beforeEach(removeWatches);
afterEach(() => vi.unstubAllGlobals());

interface SitePage {
  /** As HTML. */
  body: string;
  etag?: string;
}

const PATHS = ["", "a", "b", "c", "left"];

/** A site whose links are known: each page links to all pages, twice each, by another text and another place. */
function newSite(): Map<string, SitePage> {
  const anchors = (from: string, place: string) =>
    PATHS.map((to) => `<a href="/${to}#${place}" rel=help>${from || "home"} to ${to || "home"} in ${place}</a>`);
  return new Map(
    PATHS.map((path) => [
      SEED + path,
      {
        body: `<title>${path}</title>${path === "left" ? "<meta name=robots content=noindex>" : ""}
          <nav id=menu>${anchors(path, "nav").join(" ")}</nav><main>${anchors(path, "main").join(" ")}</main>`,
        etag: `"1"`,
      },
    ]),
  );
}

function expectedTriples(paths: readonly string[]): string[] {
  return paths.flatMap((from) =>
    PATHS.flatMap((to) =>
      ["nav", "main"].map((place) =>
        JSON.stringify([SEED + from, `${SEED}${to}#${place}`, `${from || "home"} to ${to || "home"} in ${place}`]),
      ),
    ),
  );
}

/** A world with the real page fetcher. */
function newWorld(site: Map<string, SitePage>, options: ConstructorParameters<typeof WatchedWorld>[1] = {}) {
  vi.stubGlobal("fetch", async (asked: string, { headers }: { headers: HeadersInit }) => {
    const found = site.get(asked);
    const { body = "none", etag = "" } = found ?? {};
    if (found === undefined) return new Response(body, { status: 404 });
    if (new Headers(headers).get("if-none-match") === etag) return new Response(null, { status: 304 });
    return new Response(body, { headers: { "content-type": "text/html; charset=utf-8", etag } });
  });
  const world = new WatchedWorld(() => ({ status: 500 }), options);
  const fetcher = () => new PageFetcher(createExecutionContext(), env);
  world.deps.fetchPage = (request, secrets) => fetcher().fetchPage(request, secrets);
  world.deps.readVersion = (stored, request) => fetcher().readVersion(stored, request);
  return world;
}

interface KeptRow {
  url: string;
  pack: string;
  offset: number;
  length: number;
}

async function rowsOf(crawl: string): Promise<KeptRow[]> {
  const { results } = await env.LEDGER.prepare(
    `SELECT url, links_pack AS pack, links_offset AS offset, links_length AS length FROM urls
     WHERE crawl = ?1 AND links_pack IS NOT NULL ORDER BY url`,
  )
    .bind(crawl)
    .all<KeptRow>();
  return results;
}

/** What the rows name, by the path of the page. */
async function keptBy(crawl: string, { deps }: WatchedWorld): Promise<Map<string, PageLinks>> {
  const kept = new Map<string, PageLinks>();
  for (const row of await rowsOf(crawl)) {
    const lines = await readLinkLines(crawl, row, deps.packs);
    const page = lines === null ? null : findPageLinks(lines, row.url);
    if (page === null) throw new Error(`${row.url} is not in the record that its row names`);
    kept.set(row.url.slice(SEED.length), page);
  }
  return kept;
}

const triplesOf = (pages: Iterable<PageLinks>) =>
  [...pages].flatMap(({ url, links }) =>
    links.map((link) => JSON.stringify([url, `${link.url}#${link.fragment}`, link.text])),
  );

test.each(["warc", "files"] as const)(
  "a crawl that stores %s keeps every link of each page, and no other",
  async (store) => {
    const world = newWorld(newSite());
    const crawl = await world.start([SEED], { store });
    await world.runToEnd(crawl);
    const kept = await keptBy(crawl, world);
    expect([...kept.keys()].toSorted()).toEqual(PATHS.toSorted());
    expect(triplesOf(kept.values()).toSorted()).toEqual(expectedTriples(PATHS).toSorted());
    expect(kept.get("a")).toMatchObject({ title: "a", ids: [hashId("menu")], dropped: 0 });
    expect(kept.get("a")?.links[0]).toMatchObject({ kind: "a", rel: "help", place: "navigation" });
    expect(kept.get("a")?.links.at(-1)).toMatchObject({ place: "content" });
    // The pages of a batch share a record.
    const places = new Set((await rowsOf(crawl)).map(({ pack, offset }) => `${pack} ${offset}`));
    expect(places.size).toBeLessThan(PATHS.length);
    // A pack of links alone needs no row of its own, which would cost more than the limit.
    const rows = await env.LEDGER.prepare("SELECT count(*) AS n FROM packs WHERE crawl = ?1").bind(crawl).first("n");
    expect(Number(rows) > 0).toBe(store === "warc");
    expect((await exportRecords(crawl, world.deps)).filter(({ url }) => url?.startsWith("urn:"))).toEqual([]);
  },
);

test.each(["warc", "files"] as const)("links of a crawl that stores %s are read from there", async (store) => {
  const world = newWorld(newSite());
  const crawl = await world.start([SEED], { store });
  await world.runToEnd(crawl);
  const row = await world.deps.ledger.crawl(crawl);
  if (row === null) throw new Error("there is no crawl");
  // The world's `readContent` throws, so the page is not read again.
  const read = await readFormats(row, `${SEED}a`, ["links"], { ...world.deps, template: null });
  expect(read?.made).toBe(false);
  expect(read?.formatted.links?.map(({ url, text, place }) => [url.slice(SEED.length), text, place])).toEqual(
    PATHS.filter((to) => to !== "a").map((to) => [to, `a to ${to || "home"} in main`, "content"]),
  );
});

test("a batch whose commit fails leaves a pack that no row names", async () => {
  let failures = 0;
  const world = newWorld(newSite(), {
    beforeCommit: (commits) => {
      if (failures === 0 && commits.some(({ outcomes }) => outcomes.length > 1)) {
        failures += 1;
        throw new Error("the ledger is gone");
      }
    },
  });
  const crawl = await world.start([SEED], { store: "warc" });
  await world.runToEnd(crawl);
  expect(failures).toBe(1);
  expect(triplesOf((await keptBy(crawl, world)).values()).toSorted()).toEqual(expectedTriples(PATHS).toSorted());
  const named = new Set((await rowsOf(crawl)).map(({ pack }) => pack));
  const { objects } = await env.MIRROR.list({ prefix: `${crawl}/packs/` });
  expect(objects.length).toBeGreaterThan(named.size);
});

test("a visit that finds a change keeps the new links, and any other visit leaves them", async () => {
  const site = newSite();
  const world = newWorld(site);
  const crawl = await world.start([SEED], { watch: watchOf(DAY_MS), store: "warc" });
  await world.runToEnd(crawl);
  const before = new Map((await rowsOf(crawl)).map((row) => [row.url, row]));
  site.set(`${SEED}a`, { body: `<title>new</title><p>It says something else. <a href="/b#x">other</a>`, etag: `"2"` });
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect((await world.crawl(crawl)).visits).toMatchObject({ changed: 1 });
  const after = new Map((await rowsOf(crawl)).map((row) => [row.url, row]));
  for (const [url, row] of before) {
    if (url === `${SEED}a`) expect(after.get(url)?.pack).not.toBe(row.pack);
    else expect(after.get(url)).toEqual(row);
  }
  const kept = await keptBy(crawl, world);
  expect(triplesOf(kept.values()).toSorted()).toEqual(
    [
      ...expectedTriples(PATHS.filter((path) => path !== "a")),
      JSON.stringify([`${SEED}a`, `${SEED}b#x`, "other"]),
    ].toSorted(),
  );
  // The record of the first batch still has the earlier line, which no row names.
  const [first] = before.values();
  const lines = first === undefined ? null : await readLinkLines(crawl, first, world.deps.packs);
  expect([...decodePageLinks(lines ?? new Uint8Array())].map(({ url }) => url)).toContain(SEED);
});

test("a page that is gone names no links, and deleting leaves nothing", async () => {
  const site = newSite();
  const world = newWorld(site);
  const crawl = await world.start([SEED], { watch: watchOf(DAY_MS), store: "files" });
  await world.runToEnd(crawl);
  site.delete(`${SEED}a`);
  await world.pass(5 * DAY_MS, 2 * HOUR_MS);
  expect([...(await keptBy(crawl, world)).keys()].toSorted()).toEqual(PATHS.filter((path) => path !== "a").toSorted());
  await deleteCrawl(crawl, true, world.deps);
  await world.pass(DAY_MS, HOUR_MS);
  expect((await env.MIRROR.list({ prefix: crawl })).objects).toEqual([]);
});
