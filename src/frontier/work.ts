import type { QueuedUrl } from "../crawl/crawl.ts";
import type { CrawlContext } from "./context.ts";

/** A queued row, with its crawl, that a batch is to work on. */
export interface Work {
  row: QueuedUrl;
  context: CrawlContext;
}
