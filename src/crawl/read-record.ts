import type { CrawlUrl } from "./crawl.ts";
import type { Formatted } from "./format.ts";

/** A record with its page. */
export interface ReadRecord {
  record: CrawlUrl;
  formatted: Formatted;
  /** Why a page that is kept comes without its formats; null where it does not. */
  problem: string | null;
}
