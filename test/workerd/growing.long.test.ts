import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { type CrawlOptions, DEFAULT_TRAPS } from "../../src/crawl/crawl-options.ts";
import { cancelCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** Pages of a pattern that grows give way to the other pages of a crawl. */

useModelLedger();

const HOME = "https://a.test/";
const HONEST = 60;
const NO_TRAPS = { ...DEFAULT_TRAPS, maxVariants: 1_000_000, maxChain: 1_000_000 };

/** A name without digits, so that the pages have no pattern. */
const honest = (i: number) => `${HOME}page-${String.fromCharCode(97 + Math.floor(i / 26), 97 + (i % 26))}`;
const facet = (n: number) => `${HOME}facet?c=${n}`;
const isFacet = (url: string) => url.includes("facet");

/** A facetted trap with five new URLs on each page, beside 60 honest pages. `next`: the pages that one leads to. */
function trapBeside(next: (i: number) => number[]): Web {
  const byUrl = new Map(Array.from({ length: HONEST }, (_, i) => [honest(i), i]));
  const linksOf = (i: number) => next(i).filter((to) => to < HONEST);
  return (url) => {
    const n = Number(/c=(\d+)/.exec(url)?.[1] ?? Number.NaN);
    if (!Number.isNaN(n)) return { links: [HOME, ...[1, 2, 3, 4, 5].map((k) => facet(5 * n + k))] };
    const links = linksOf(byUrl.get(url) ?? -1).map(honest);
    return { links: [facet(0), ...links] };
  };
}

const SHAPES: [string, (i: number) => number[]][] = [
  ["a list", (i) => (i === -1 ? Array.from({ length: HONEST }, (_, k) => k) : [])],
  ["a tree", (i) => (i === -1 ? [0] : [2 * i + 1, 2 * i + 2])],
  ["a path, each found on the one before", (i) => [i + 1]],
];

async function crawlOf(web: Web, changes: Partial<CrawlOptions>) {
  const world = new World(web);
  const crawl = await world.start([HOME], changes);
  let most = 0;
  for (let turn = 0; (await world.deps.ledger.crawl(crawl))?.status === "running"; turn++) {
    await world.turn();
    // Counting all rows takes longer than a turn, and a counter that is wrong once stays wrong.
    if (turn % 10 === 0) await expectCountersExact(crawl);
    const open = await env.LEDGER.prepare(
      "SELECT growing_moving AS growing, waiting + moving - growing_waiting - growing_moving AS others FROM crawls WHERE id = ?1",
    )
      .bind(crawl)
      .first<{ growing: number; others: number }>();
    if (open !== null && open.others > 0) most = Math.max(most, open.growing);
  }
  await expectCountersExact(crawl);
  return { world, crawl, most, state: await world.deps.ledger.crawl(crawl) };
}

for (const [traps, name] of [
  [DEFAULT_TRAPS, "with the trap limits"],
  [NO_TRAPS, "without them"],
] as const) {
  test.each(SHAPES)(
    `a facetted trap does not starve 60 honest pages: %s, ${name}`,
    { timeout: 120_000 },
    async (_, next) => {
      const { world, state, most } = await crawlOf(trapBeside(next), { limit: 500, traps });
      const read = world.fetched.filter((url) => !isFacet(url));
      expect(new Set(read).size).toBe(HONEST + 1);
      expect(state?.counters.completed).toBe(500);
      expect(most).toBeLessThanOrEqual(25);
    },
  );
}

test("a second pattern of few pages goes before one of many", { timeout: 120_000 }, async () => {
  const small = (n: number) => `${HOME}small/${n}`;
  const web: Web = (url) => {
    const n = Number(/\d+/.exec(url)?.[0] ?? 0);
    if (isFacet(url)) return { links: [1, 2, 3, 4, 5].map((k) => facet(5 * n + k)) };
    return { links: url === HOME ? [facet(0), small(0)] : n < 30 ? [small(n + 1)] : [] };
  };
  const { world } = await crawlOf(web, { limit: 1_000, traps: NO_TRAPS });
  expect(world.fetched.filter((url) => url.includes("small"))).toHaveLength(31);
});

test("articles that lead to one another are all read, in full batches", { timeout: 120_000 }, async () => {
  const articles = 600;
  const web: Web = (url) => {
    const n = Number(/\d+/.exec(url)?.[0] ?? 0);
    const links = Array.from({ length: 20 }, (_, k) => 20 * n + k + 1);
    return { links: links.filter((to) => to < articles).map((to) => `${HOME}article/${to}`) };
  };
  const world = new World(web);
  const crawl = await world.start([HOME], { limit: 10_000 });
  let turns = 0;
  for (; (await world.deps.ledger.crawl(crawl))?.status === "running"; turns++) await world.turn();
  await expectCountersExact(crawl);
  expect(new Set(world.fetched).size).toBe(articles);
  // A batch has 25 URLs.
  expect(turns).toBeLessThan(articles / 25 + 10);
});

test("preferred pages go before others, even if they lead to one another", async () => {
  const preferred = Array.from({ length: 40 }, (_, i) => `${HOME}news/${i}`);
  const web: Web = (url) => {
    const at = preferred.indexOf(url);
    const links = at === -1 ? [] : preferred.slice(at + 1, at + 6);
    return { links: url === HOME ? [...Array.from({ length: 60 }, (_, i) => honest(i)), preferred[0] ?? ""] : links };
  };
  const { world } = await crawlOf(web, { limit: 60, maxQueued: 5, preferPatterns: ["**/news/**"] });
  const lastPreferred = world.fetched.findLastIndex((url) => url.includes("news"));
  expect(world.fetched.filter((url) => url.includes("news"))).toHaveLength(40);
  // The home page leads to one preferred page, and the queue has places for five.
  expect(world.fetched.slice(0, lastPreferred).filter((url) => url.includes("page"))).toHaveLength(4);
});

test("a cancel, a pause and a resume keep the counters of growing pages exact", async () => {
  const world = new World(trapBeside((i) => [i + 1]));
  const crawl = await world.start([HOME], { limit: 1_000 });
  for (let i = 0; i < 8; i++) await world.turn();
  expect(await world.deps.ledger.pause(crawl, world.now)).toBe(true);
  await expectCountersExact(crawl);
  await resumeCrawl(crawl, world.deps);
  for (let i = 0; i < 4; i++) await world.turn();
  await expectCountersExact(crawl);
  await cancelCrawl(crawl, "cancelled_by_user", world.deps);
  await expectCountersExact(crawl);
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
});
