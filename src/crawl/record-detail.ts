import type { CrawlUrl } from "./crawl.ts";

/** A record with the way that led to it, and what was found by way of it. */
export interface RecordDetail {
  record: CrawlUrl;
  /** From a seed, or a sitemap, to the record itself; cut short at its beginning where it is very long. */
  way: WayStep[];
  /** Those that were first found on this page: of the pages that link to a URL, a crawl keeps the first alone. */
  found: FoundUrl[];
  /** There are more of them. */
  hasMore: boolean;
}

export interface WayStep {
  url: string;
  kind: "page" | "sitemap" | "robots.txt";
  /** Of a page. */
  title: string | null;
}

export type FoundUrl = Pick<CrawlUrl, "url" | "status" | "title">;
