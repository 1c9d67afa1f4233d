import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { STALL_AFTER_MS } from "../../src/store/ledger.ts";
import { World } from "./world.ts";

const HOUR = 3_600_000;
const options = { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], userAgent: "Test/1" };

function newWorld(): World {
  return new World(() => ({ links: [] }));
}

async function addSchedule(world: World): Promise<string> {
  const id = crypto.randomUUID();
  await world.deps.schedules.add({ id, cron: "0 * * * *", options, createdAt: world.now, nextAt: HOUR });
  return id;
}

const lastCrawlOf = async (world: World, id: string) =>
  (await world.deps.schedules.list()).find((one) => one.id === id)?.lastCrawlId ?? "";

test("starts a due schedule once, even if several heartbeats run at the same time", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = HOUR - 1;
  expect((await heartbeat(world.deps)).started).toEqual([]);
  world.now = HOUR;
  const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps), heartbeat(world.deps)]);
  expect(reports.flatMap(({ started }) => started)).toEqual([await lastCrawlOf(world, id)]);
  await world.deps.schedules.remove(id);
});

test("one crawl makes up for all missed runs of a schedule", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = 5.5 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.runToEnd(await lastCrawlOf(world, id));
  expect((await heartbeat(world.deps)).started).toHaveLength(0);
  world.now = 6 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.deps.schedules.remove(id);
});

test("a schedule is skipped while its last crawl still runs", async () => {
  const world = newWorld();
  const id = await addSchedule(world);
  world.now = HOUR;
  await heartbeat(world.deps);
  const first = await lastCrawlOf(world, id);
  await world.deps.ledger.pause(first, world.now);
  world.now = 2 * HOUR;
  expect((await heartbeat(world.deps)).started).toEqual([]);
  await world.deps.ledger.cancel(first, "cancelled_by_user", world.now);
  expect((await heartbeat(world.deps)).started).toEqual([]);
  world.now = 3 * HOUR;
  expect((await heartbeat(world.deps)).started).toHaveLength(1);
  await world.deps.schedules.remove(id);
});

test("a stalled crawl is repaired once, and ends", async () => {
  let lost = true;
  const world = new World(() => ({ links: [] }), { copies: () => (lost ? 0 : 1) });
  const crawl = await world.start(["https://a.test/"]);
  lost = false;
  world.now += STALL_AFTER_MS - 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([]);
  world.now += 1;
  const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps)]);
  expect(reports.flatMap(({ repaired }) => repaired)).toEqual([crawl]);
  await world.runToEnd(crawl);
  expect(world.fetched).toEqual(["https://a.test/"]);
});

test("on a faster clock a crawl is stalled after the same real time", async () => {
  const world = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await world.start(["https://a.test/"]);
  world.deps.clock = { ...world.deps.clock, speed: 10 };
  world.now += 10 * STALL_AFTER_MS - 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([]);
  world.now += 1;
  expect((await heartbeat(world.deps)).repaired).toEqual([crawl]);
});

test("the heartbeat ends the open URLs of a cancelled crawl after an interruption", async () => {
  const world = newWorld();
  const crawl = await world.start(["https://a.test/"]);
  await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
  await heartbeat(world.deps);
  const { results } = await env.LEDGER.prepare("SELECT status, reason FROM urls WHERE crawl = ?1").bind(crawl).all();
  expect(results).toEqual([{ status: "cancelled", reason: "cancelled" }]);
});
