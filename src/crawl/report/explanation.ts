import type { CrawlUrl } from "../crawl.ts";
import type { UrlStatus } from "../page/status.ts";

/** The decision on a URL, made or expected, and the rules behind it. */

export type ExplainVerdict = Exclude<UrlStatus, "pending"> | "would be fetched" | "refused" | "wait";

export interface ExplainStep {
  step:
    | "url"
    | "record"
    | "subject"
    | "browser"
    | "scope"
    | "trap"
    | "host-limit"
    | "same-page"
    | "nothing-new"
    | "country"
    | "own-host"
    | "robots"
    | "pace";
  /** Whether it lets the URL pass. */
  ok: boolean;
  /** The rule that decided: a name from the closed lists, a pattern, a line of robots.txt. */
  rule: string;
  /** A sentence for people. */
  detail: string;
}

export interface ExplainPace {
  /** Rest between two requests to the host, estimated from its last answer. */
  delayMs: number;
  /** Crawl-delay of its robots.txt. */
  crawlDelayMs: number | null;
  /** No request to the host starts before this; null: it is free. Milliseconds since the Unix epoch. */
  nextAt: number | null;
  /** Failures of the host in a row. */
  backoff: number;
  /** Since when its robots.txt is silent. */
  waitingSince: number | null;
  why: string;
}

export interface Explanation {
  /** Canonical; null if it cannot be crawled. */
  url: string | null;
  asWritten: string;
  verdict: ExplainVerdict;
  sentence: string;
  /** In the order of a crawl; it ends with the first refusal. */
  steps: ExplainStep[];
  record: CrawlUrl | null;
  pace: ExplainPace | null;
}
