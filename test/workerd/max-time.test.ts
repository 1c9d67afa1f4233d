import { expect, test } from "vitest";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { amendCrawl } from "../../src/lifecycle/start.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** A time limit that is changed counts from the change. */

useModelLedger();

const SEED = "https://a.test/";
const MINUTE = 60_000;

/** A crawl whose host rests for ten minutes after each page. */
async function startSlow(maxDurationS: number) {
  const world = new World((url) => ({ links: [`${url}x`] }));
  const politeness = {
    minDelayMs: 600_000,
    maxDelayMs: 600_000,
    delayFactor: 0,
    maxConcurrencyPerHost: 1,
    maxBytesPerSecond: 0,
  };
  const crawl = await world.start([SEED], { maxDurationS, politeness });
  const statusAfter = async (ms: number) => {
    const until = world.now + ms;
    while (world.now < until) await world.turn();
    world.now = Math.max(world.now, until);
    await heartbeat(world.deps);
    return (await world.deps.ledger.crawl(crawl))?.status;
  };
  return { world, crawl, statusAfter };
}

test("a new time limit counts from now", async () => {
  const { world, crawl, statusAfter } = await startSlow(0);
  expect(await statusAfter(60 * MINUTE)).toBe("running");
  expect(await amendCrawl({ id: crawl, shards: null }, { maxDurationS: 1_800 }, world.deps)).toBe(true);
  expect(await statusAfter(15 * MINUTE)).toBe("running");
  expect(await statusAfter(20 * MINUTE)).toBe("cancelled_due_to_timeout");
});

test("0 removes it, and another limit does not touch it", async () => {
  const { world, crawl, statusAfter } = await startSlow(1_800);
  await amendCrawl({ id: crawl, shards: null }, { limit: 50 }, world.deps);
  await amendCrawl({ id: crawl, shards: null }, { maxDurationS: 0 }, world.deps);
  expect(await statusAfter(60 * MINUTE)).toBe("running");
  const other = await startSlow(1_800);
  await amendCrawl({ id: other.crawl, shards: null }, { limit: 50 }, other.world.deps);
  expect(await other.statusAfter(60 * MINUTE)).toBe("cancelled_due_to_timeout");
});
