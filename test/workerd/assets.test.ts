import { expect, test } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Answer, type Web, World, type WorldOptions } from "./world.ts";

/** A crawl with the option `assets` stores the assets of its pages. They do not count towards the page limit. */

useModelLedger();

const PAGES = 12;
const CSS = "text/css";

/** A home page with twelve links, an image on each page, and a chain of style sheets. */
const ANSWERS: Record<string, Answer> = {
  "https://a.test/": {
    links: Array.from({ length: PAGES }, (_, i) => `https://a.test/${i}`),
    assets: ["https://a.test/s.css", "https://cdn.test/logo.png"],
  },
  "https://a.test/s.css": { links: [], type: CSS, assets: ["https://a.test/1.css", "https://cdn.test/f.woff2"] },
  "https://cdn.test/old.png": { redirect: "https://other.test/new.png" },
  "https://a.test/gone.png": { status: 404 },
};
for (let i = 0; i < PAGES; i++)
  ANSWERS[`https://a.test/${i}`] = { links: [], assets: ["https://a.test/s.css", `https://cdn.test/${i}.png`] };
for (let i = 1; i < 9; i++)
  ANSWERS[`https://a.test/${i}.css`] = { links: [], type: CSS, assets: [`https://a.test/${i + 1}.css`] };
const WEB: Web = (url) => ANSWERS[url] ?? { links: ["https://a.test/never"], type: "image/png" };

async function runCrawl(changes: Partial<CrawlOptions>, options: WorldOptions = {}, web: Web = WEB) {
  const world = new World(web, options);
  const id = await world.start(["https://a.test/"], { assets: true, ...changes });
  while ((await world.deps.ledger.crawl(id))?.status === "running") {
    await world.turn();
    await expectCountersExact(id);
  }
  const state = await world.deps.ledger.crawl(id);
  if (state === null) throw new Error("no crawl");
  const records = await world.deps.records.list(id, { cursor: "", limit: 1_000 });
  const of = (kind: "page" | "asset") =>
    Object.fromEntries(
      records.filter((row) => row.kind === kind).map(({ url, status, reason }) => [url, reason ?? status]),
    );
  return { world, state, records, pages: of("page"), assets: of("asset") };
}

const urlsOf = (rows: Record<string, string>, status: string) =>
  Object.keys(rows).filter((url) => rows[url] === status);

test.each(["files", "warc"] as const)("a crawl stores the assets of a page, on any host: %s", async (store) => {
  const { world, state, pages, assets } = await runCrawl({ store });
  expect(Object.values(pages)).toEqual(Array.from({ length: PAGES + 1 }, () => "completed"));
  expect(urlsOf(assets, "completed")).toEqual(
    [
      "https://a.test/s.css",
      ...[1, 2, 3, 4].map((i) => `https://a.test/${i}.css`),
      "https://cdn.test/logo.png",
      "https://cdn.test/f.woff2",
      ...Array.from({ length: PAGES }, (_, i) => `https://cdn.test/${i}.png`),
    ].sort(),
  );
  expect(state.status).toBe("completed");
  expect(world.fetched.length).toBe(new Set(world.fetched).size);
  // The chain of style sheets ends after four. Links in an image are not followed.
  const refused = await world.deps.ledger.refusals(state.id);
  expect(refused).toEqual([{ reason: "depth", count: 1, examples: ["https://a.test/5.css"] }]);
});

test("without the option, a crawl fetches no asset", async () => {
  const { world, assets } = await runCrawl({ assets: false });
  expect([assets, world.fetched.length]).toEqual([{}, PAGES + 1]);
});

test.each([
  { limit: 1, maxQueued: 1_000 },
  { limit: 5, maxQueued: 1_000 },
  { limit: 5, maxQueued: 1 },
  { limit: 100, maxQueued: 2 },
  { limit: 13, maxQueued: 3 },
])("assets do not count towards the limit: %j", async ({ limit, maxQueued }) => {
  const { state, pages, assets } = await runCrawl({ limit, maxQueued });
  const stored = Math.min(limit, PAGES + 1);
  expect(urlsOf(pages, "completed").length).toBe(stored);
  expect(urlsOf(pages, "limit").length).toBe(PAGES + 1 - stored);
  // Each page has its own image. Five style sheets and a font are shared.
  expect(urlsOf(assets, "completed").length).toBe(stored + 6);
  expect(state.counters).toMatchObject({ pending: 0, queued: 0, completed: 2 * stored + 6 });
  expect(state.assets).toEqual({ pending: 0, queued: 0, completed: stored + 6 });
});

test("private, excluded, missing and redirected assets end with the right reason", async () => {
  const urls = [
    "http://10.0.0.1/i.png",
    "https://cdn.test/no/i.png",
    "https://a.test/gone.png",
    "https://cdn.test/old.png",
  ];
  const web: Web = (url) =>
    url === "https://a.test/" ? { links: [], assets: urls } : (ANSWERS[url] ?? { links: [], type: "image/png" });
  const { world, state, pages, assets } = await runCrawl({ excludePatterns: ["**/no/**"] }, { access: "none" }, web);
  expect(pages).toEqual({ "https://a.test/": "completed" });
  expect(assets).toEqual({
    "https://a.test/gone.png": "http-status",
    "https://cdn.test/old.png": "redirected",
    "https://other.test/new.png": "completed",
  });
  const refused = await world.deps.ledger.refusals(state.id);
  expect(refused.map(({ reason }) => reason).sort()).toEqual(["excluded", "private-address"]);
  expect(state.hosts).toEqual(["a.test"]);
});

test("a URL that is both a link and an image is an asset, and is fetched once", async () => {
  const both = "https://a.test/photo";
  const web: Web = (url) =>
    url === "https://a.test/" ? { links: [both], assets: [both] } : { links: [], type: "image/png" };
  const { world, assets } = await runCrawl({}, {}, web);
  expect([assets, world.fetched.length]).toEqual([{ [both]: "completed" }, 2]);
});

test("failed assets are retried, even if the crawl has all its pages", async () => {
  let isDown = true;
  const web: Web = (url) => (isDown && url.includes("cdn.test") ? { status: 404 } : WEB(url, 0));
  const { world, state } = await runCrawl({ limit: 3 }, {}, web);
  expect(state.assets.completed).toBe(5);
  isDown = false;
  const retried = await retryCrawl(state, { status: "errored", reason: null, limit: null }, world.deps);
  expect(retried).toEqual({ kind: "retried", retried: 4 });
  await expectCountersExact(state.id);
  await world.runToEnd(state.id);
  await expectCountersExact(state.id);
  expect((await world.deps.ledger.crawl(state.id))?.assets.completed).toBe(9);
  // Pages beyond the limit stay skipped.
  await retryCrawl(state, { status: "skipped", reason: "limit", limit: null }, world.deps);
  await world.runToEnd(state.id);
  await expectCountersExact(state.id);
  expect((await world.deps.ledger.crawl(state.id))?.counters.completed).toBe(12);
});

test("a cancelled crawl leaves no asset open", async () => {
  const world = new World(WEB);
  const id = await world.start(["https://a.test/"], { assets: true, maxQueued: 2 });
  for (let i = 0; i < 4; i++) await world.turn();
  const before = await world.deps.ledger.crawl(id);
  expect((before?.assets.pending ?? 0) + (before?.assets.queued ?? 0)).toBeGreaterThan(0);
  await cancelCrawl(id, "cancelled_by_user", world.deps);
  await expectCountersExact(id);
  expect((await world.deps.ledger.crawl(id))?.assets).toMatchObject({ pending: 0, queued: 0 });
});
