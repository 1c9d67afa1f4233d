import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** The ledger stores long waits, and the heartbeat sends URLs that are due. Short waits are delayed messages. */

useModelLedger();

const SEED = "https://a.test/";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Answers the first request with a Retry-After. */
const busyFor =
  (retryAfterMs: number): Web =>
  (_, attempt) =>
    attempt === 0 ? { status: 503, retryAfterMs } : { links: [] };

async function dueAt(crawl: string): Promise<number | null | undefined> {
  const row = await env.LEDGER.prepare("SELECT due_at FROM urls WHERE crawl = ?1")
    .bind(crawl)
    .first<{ due_at: number }>();
  return row?.due_at;
}

async function startWaiting(retryAfterMs: number) {
  const world = new World(busyFor(retryAfterMs));
  const crawl = await world.start([SEED]);
  const startedAt = world.now;
  await world.turn();
  return { world, crawl, startedAt };
}

test("a short wait is a delayed message, and writes no row", async () => {
  const { world, crawl } = await startWaiting(10 * MINUTE);
  expect([world.inMotion, await dueAt(crawl)]).toEqual([1, null]);
  await world.runToEnd(crawl);
  expect(world.fetched).toHaveLength(2);
});

describe("a long wait", () => {
  test("has no message; the heartbeat sends it once, when it is due", async () => {
    const { world, crawl, startedAt } = await startWaiting(2 * HOUR);
    const due = (await dueAt(crawl)) ?? 0;
    expect(world.inMotion).toBe(0);
    expect(due).toBeGreaterThanOrEqual(startedAt + 2 * HOUR);

    world.now = due - 2 * MINUTE;
    expect(await heartbeat(world.deps)).toMatchObject({ due: 0, repaired: [] });
    world.now = due - 30_000;
    const beats = await Promise.all([heartbeat(world.deps), heartbeat(world.deps)]);
    expect(beats.reduce((sum, beat) => sum + beat.due, 0)).toBe(1);
    expect([world.inMotion, await dueAt(crawl)]).toEqual([1, null]);

    await world.runToEnd(crawl);
    expect(world.now).toBeGreaterThanOrEqual(due);
    expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(1);
    await expectCountersExact(crawl);
  });

  test("is no stall, so the heartbeat does not repair the crawl", async () => {
    const { world, crawl } = await startWaiting(HOUR);
    const epoch = (await world.deps.ledger.crawl(crawl))?.epoch;
    await world.runToEnd(crawl);
    expect((await world.deps.ledger.crawl(crawl))?.epoch).toBe(epoch);
  });

  test("survives a pause, and is sent with the new epoch after the resume", async () => {
    const { world, crawl } = await startWaiting(2 * HOUR);
    const due = (await dueAt(crawl)) ?? 0;
    await world.deps.ledger.pause(crawl, world.now);
    world.now = due + HOUR;
    expect((await heartbeat(world.deps)).due).toBe(0);
    expect(world.inMotion).toBe(0);
    await resumeCrawl(crawl, world.deps);
    await world.runToEnd(crawl);
    expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(1);
  });

  test("continues after an early resume", async () => {
    const { world, crawl } = await startWaiting(2 * HOUR);
    await world.deps.ledger.pause(crawl, world.now);
    await resumeCrawl(crawl, world.deps);
    expect(world.inMotion).toBe(0);
    await world.runToEnd(crawl);
    expect(world.fetched).toHaveLength(2);
  });

  test("ends when its crawl is cancelled", async () => {
    const { world, crawl } = await startWaiting(2 * HOUR);
    await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    await heartbeat(world.deps);
    expect(await dueAt(crawl)).toBeNull();
    await expectCountersExact(crawl);
  });

  test("works for a sitemap, too", async () => {
    let busy = true;
    const world = new World(() => ({ links: [] }), {
      sitemaps: () => {
        if (!busy) return { pages: [{ url: "https://a.test/listed", lastmod: null }] };
        busy = false;
        return { status: 503, retryAfterMs: 2 * HOUR };
      },
    });
    const crawl = await world.start([SEED], { source: "all" });
    await world.runToEnd(crawl);
    expect(world.asked).toHaveLength(2);
    expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(2);
  });
});

test("a heartbeat sends more than a thousand due rows in parts", async () => {
  const { world, crawl } = await startWaiting(2 * HOUR);
  const row = { crawl, epoch: 0, sitemap: false, dueAt: world.now, failures: 0 };
  const due = Array.from({ length: 2_500 }, (_, i) => ({ ...row, url: `${SEED}${i}` }));
  world.deps.waits.takeDue = async (_, most) => due.splice(0, most);
  expect(await heartbeat(world.deps)).toMatchObject({ due: 2_500, failed: [] });
  expect(due).toEqual([]);
});

test("a delay of half a millisecond loses no URL", async () => {
  const links = Array.from({ length: 150 }, (_, i) => `${SEED}${i}`);
  const world = new World((url) => ({ links: url === SEED ? links : [] }));
  // A fetch takes 5 ms here.
  const politeness = { ...DEFAULT_POLITENESS, delayFactor: 201.5 };
  const crawl = await world.start([SEED], { politeness });
  await world.runToEnd(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ completed: 151, errored: 0 });
  expect(world.fetched).toHaveLength(151);
});
