import type { Deps } from "../../../src/frontier/deps.ts";
import { retryCrawl } from "../../../src/lifecycle/retry.ts";
import { amendCrawl, cancelCrawl, resumeCrawl } from "../../../src/lifecycle/start.ts";
import { watchCrawl } from "../../../src/lifecycle/watch.ts";
import { insist, NO_LIMIT } from "./deeds.ts";
import type { LivingSite } from "./living-site.ts";
import type { Platform } from "./platform.ts";
import type { Random } from "./random.ts";

/** What happens to a watch while its site lives: what users do, what the platform does, and what clocks do. */

export const WATCH_DEEDS = [
  "pause",
  "interval",
  "retry",
  "raise the limit",
  "deploy",
  "outage",
  "clock ahead",
  "clock back",
  "host down",
  "host forbidden",
] as const;
export type WatchDeed = (typeof WATCH_DEEDS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Who lives in a watched world. */
export interface Life {
  platform: Platform;
  crawl: string;
  site: LivingSite;
  random: Random;
  /** Virtual times at which the clock was set. */
  jumps: number[];
}

export async function actOnWatch(deed: WatchDeed, { platform, crawl, site, random, jumps }: Life): Promise<void> {
  const { time } = platform;
  const rest = (mostMs: number) => time.sleep(random.between(0, mostMs));
  switch (deed) {
    case "pause":
      await insist(platform, ({ ledger }) => ledger.pause(crawl, time.wall.now()));
      await rest(random.oneOf([1_000, 3 * HOUR_MS]));
      await insist(platform, (deps) => resumeCrawl(crawl, deps));
      return;
    case "interval":
      await insist(platform, (deps) => changeInterval(crawl, random.oneOf([1, 2, 3]), deps));
      return;
    case "retry":
      await retry(platform, crawl, "errored");
      return;
    case "raise the limit":
      await insist(platform, (deps) => amendCrawl({ id: crawl, shards: null }, { limit: NO_LIMIT }, deps));
      await retry(platform, crawl, "skipped");
      return;
    case "deploy":
      platform.deploy();
      return;
    case "outage":
      platform.database.outageUntil = time.now() + random.between(0, 40 * MINUTE_MS);
      return;
    case "clock ahead":
      jumps.push(time.now());
      time.aheadMs += random.oneOf([HOUR_MS, 30 * 24 * HOUR_MS]);
      return;
    case "clock back":
      jumps.push(time.now());
      time.aheadMs -= random.oneOf([HOUR_MS, 5 * 24 * HOUR_MS]);
      return;
    case "host down":
      site.breakHost();
      await rest(20 * HOUR_MS);
      site.outages.clear();
      return;
    case "host forbidden":
      site.forbidHost();
      await rest(40 * HOUR_MS);
      site.forbidden.clear();
      return;
  }
}

/** Ends the watch. The open URLs of a crawl that is cancelled later are ended by the heartbeat. */
export async function cancelWatch(platform: Platform, crawl: string): Promise<void> {
  await insist(platform, (deps) => cancelCrawl(crawl, "cancelled_by_user", deps));
}

async function changeInterval(crawl: string, hours: number, deps: Deps): Promise<void> {
  const watch = (await deps.ledger.crawl(crawl))?.options.watch;
  if (watch) await watchCrawl(crawl, { ...watch, everyS: hours * 3_600 }, deps);
}

async function retry(platform: Platform, crawl: string, status: "errored" | "skipped"): Promise<void> {
  await insist(platform, async (deps) => {
    const state = await deps.ledger.crawl(crawl);
    const reason = status === "skipped" ? "limit" : null;
    if (state !== null) await retryCrawl(state, { status, reason, limit: null }, deps);
  });
}
