/** How a host stands with a crawl. Times are milliseconds since the Unix epoch. */
export interface CrawlHost {
  /** Its name, without a port: all ports share one pace. */
  host: string;
  /** URLs of the crawl that have a message or are about to. */
  queued: number;
  /** Rest between two requests, estimated from the last answer. */
  delayMs: number;
  /** Crawl-delay of its robots.txt. */
  crawlDelayMs: number | null;
  /** Failures in a row. */
  failures: number;
  /** Whether some crawl is fetching from it now. */
  busy: boolean;
  /** No request before this. */
  until: number;
  /** Since when it waits; null where it keeps its usual pace. */
  since: number | null;
  why: string;
}
