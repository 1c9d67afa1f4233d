import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { STALL_AFTER_MS } from "../../src/store/ledger.ts";
import { World } from "./world.ts";

const HOUR = 3_600_000;
const options = { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], userAgent: "Test/1" };

function world(): World {
  return new World(() => ({ links: [] }));
}

async function schedule(at: World): Promise<string> {
  const id = crypto.randomUUID();
  await at.deps.schedules.add({ id, cron: "0 * * * *", options, createdAt: at.now, nextAt: HOUR });
  return id;
}

const lastCrawl = async (at: World, id: string) =>
  (await at.deps.schedules.list()).find((one) => one.id === id)?.lastCrawlId ?? "";

test("starts a due schedule once, however many heartbeats run at the same time", async () => {
  const at = world();
  const id = await schedule(at);
  at.now = HOUR - 1;
  expect((await heartbeat(at.deps)).started).toEqual([]);
  at.now = HOUR;
  const reports = await Promise.all([heartbeat(at.deps), heartbeat(at.deps), heartbeat(at.deps)]);
  expect(reports.flatMap(({ started }) => started)).toEqual([await lastCrawl(at, id)]);
  await at.deps.schedules.remove(id);
});

test("one crawl makes up for all missed times of a schedule", async () => {
  const at = world();
  const id = await schedule(at);
  at.now = 5.5 * HOUR;
  expect((await heartbeat(at.deps)).started).toHaveLength(1);
  await at.runToEnd(await lastCrawl(at, id));
  expect((await heartbeat(at.deps)).started).toHaveLength(0);
  at.now = 6 * HOUR;
  expect((await heartbeat(at.deps)).started).toHaveLength(1);
  await at.deps.schedules.remove(id);
});

test("a schedule is skipped while its last crawl still runs", async () => {
  const at = world();
  const id = await schedule(at);
  at.now = HOUR;
  await heartbeat(at.deps);
  const first = await lastCrawl(at, id);
  await at.deps.ledger.pause(first, at.now);
  at.now = 2 * HOUR;
  expect((await heartbeat(at.deps)).started).toEqual([]);
  await at.deps.ledger.cancel(first, "cancelled_by_user", at.now);
  expect((await heartbeat(at.deps)).started).toEqual([]);
  at.now = 3 * HOUR;
  expect((await heartbeat(at.deps)).started).toHaveLength(1);
  await at.deps.schedules.remove(id);
});

test("a stalled crawl is repaired once, and ends", async () => {
  let lost = true;
  const at = new World(() => ({ links: [] }), { copies: () => (lost ? 0 : 1) });
  const crawl = await at.start(["https://a.test/"]);
  lost = false;
  at.now += STALL_AFTER_MS - 1;
  expect((await heartbeat(at.deps)).repaired).toEqual([]);
  at.now += 1;
  const reports = await Promise.all([heartbeat(at.deps), heartbeat(at.deps)]);
  expect(reports.flatMap(({ repaired }) => repaired)).toEqual([crawl]);
  await at.runToEnd(crawl);
  expect(at.fetched).toEqual(["https://a.test/"]);
});

test("on a faster clock a crawl is stalled after as much real time", async () => {
  const at = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await at.start(["https://a.test/"]);
  at.deps.clock = { ...at.deps.clock, speed: 10 };
  at.now += 10 * STALL_AFTER_MS - 1;
  expect((await heartbeat(at.deps)).repaired).toEqual([]);
  at.now += 1;
  expect((await heartbeat(at.deps)).repaired).toEqual([crawl]);
});

test("the open URLs of a cancelled crawl are ended, even after an interruption", async () => {
  const at = world();
  const crawl = await at.start(["https://a.test/"]);
  await at.deps.ledger.cancel(crawl, "cancelled_by_user", at.now);
  await heartbeat(at.deps);
  const { results } = await env.LEDGER.prepare("SELECT status, reason FROM urls WHERE crawl = ?1").bind(crawl).all();
  expect(results).toEqual([{ status: "cancelled", reason: "cancelled" }]);
});
