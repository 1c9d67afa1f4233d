import { expect, test } from "vitest";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Web } from "./platform/web.ts";
import "./silence-log.ts";

/** In the model of the platform, in its time. docs/decisions/0016 */

const HOSTS = 5;
const PAGES = 60;

/** Each page links to all others of its host. */
const web: Web = (url) => {
  const { pathname, origin } = new URL(url);
  if (pathname === "/robots.txt") return { kind: "status", status: 404 };
  return { kind: "page", links: Array.from({ length: PAGES }, (_, i) => `${origin}/${i}`) };
};

const seedsOf = (name: string) => Array.from({ length: HOSTS }, (_, i) => `https://${name}${i}.test/`);

/** How long the fetches of each of two crawls take, in two ledgers: from the first one to the last. */
async function crawlTwo(slowedMs: Record<number, number>, seed: number): Promise<{ first: number; second: number }> {
  let times = { first: 0, second: 0 };
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, { seed, web, ledgers: 2, slowedMs });
    await platform.run(async () => {
      const ids = [
        await platform.start(seedsOf("a"), {}, undefined, 0),
        await platform.start(seedsOf("b"), {}, undefined, 1),
      ];
      expect(ids.map(ledgerOf)).toEqual([0, 1]);
      const states = await Promise.all(ids.map((id) => finish(platform, id, null)));
      for (const state of states) expect(state?.counters.completed).toBe(HOSTS * (PAGES + 1));
    });
    const spanOf = (name: string) => {
      const own = platform.web.requests.filter(({ host }) => host.startsWith(name));
      return Math.max(...own.map(({ endedAt }) => endedAt)) - Math.min(...own.map(({ startedAt }) => startedAt));
    };
    times = { first: spanOf("a"), second: spanOf("b") };
  });
  return times;
}

test("a ledger whose calls take 300 ms longer slows a crawl in another one by less than 5%", async () => {
  const seeds = [1, 2, 3];
  const before = [];
  const after = [];
  for (const seed of seeds) {
    before.push(await crawlTwo({}, seed));
    after.push(await crawlTwo({ 1: 300 }, seed));
  }
  const sumOf = (times: { first: number; second: number }[], which: "first" | "second") =>
    times.reduce((sum, time) => sum + time[which], 0);
  expect(sumOf(after, "first") / sumOf(before, "first")).toBeLessThan(1.05);
  // The crawl in the slow one is slower, so the calls do take longer.
  expect(sumOf(after, "second")).toBeGreaterThan(sumOf(before, "second"));
});
