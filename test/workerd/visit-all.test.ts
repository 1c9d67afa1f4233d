import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { CrawlView } from "../../src/api/views.ts";
import { findNextVisit } from "../../src/reading/explain/next-visit.ts";
import "./silence-log.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, WatchedWorld } from "./watched-world.ts";

/** A watch that is asked to visit all of its pages at once. */

useModelLedger();

const MINUTE_MS = 60_000;
const PATHS = ["a", "b", "c", "d", "e"];

async function watched() {
  const world = new WatchedWorld(() => ({ text: "The mill", links: PATHS.map((path) => `${SEED}${path}`) }));
  const id = await world.watch(30 * DAY_MS);
  await world.pass(2 * HOUR_MS);
  // A heartbeat and a request have the same time in no installation.
  world.now += 1_000;
  world.fetched.length = 0;
  return { world, id };
}

async function ask(world: WatchedWorld, id: string): Promise<{ status: number; result: CrawlView; text: string }> {
  const request = new Request(`http://localhost/api/crawls/${id}/visits`, {
    method: "POST",
    headers: { authorization: "Bearer test-token" },
  });
  const clock = `${new Date(world.now).toISOString()} 0.000001 ${new Date().toISOString()}`;
  const answer = await app.fetch(request, { ...env, CLOCK: clock }, createExecutionContext());
  const text = await answer.text();
  return { status: answer.status, result: (JSON.parse(text) as { result: CrawlView }).result, text };
}

test("each page is visited once, beside the budget, and then again in its own time", async () => {
  const { world, id } = await watched();
  const { status, result } = await ask(world, id);
  expect([status, result.watching?.visitsAskedAt]).toEqual([202, new Date(world.now).toISOString()]);
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  expect((await findNextVisit(crawl, `${SEED}a`, world.deps))?.why).toContain("a visit of all pages was asked for");
  await world.pass(5 * MINUTE_MS, MINUTE_MS);
  expect(world.fetched.toSorted()).toEqual([SEED, ...PATHS.map((path) => `${SEED}${path}`)]);
  await world.pass(5 * HOUR_MS);
  expect(world.fetched.length).toBeLessThanOrEqual(PATHS.length + 2);
});

test("a watch that visits nothing says why", async () => {
  const { world, id } = await watched();
  await world.deps.ledger.pause(id, world.now);
  const paused = await ask(world, id);
  expect([paused.status, paused.text]).toEqual([409, expect.stringContaining("paused")]);
  const ended = await world.start([SEED]);
  await world.runToEnd(ended);
  const none = await ask(world, ended);
  expect([none.status, none.text]).toEqual([409, expect.stringContaining("is no watch")]);
});
