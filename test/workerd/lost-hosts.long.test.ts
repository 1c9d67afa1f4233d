import { expect, test } from "vitest";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { type Web, World } from "./world.ts";

/** A host that answered before and is down now ends its crawl soon; one that restarts does not. */

useModelLedger();

const HOME = "https://a.test/";
const PAGES = Array.from({ length: 400 }, (_, i) => `${HOME}page-${i}`);
const MINUTE = 60_000;

/** A world of a site that is down between two times after its beginning. `pass`: sets the time since then. */
function siteDown(from: number, until: number) {
  const clock = { now: () => 0 };
  const web: Web = (url) => {
    if (clock.now() >= from && clock.now() < until) return { refused: true };
    return { links: url === HOME ? PAGES : [] };
  };
  const world = new World(web);
  const startedAt = world.now;
  clock.now = () => world.now - startedAt;
  const pass = (ms: number) => {
    world.now = Math.max(world.now, startedAt + ms);
  };
  return { world, pass };
}

/** Runs a crawl to its end. Returns how it ended, and how long it took. */
async function run(world: World) {
  const startedAt = world.now;
  const crawl = await world.start([HOME]);
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  const state = await world.deps.ledger.crawl(crawl);
  return { status: state?.status, counters: state?.counters, tookMs: world.now - startedAt };
}

test("a host that answered an earlier crawl and refuses connections now ends a new one at once, again and again", async () => {
  const { world, pass } = siteDown(MINUTE, Number.POSITIVE_INFINITY);
  expect((await run(world)).counters?.completed).toBe(401);
  for (let again = 0; again < 6; again++) {
    pass(MINUTE);
    const { status, counters, tookMs } = await run(world);
    expect(status).toBe("errored");
    expect(counters).toMatchObject({ errored: 1, completed: 0 });
    expect(tookMs).toBeLessThanOrEqual(11_000);
  }
});

test("the host is asked again when its time has come, and is crawled if it is back", async () => {
  const { world, pass } = siteDown(MINUTE, 2 * MINUTE);
  await run(world);
  pass(MINUTE);
  expect((await run(world)).status).toBe("errored");
  pass(3 * MINUTE);
  expect((await run(world)).counters?.completed).toBe(401);
});

test("a host that goes down in the middle of its crawl for good ends it within minutes, with the reason of each URL", async () => {
  const { world } = siteDown(100, Number.POSITIVE_INFINITY);
  const { status, counters, tookMs } = await run(world);
  expect(status).toBe("completed");
  expect(counters?.completed).toBeGreaterThan(0);
  expect((counters?.completed ?? 0) + (counters?.errored ?? 0)).toBe(401);
  expect(tookMs).toBeLessThan(10 * MINUTE);
});

test("a host that restarts for 30 s in the middle of its crawl loses no page", async () => {
  const { world } = siteDown(100, 30_100);
  const { counters } = await run(world);
  expect(counters?.completed).toBe(401);
});
