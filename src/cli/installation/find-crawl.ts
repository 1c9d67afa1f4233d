import type { CrawlView } from "../../api/views.ts";
import type { Installation } from "./installation.ts";

/** Finds the newest crawl with a seed at this URL's host, or else the newest; undefined if there is none. */
export async function findCrawlOf(url: string, { client }: Installation): Promise<CrawlView | undefined> {
  const crawls = await client.crawls();
  const host = URL.parse(url)?.host;
  const hasHost = ({ urls }: CrawlView) => urls.some((seed) => URL.parse(seed)?.host === host);
  return crawls.find(hasHost) ?? crawls[0];
}
