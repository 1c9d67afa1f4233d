import type { CrawlOptions } from "../crawl-options.ts";

/** A crawl that starts by itself. Times are milliseconds since the Unix epoch. */
export interface Schedule {
  id: string;
  /** A cron expression in UTC. */
  cron: string;
  options: CrawlOptions;
  /** Seconds before the start of each crawl: its `modifiedSince`. Null: that of the options counts. */
  modifiedWithinS: number | null;
  createdAt: number;
  nextAt: number;
  lastCrawlId: string | null;
  lastStartedAt: number | null;
}
