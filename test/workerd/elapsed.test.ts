import { expect, test } from "vitest";
import { viewCrawl } from "../../src/api/crawls/crawl-schemas.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { World } from "./world.ts";

/** The elapsed time of a crawl leaves out the time in which it was paused, or had ended before a retry. */

const SEED = "https://a.test/";
const DAY = 86_400_000;

async function secondsOf(world: World, id: string): Promise<number> {
  const crawl = await world.deps.ledger.crawl(id);
  return crawl === null ? -1 : viewCrawl(crawl).seconds;
}

/** A crawl that has fetched its seed and is paused. Its other pages wait. */
async function pausedCrawl(world: World): Promise<{ id: string; before: number }> {
  const id = await world.start([SEED]);
  while (((await world.deps.ledger.crawl(id))?.counters.completed ?? 0) === 0) await world.turn();
  await world.deps.ledger.pause(id, world.now);
  return { id, before: await secondsOf(world, id) };
}

const pages = () => new World((url) => ({ links: url === SEED ? [`${SEED}1`, `${SEED}2`] : [] }));

test("a paused crawl's time stands still, and two pauses of a day add nothing", async () => {
  const world = pages();
  const { id, before } = await pausedCrawl(world);
  for (let time = 0; time < 2; time++) {
    world.now += DAY;
    expect(await secondsOf(world, id)).toBe(before);
    await resumeCrawl(id, world.deps);
    expect(await secondsOf(world, id)).toBe(before);
    if (time === 0) await world.deps.ledger.pause(id, world.now);
  }
  await world.runToEnd(id);
  expect(await secondsOf(world, id)).toBeLessThan(before + 3_600);
});

test("a crawl whose process was killed has at most two minutes of the time until it goes on", async () => {
  for (const isPausedFirst of [false, true]) {
    const world = pages();
    const id = await world.start([SEED]);
    while (((await world.deps.ledger.crawl(id))?.counters.completed ?? 0) === 0) await world.turn();
    const before = await secondsOf(world, id);
    world.now += DAY;
    if (isPausedFirst) await world.deps.ledger.pause(id, world.now);
    await resumeCrawl(id, world.deps);
    await world.runToEnd(id);
    expect(await secondsOf(world, id)).toBeLessThan(before + 300);
  }
});

test("a crawl that is cancelled while it is paused has the time before the pause", async () => {
  const world = pages();
  const { id, before } = await pausedCrawl(world);
  world.now += DAY;
  await world.deps.ledger.cancel(id, "cancelled_by_user", world.now);
  expect(await secondsOf(world, id)).toBe(before);
});

test("time between the end and a retry is left out", async () => {
  const world = new World((url, attempt) => (url === SEED || attempt > 0 ? { links: [`${SEED}1`] } : { status: 404 }));
  const id = await world.start([SEED]);
  await world.runToEnd(id);
  const before = await secondsOf(world, id);
  world.now += DAY;
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  await retryCrawl(crawl, { status: "errored", reason: null, limit: null }, world.deps);
  await world.runToEnd(id);
  expect((await world.deps.ledger.crawl(id))?.counters.completed).toBe(2);
  expect(await secondsOf(world, id)).toBeLessThan(before + 3_600);
});

test("a crawl that is paused before its first fetch begins with it", async () => {
  const world = pages();
  const id = await world.start([SEED]);
  await world.deps.ledger.pause(id, world.now);
  world.now += DAY;
  await resumeCrawl(id, world.deps);
  await world.runToEnd(id);
  const { startedAt = 0, finishedAt = 0 } = (await world.deps.ledger.crawl(id)) ?? {};
  expect(await secondsOf(world, id)).toBe(((finishedAt ?? 0) - (startedAt ?? 0)) / 1000);
});
