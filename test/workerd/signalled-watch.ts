import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { WATCH } from "./rows.ts";
import { type Sitemaps, type Web, World, type WorldOptions } from "./world.ts";

/** A watch of a site with a sitemap. */

export const ORIGIN = "https://site.test";
export const SEED = `${ORIGIN}/`;
export const SITEMAP = `${ORIGIN}/sitemap.xml`;
export const HOUR = 3_600_000;
export const EVERY_S = 3_600;
export const DATE = Date.UTC(2001, 0, 1);

/**
 * A watch that has read all its pages. Its clock begins in 2001, because dates of sitemaps do not lie in the future.
 */
export async function startWatch(
  sitemaps: Sitemaps,
  {
    web = () => ({ links: [] }),
    changes = {},
    ...options
  }: { web?: Web; changes?: Partial<CrawlOptions> } & WorldOptions = {},
): Promise<{ world: World; crawl: string }> {
  const world = new World(web, { ...options, sitemaps });
  world.now = Date.UTC(2001, 1, 1);
  const watch = { ...WATCH, everyS: EVERY_S, fixed: false };
  const crawl = await world.start([SEED], { source: "all", store: "warc", watch, ...changes });
  await untilWatching(world, crawl);
  return { world, crawl };
}

async function untilWatching(world: World, crawl: string): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if ((await world.deps.ledger.crawl(crawl))?.status === "watching") return;
    await world.turn();
  }
  throw new Error("it does not watch");
}

/** Every heartbeat and every message of this time. */
export async function pass(world: World, ms: number): Promise<void> {
  const end = world.now + ms;
  while (world.now < end) await world.turn();
}

export const listOf = (count: number, lastmod: number | null = DATE) =>
  Array.from({ length: count }, (_, i) => ({ url: `${ORIGIN}/p${i}`, lastmod }));
