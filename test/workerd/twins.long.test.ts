import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import type { SearchView } from "../../src/api/views.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { readAll } from "../../src/passes/links/report-object.ts";
import { openSiteReport } from "../../src/reading/analysis/site-report.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { clearIndex } from "./clear-index.ts";
import { DAY_MS, HOUR_MS, removeWatches, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** Twins: pages with the same text, or almost the same, by the real reader, in a pass, in records and in search. */

beforeEach(async () => {
  await removeWatches();
  await clearIndex();
});
afterEach(() => vi.unstubAllGlobals());

const words = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name}${i}`);
const GUIDE = words(400, "guide");
const TEXTS: Record<string, string> = {
  "": words(300, "home").join(" "),
  guide: GUIDE.join(" "),
  "guide/print": GUIDE.join(" "),
  "guide/v2": GUIDE.with(200, "changed").join(" "),
  "guide/declared": GUIDE.with(100, "changed").join(" "),
  other: words(400, "other").join(" "),
  half: [...GUIDE.slice(0, 200), ...words(200, "half")].join(" "),
  thin: "A few words alone.",
  "thin/too": "Few words alone.",
};
const HEADS: Record<string, string> = { "guide/declared": `<link rel=canonical href="/guide">` };

/** Each page links to all pages; most links lead to the guide. */
function newSite(texts: Record<string, string> = TEXTS): Map<string, string> {
  const paths = Object.keys(texts);
  return new Map(
    paths.map((path) => {
      const links = path === "" ? paths : ["guide"];
      const anchors = links.map((to) => `<a href="/${to}">${to}</a>`).join(" ");
      const paragraphs = `<p>${texts[path]}</p>`;
      return [SEED + path, `<title>${path}</title>${HEADS[path] ?? ""}<nav>${anchors}</nav><main>${paragraphs}</main>`];
    }),
  );
}

async function crawlSite(site: Map<string, string>, changes: Partial<CrawlOptions> = {}) {
  vi.stubGlobal("fetch", async (asked: string) => {
    const body = site.get(asked);
    if (body === undefined) return new Response("none", { status: 404 });
    return new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  const world = new WatchedWorld(() => ({ status: 500 }));
  const fetcher = () => new PageFetcher(createExecutionContext(), env);
  world.deps.fetchPage = (request, secrets) => fetcher().fetchPage(request, secrets);
  world.deps.readVersion = (stored, request) => fetcher().readVersion(stored, request);
  const crawl = await world.start([SEED], { search: true, ...changes });
  await world.runToEnd(crawl);
  return { world, crawl };
}

async function rowsOf(crawl: string) {
  const { results } = await env.LEDGER.prepare(
    "SELECT url, fingerprint, words, twin_of AS twinOf, rank FROM urls WHERE crawl = ?1 ORDER BY url",
  )
    .bind(crawl)
    .all<{ url: string; fingerprint: string | null; words: number | null; twinOf: string | null; rank: number }>();
  return new Map(results.map(({ url, ...row }) => [url.slice(SEED.length), row]));
}

async function twinsOf(crawl: string): Promise<Record<string, string>> {
  const rows = [...(await rowsOf(crawl))];
  return Object.fromEntries(
    rows.flatMap(([path, { twinOf }]) => (twinOf === null ? [] : [[path, twinOf.slice(SEED.length)]])),
  );
}

async function reportOf(id: string, world: WatchedWorld) {
  const report = await openSiteReport(await world.crawl(id), world.deps);
  const found: string[] = [];
  if (report !== null)
    for await (const { kind, page, target, detail } of readAll(report.file, [
      "thin-page",
      "duplicate-page",
      "near-duplicate-page",
    ]))
      found.push([kind, page, target, detail].filter((part) => part !== undefined).join(" | "));
  return { found: found.map((line) => line.replaceAll(SEED, "/")), leftOut: report?.file.header.leftOut };
}

async function ask<T>(path: string): Promise<T> {
  const headers = { authorization: "Bearer reading-token" };
  const answer = await app.request(path, { headers }, env, createExecutionContext());
  return ((await answer.json()) as { result: T }).result;
}

const GUIDES = { "guide/declared": "guide", "guide/print": "guide", "guide/v2": "guide" };

test.each<[string, Partial<CrawlOptions>]>([
  ["search", { search: true }],
  ["text", { search: false, formats: ["text"] }],
  ["Markdown, and files", { search: false, formats: ["markdown"], store: "files" }],
])("a crawl with %s knows the twins and the thin pages of a site", async (_, options) => {
  const { world, crawl } = await crawlSite(newSite(), options);
  const rows = await rowsOf(crawl);
  expect(rows.get("guide")).toMatchObject({ fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/), words: 400 });
  expect(rows.get("guide/print")?.fingerprint).toBe(rows.get("guide")?.fingerprint);
  expect(rows.get("thin")?.words).toBe(4);
  await analyzeCrawl(crawl, world);
  expect(await twinsOf(crawl)).toEqual(GUIDES);
  expect(await reportOf(crawl, world)).toEqual({
    found: [
      "thin-page | /thin | 4 words",
      "thin-page | /thin/too | 3 words",
      "duplicate-page | /guide/print | /guide",
      expect.stringMatching(/^near-duplicate-page \| \/guide\/v2 \| \/guide \| 9\d% the same$/),
    ],
    leftOut: [],
  });
});

test("a later pass writes a twin only where it changed, and one that is none any more", async () => {
  const { world, crawl } = await crawlSite(newSite());
  await analyzeCrawl(crawl, world);
  const first = await rowsOf(crawl);
  const written: string[][] = [];
  const { passRows } = world.deps;
  const { writeFigures } = passRows;
  passRows.writeFigures = (id, rows) => {
    written.push(rows.map(({ url }) => url.slice(SEED.length)));
    return writeFigures.call(passRows, id, rows);
  };
  await analyzeCrawl(crawl, world);
  expect(written.flat()).toEqual([]);
  expect(await rowsOf(crawl)).toEqual(first);
  // As another version of the page would have it.
  await env.LEDGER.prepare("UPDATE urls SET fingerprint = NULL WHERE crawl = ?1 AND url = ?2")
    .bind(crawl, `${SEED}guide/v2`)
    .run();
  await analyzeCrawl(crawl, world);
  expect(written.flat()).toEqual(["guide/v2"]);
  const { "guide/v2": _, ...left } = GUIDES;
  expect(await twinsOf(crawl)).toEqual(left);
});

test("a twin is written with its rank, one row for each page, and no other row is read", async () => {
  const { world, crawl } = await crawlSite(newSite());
  world.deps.meter.take();
  await world.deps.passRows.writeFigures(crawl, [
    { url: `${SEED}guide`, rank: 7, inLinks: 1, twinOf: null },
    { url: `${SEED}thin`, rank: 9, inLinks: 1, twinOf: `${SEED}guide` },
  ]);
  const { ledgerRowsRead = 0, ledgerRowsWritten } = world.deps.meter.take();
  expect([ledgerRowsRead < 9, ledgerRowsWritten]).toEqual([true, 2]);
  expect((await rowsOf(crawl)).get("thin")).toMatchObject({ rank: 9, twinOf: `${SEED}guide` });
});

test("pages without text are no twins, as those of an earlier version, and the report says how many", async () => {
  const { world, crawl } = await crawlSite(newSite(), { search: false, keepDuplicates: true });
  expect((await rowsOf(crawl)).get("guide")).toMatchObject({ fingerprint: null, words: null });
  await analyzeCrawl(crawl, world);
  expect(await twinsOf(crawl)).toEqual({});
  expect(await reportOf(crawl, world)).toEqual({
    found: [],
    leftOut: [
      "9 pages are not compared, and their words not counted: a crawl with --search or --markdown reads their texts.",
    ],
  });
});

test("a visit that finds a change keeps the new fingerprint", async () => {
  const site = newSite({ "": TEXTS[""] ?? "", guide: TEXTS.guide ?? "" });
  const { world, crawl } = await crawlSite(site, { watch: watchOf(DAY_MS) });
  const before = await rowsOf(crawl);
  const changed = newSite({ guide: TEXTS.other ?? "" }).get(`${SEED}guide`) ?? "";
  site.set(`${SEED}guide`, changed);
  await world.pass(3 * DAY_MS, 2 * HOUR_MS);
  expect((await world.crawl(crawl)).visits).toMatchObject({ changed: 1 });
  const after = await rowsOf(crawl);
  expect(after.get("")).toEqual(before.get(""));
  expect(after.get("guide")?.fingerprint).not.toBe(before.get("guide")?.fingerprint);
  expect(after.get("guide")).toMatchObject({ fingerprint: expect.any(String), words: 400 });
});

test("records name the original, and search shows one of a group and says how many others", async () => {
  const { world, crawl } = await crawlSite(newSite());
  const search = (more = "") => ask<SearchView>(`/api/search?q=guide7&crawl=${crawl}${more}`);
  expect((await search()).hits.map(({ twins }) => twins)).toEqual([0, 0, 0, 0, 0]);
  await analyzeCrawl(crawl, world);
  const found = await search();
  const hits = (view: SearchView) => view.hits.map(({ url, twins }) => [url.slice(SEED.length), twins]);
  expect(hits(found).toSorted()).toEqual([
    ["guide", 3],
    ["half", 0],
  ]);
  expect(found).toMatchObject({ total: 2, cursor: null });
  expect(hits(await search("&twins=all"))).toHaveLength(5);
  const [first, second] = [await search("&limit=1"), await search("&limit=1&cursor=1")];
  expect([first.cursor, second.cursor]).toEqual(["1", null]);
  const { record } = await ask<{ record: { twinOf: string } }>(
    `/api/crawls/${crawl}/record?url=${encodeURIComponent(`${SEED}guide/v2`)}`,
  );
  expect(record.twinOf).toBe(`${SEED}guide`);
});
