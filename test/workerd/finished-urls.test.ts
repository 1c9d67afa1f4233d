import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FinishedPage } from "../../src/api/views.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** The URLs of a crawl in the order in which they finish, through the API. */

useModelLedger();

const SEED = "https://a.test/";
const pagesOf = (count: number) => Array.from({ length: count }, (_, i) => `${SEED}${i + 1}`);

async function ask(id: string, query: Record<string, string>): Promise<FinishedPage> {
  const url = `http://orbweaver/api/crawls/${id}/records/finished?${new URLSearchParams(query)}`;
  const headers = { authorization: "Bearer test-token" };
  const response = await app.request(url, { headers }, env, createExecutionContext());
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: FinishedPage }).result;
}

/** Reads on to what has finished by now. */
async function readOn(id: string, from: string, query: Record<string, string> = {}) {
  const urls: string[] = [];
  for (let cursor = from; ; ) {
    const page = await ask(id, { limit: "7", ...query, cursor });
    urls.push(...page.records.map(({ url }) => url));
    cursor = page.cursor;
    if (page.follows !== "more") return { urls, cursor, follows: page.follows };
  }
}

/** A site whose pages with an even number are missing until it is healed. */
function site(pages: number) {
  const state = { isHealed: false };
  const world = new World((url) => {
    const { pathname } = new URL(url);
    if (pathname === "/") return { links: pagesOf(pages) };
    return !state.isHealed && Number(pathname.slice(1)) % 2 === 0 ? { status: 404 } : { links: [] };
  });
  return { world, state };
}

test("a reader who follows a crawl gets each URL once, as they finish, and hears of the end", async () => {
  const { world } = site(60);
  const id = await world.start([SEED], {});
  expect(await readOn(id, "")).toMatchObject({ urls: [], follows: "later" });
  const seen: string[] = [];
  let turns = 0;
  for (let read = await readOn(id, ""); ; turns++) {
    seen.push(...read.urls);
    if (read.follows === "nothing") break;
    await world.turn();
    read = await readOn(id, read.cursor);
  }
  expect(turns).toBeGreaterThan(3);
  expect(seen[0]).toBe(SEED);
  expect(seen.toSorted()).toEqual([SEED, ...pagesOf(60)].sort());
  expect((await readOn(id, "")).urls).toEqual(seen);
  const completed = await readOn(id, "", { status: "completed" });
  expect(completed.urls.toSorted()).toEqual([SEED, ...pagesOf(60).filter((_, i) => i % 2 === 0)].sort());
});

test("URLs that end without a fetch come too, and those that are retried come where they finished last", async () => {
  const { world, state } = site(400);
  const id = await world.start([SEED], { limit: 20, maxQueued: 50 });
  await world.runToEnd(id);
  await expectCountersExact(id);
  const first = await readOn(id, "", { limit: "150" });
  expect([first.urls.length, new Set(first.urls).size, first.follows]).toEqual([401, 401, "nothing"]);

  state.isHealed = true;
  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no crawl");
  await retryCrawl(crawl, { status: "errored", reason: null, limit: 400 }, world.deps);
  await world.runToEnd(id);
  const again = await readOn(id, first.cursor);
  const failed = first.urls.filter((url) => again.urls.includes(url));
  expect(again.urls.length).toBe(failed.length);
  expect(failed.length).toBeGreaterThan(5);
  const whole = await readOn(id, "");
  expect(whole.urls).toEqual([...first.urls.filter((url) => !failed.includes(url)), ...again.urls]);
});

test("a cancelled crawl lists what it did not fetch", async () => {
  const { world } = site(300);
  const id = await world.start([SEED], { maxQueued: 50 });
  for (let i = 0; i < 3; i++) await world.turn();
  const before = await readOn(id, "");
  await cancelCrawl(id, "cancelled_by_user", world.deps);
  await expectCountersExact(id);
  const rest = await readOn(id, before.cursor);
  expect(rest.follows).toBe("nothing");
  expect([...before.urls, ...rest.urls].toSorted()).toEqual([SEED, ...pagesOf(300)].sort());
});

test("URLs that an earlier version finished come at the end, and once", async () => {
  const { world } = site(30);
  const id = await world.start([SEED], {});
  await world.runToEnd(id);
  await env.LEDGER.batch([
    env.LEDGER.prepare("DELETE FROM finished WHERE crawl = ?1 AND seq <= 2").bind(id),
    env.LEDGER.prepare("UPDATE urls SET finished_in = NULL WHERE crawl = ?1 AND finished_in <= 2").bind(id),
  ]);
  const { urls, cursor, follows } = await readOn(id, "");
  expect(follows).toBe("nothing");
  expect(urls.toSorted()).toEqual([SEED, ...pagesOf(30)].sort());
  expect(urls.indexOf(SEED)).toBeGreaterThan(0);
  expect(await readOn(id, cursor)).toEqual({ urls: [], cursor, follows: "nothing" });
});

test("a cursor of another list is refused", async () => {
  const { world } = site(1);
  const id = await world.start([SEED], {});
  const url = `http://orbweaver/api/crawls/${id}/records/finished?cursor=https://a.test/`;
  const headers = { authorization: "Bearer test-token" };
  const response = await app.request(url, { headers }, env, createExecutionContext());
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("cursor: it is not one")]);
});
