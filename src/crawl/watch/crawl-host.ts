import type { SamePageRule, SamePageState } from "../../scope/same-page-rules.ts";

/** The state of a host for a crawl. Times are milliseconds since the Unix epoch. */
export interface CrawlHost {
  /** Its name, without a port: all ports share one pace. */
  host: string;
  /** Number of the crawl's queued URLs for this host. */
  queued: number;
  /** Rest between two requests, estimated from the last answer. */
  delayMs: number;
  /** Connections at once, and whose host it is, in words. Null if an older gate answers. */
  connections: number | null;
  ownership: string | null;
  /** Crawl-delay of its robots.txt. */
  crawlDelayMs: number | null;
  /** Failures in a row. */
  failures: number;
  /** Whether some crawl is fetching from it now. */
  busy: boolean;
  /** The ids of the crawls that have a turn before this one, in order. */
  before: string[];
  /** The earliest start of the next request. */
  until: number;
  /** Since when it waits; null if it keeps its usual pace. */
  since: number | null;
  why: string;
  /** Parts of its URLs that the crawl has learned about. */
  samePages: SamePageView[];
}

export interface SamePageView
  extends Pick<SamePageRule, "scope" | "part" | "same" | "different" | "samples" | "withdrawnBy"> {
  state: SamePageState;
  /** 0 to 1. */
  confidence: number;
  /** The values of the part that were seen, at most 8. */
  values: string[];
  /** Pairs of URLs that show the same page. */
  examples: string[][];
}
