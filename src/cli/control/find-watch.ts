import type { CrawlView } from "../../api/views.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import type { Client } from "../installation/client.ts";

/** The newest watch with these seeds, whatever their order; undefined if there is none. Cancelled ones do not count. */
export async function findWatchOf(urls: readonly string[], client: Client): Promise<CrawlView | undefined> {
  const asked = urls.map((url) => canonicalize(url) ?? url);
  const wanted = seedsOf(asked);
  // Of the seeds that came from a list, a crawl shows the first one.
  const isOfList = ({ urls: seeds, total }: CrawlView) =>
    asked.length > 1 && seeds.length === 1 && seeds[0] === asked[0] && total === asked.length;
  const crawls = (await client.crawls()).filter(({ status }) => isOpenStatus(status));
  for (const crawl of crawls.filter((each) => seedsOf(each.urls) === wanted || isOfList(each)))
    if ((await client.crawl(crawl.id)).options.watch !== null) return crawl;
  return undefined;
}

function seedsOf(urls: readonly string[]): string {
  return [...new Set(urls)].sort().join("\n");
}
