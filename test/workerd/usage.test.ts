import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { MAX_MESSAGE_URLS } from "../../src/crawl/bounds/batch-size.ts";
import { costUsd, PRICES, type Usage } from "../../src/crawl/bounds/usage.ts";
import { amendCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { Meter, meteredBucket, meteredDatabase } from "../../src/store/installation/metered.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** The platform usage of a crawl, and its cost limit. */

useModelLedger();

const SEED = "https://a.test/";
const PAGES = 60;
const site: Web = (url) => {
  const i = Number(new URL(url).pathname.slice(1)) || 0;
  return { links: [1, 2, 7].map((step) => ((i + step) % PAGES === 0 ? SEED : `${SEED}${(i + step) % PAGES}`)) };
};

async function usageOf(world: World, crawl: string): Promise<Usage> {
  return (await world.deps.ledger.crawl(crawl))?.usage ?? {};
}

test("a crawl's usage equals the calls of its bindings", async () => {
  const world = new World(site);
  const crawl = await world.start([SEED]);
  await world.runToEnd(crawl);
  const usage = await usageOf(world, crawl);
  // One object for each page.
  expect(usage.mirrorWrites).toBe(PAGES);
  expect(usage.cpuMs).toBe(PAGES * 5);
  // A message has up to twelve URLs, and is written, read and deleted.
  expect(usage.queueOperations).toBeGreaterThanOrEqual((3 * PAGES) / MAX_MESSAGE_URLS);
  expect(usage.queueOperations).toBeLessThan((3 * PAGES) / 2);
  // A row is written when it is found, and when it is settled.
  expect(usage.ledgerRowsWritten).toBeGreaterThan(2 * PAGES);
  expect(usage.ledgerRowsWritten).toBeLessThan(6 * PAGES);
  expect(usage.gateRequests).toBeGreaterThan(1);
});

test("two crawls in one batch share its usage", async () => {
  const world = new World(site);
  const crawls = await Promise.all([world.start([SEED]), world.start([SEED])]);
  for (const crawl of crawls) await world.runToEnd(crawl);
  const [first = 0, second = 0] = await Promise.all(crawls.map(async (crawl) => costUsd(await usageOf(world, crawl))));
  expect(first / second).toBeGreaterThan(0.5);
  expect(first / second).toBeLessThan(2);
});

describe("a limit on the cost", () => {
  test("pauses the crawl with a reason, and the crawl resumes after it is raised", async () => {
    const world = new World(site);
    const crawl = await world.start([SEED], { maxCostUsd: 0.0001 });
    for (let turn = 0; turn < 50; turn++) await world.turn();
    const paused = await world.deps.ledger.crawl(crawl);
    expect(paused?.status).toBe("paused");
    expect(paused?.waitingFor).toContain("0.0001 USD");
    expect(paused?.counters.completed).toBeLessThan(PAGES);
    const cost = costUsd(paused?.usage ?? {});
    expect(cost).toBeGreaterThanOrEqual(0.0001);

    expect(await amendCrawl({ id: crawl, shards: null }, { maxCostUsd: 1 }, world.deps)).toBe(true);
    expect(await resumeCrawl(crawl, world.deps)).toBe(true);
    await world.runToEnd(crawl);
    const ended = await world.deps.ledger.crawl(crawl);
    expect([ended?.status, ended?.counters.completed]).toEqual(["completed", PAGES]);
    expect(costUsd(ended?.usage ?? {})).toBeGreaterThan(cost);
    expect(await amendCrawl({ id: crawl, shards: null }, { maxCostUsd: 2 }, world.deps)).toBe(false);
  });
});

test("a limit on the size of all pages pauses the crawl with a reason, and it goes on when the limit is raised", async () => {
  const world = new World(site);
  // Each page has as many bytes as its URL has characters.
  const crawl = await world.start([SEED], { maxBytes: 500 });
  for (let turn = 0; turn < 50; turn++) await world.turn();
  const paused = await world.deps.ledger.crawl(crawl);
  expect(paused?.status).toBe("paused");
  expect(paused?.waitingFor).toMatch(/^it has \d+ bytes, and its limit is 500$/);
  expect(paused?.bytes).toBeGreaterThanOrEqual(500);
  expect(paused?.counters.completed).toBeLessThan(PAGES);

  expect(await amendCrawl({ id: crawl, shards: null }, { maxBytes: 0 }, world.deps)).toBe(true);
  expect(await resumeCrawl(crawl, world.deps)).toBe(true);
  await world.runToEnd(crawl);
  const ended = await world.deps.ledger.crawl(crawl);
  expect([ended?.status, ended?.counters.completed]).toEqual(["completed", PAGES]);
});

test("a commit that comes after the pause leaves the reason", async () => {
  let pause: () => Promise<unknown> = async () => undefined;
  const world = new World(site, { beforeCommit: async () => void (await pause()) });
  const crawl = await world.start([SEED], { maxBytes: 1 });
  // Another batch has reached the limit meanwhile.
  pause = async () => world.deps.ledger.pause(crawl, world.now);
  await world.turn();
  const paused = await world.deps.ledger.crawl(crawl);
  expect([paused?.status, paused?.counters.completed]).toEqual(["paused", 1]);
  expect(paused?.waitingFor).toMatch(/^it has \d+ bytes, and its limit is 1$/);
});

test("a raised page limit lets in waiting URLs", async () => {
  const world = new World(site);
  const crawl = await world.start([SEED], { limit: 20 });
  for (let turn = 0; turn < 2; turn++) await world.turn();
  expect(await amendCrawl({ id: crawl, shards: null }, { limit: 40 }, world.deps)).toBe(true);
  await world.runToEnd(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(40);
});

test("metered bindings answer like the real ones, and count their usage", async () => {
  const meter = new Meter();
  const db = meteredDatabase(env.LEDGER, meter);
  const bucket = meteredBucket(env.MIRROR, meter);
  expect(await db.prepare("SELECT 1 AS one, ?1 AS two").bind("x").first()).toEqual({ one: 1, two: "x" });
  expect(await db.prepare("SELECT 1 AS one").first("one")).toBe(1);
  expect(await db.prepare("SELECT 1 WHERE 0").first()).toBeNull();
  meter.take();
  await db
    .prepare("INSERT INTO schedules (id, cron, options, created_at, next_at) VALUES ('a', '* * * * *', '{}', 0, 0)")
    .run();
  expect(meter.take().ledgerRowsWritten).toBeGreaterThan(0);
  await bucket.put("k", "v");
  expect(await (await bucket.get("k"))?.text()).toBe("v");
  await bucket.delete("k");
  expect(await bucket.head("k")).toBeNull();
  expect(meter.take()).toEqual({ mirrorWrites: 1, mirrorReads: 2 });
  expect(meter.take()).toEqual({});
});

test("a million units of a resource cost its price", () => {
  for (const [resource, price] of Object.entries(PRICES)) expect(costUsd({ [resource]: 1_000_000 })).toBeCloseTo(price);
  expect(costUsd({})).toBe(0);
});
