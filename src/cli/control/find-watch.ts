import type { CrawlView } from "../../api/views.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import type { Client } from "../installation/client.ts";

/** Statuses in which a watch goes on, or may go on. */
const STAYS: readonly CrawlView["status"][] = ["running", "paused", "watching"];

/** The newest watch with these seeds, whatever their order; undefined if there is none. Cancelled ones do not count. */
export async function findWatchOf(urls: readonly string[], client: Client): Promise<CrawlView | undefined> {
  const wanted = seedsOf(urls.map((url) => canonicalize(url) ?? url));
  const crawls = await client.crawls();
  for (const crawl of crawls.filter(({ status, urls: seeds }) => STAYS.includes(status) && seedsOf(seeds) === wanted))
    if ((await client.crawl(crawl.id)).options.watch !== null) return crawl;
  return undefined;
}

function seedsOf(urls: readonly string[]): string {
  return [...new Set(urls)].sort().join("\n");
}
