import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { Platform } from "./platform/platform.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Web } from "./platform/web.ts";

/** Short outages, in the model of the platform with its own limits: they cost seconds, and no URL. */

const DELAY_MS = 1_000;
const OUTAGE_MS = 30_000;
const HOSTS = Array.from({ length: 8 }, (_, i) => `h${i}.test`);
const PAGES = 20;

/** Hosts whose first page links to their others. */
const web: Web = (url) => {
  const { origin, pathname } = new URL(url);
  if (pathname === "/robots.txt") return { kind: "status", status: 404 };
  const links = pathname === "/" ? Array.from({ length: PAGES - 1 }, (_, i) => `${origin}/${i + 1}`) : [];
  return { kind: "page", links };
};

/** Crawls all hosts, with an outage after ten seconds. Returns the crawl, and when each host's last request ended. */
async function crawlWith(outage: (platform: Platform, until: number) => void) {
  const result: { crawl?: Crawl; seconds: Record<string, number> } = { seconds: {} };
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, { seed: 1, web });
    const startedAt = platform.time.now();
    await platform.run(async () => {
      const id = await platform.start(HOSTS.map((host) => `https://${host}/`));
      await platform.time.sleep(10_000);
      outage(platform, platform.time.now() + OUTAGE_MS);
      result.crawl = (await finish(platform, id, null)) as Crawl;
    });
    expectPolite(platform, { delayMs: DELAY_MS });
    for (const { host, endedAt } of platform.web.requests) result.seconds[host] = (endedAt - startedAt) / 1_000;
    expect(platform.frontier.counts.dead).toBe(0);
  });
  return result;
}

test("a database that fails for half a minute costs no URL, and little more than that time", async () => {
  const { crawl, seconds } = await crawlWith((platform, until) => {
    platform.database.outageUntil = until;
  });
  expect(crawl?.counters).toMatchObject({ completed: HOSTS.length * PAGES, errored: 0 });
  expect(Math.max(...Object.values(seconds))).toBeLessThan(300);
});

test("a gate that fails for half a minute makes its host wait, and no other", async () => {
  const alone = await crawlWith(() => undefined);
  const { crawl, seconds } = await crawlWith((platform, until) => {
    platform.gates.outages.set("h0.test", until);
  });
  expect(crawl?.counters).toMatchObject({ completed: HOSTS.length * PAGES, errored: 0 });
  for (const host of HOSTS.slice(1)) expect(seconds[host]).toBeLessThan((alone.seconds[host] ?? 0) * 1.5);
  expect(seconds["h0.test"]).toBeLessThan(300);
});
