import type { QueuedSitemap, QueuedUrl } from "../crawl/crawl.ts";
import type { CrawlContext } from "./context.ts";

/** A queued row, with its crawl, that a batch is to work on. */
export type Work = PageWork | SitemapWork;

export interface PageWork {
  kind: "page";
  row: QueuedUrl;
  context: CrawlContext;
  /** A lane that held it was lost: the page may be in the mirror already, and need not be fetched again. */
  lost: boolean;
}

export interface SitemapWork {
  kind: "sitemap";
  row: QueuedSitemap;
  context: CrawlContext;
  /** For a guessed sitemap, the sitemaps that robots.txt of its origin names, as written there. */
  named: readonly string[];
}
