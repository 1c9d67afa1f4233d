import type { CrawlUrl } from "../crawl.ts";

/** A record with the path that led to it, and the URLs found on it. */
export interface RecordDetail {
  record: CrawlUrl;
  /** From a seed, or a sitemap, to the record itself; cut short at its beginning where it is very long. */
  way: WayStep[];
  /** URLs that were first found on this page: a crawl records only the first page that links to a URL. */
  found: FoundUrl[];
  /** There are more of them. */
  hasMore: boolean;
}

export interface WayStep {
  url: string;
  kind: "page" | "sitemap" | "robots.txt";
  /** A page's title. */
  title: string | null;
}

export type FoundUrl = Pick<CrawlUrl, "url" | "status" | "title">;
