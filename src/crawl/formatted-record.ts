import type { CrawlUrl } from "./crawl.ts";
import type { Formatted } from "./page-format.ts";

/** A record with its page. */
export interface FormattedRecord {
  record: CrawlUrl;
  formatted: Formatted;
  /** Why a page that is stored comes without its formats; null where it does not. */
  problem: string | null;
}
