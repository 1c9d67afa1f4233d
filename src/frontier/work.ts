import type { QueuedSitemap, QueuedUrl } from "../crawl/crawl.ts";
import type { CrawlContext } from "./context.ts";

/** A queued row, with its crawl, that a batch is to work on. */
export type Work = PageWork | SitemapWork;

export interface PageWork {
  kind: "page";
  row: QueuedUrl;
  context: CrawlContext;
}

export interface SitemapWork {
  kind: "sitemap";
  row: QueuedSitemap;
  context: CrawlContext;
  /** Sitemaps that the robots.txt of its origin names, as written there; of one that was guessed alone. */
  named: readonly string[];
}
