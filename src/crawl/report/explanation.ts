import type { CrawlUrl } from "../crawl.ts";
import type { UrlStatus } from "../page/status.ts";

/** The decision on a URL, made or expected, and the rules behind it. */

export type ExplainVerdict = Exclude<UrlStatus, "pending"> | "would be fetched" | "refused" | "wait";

/** The steps in the order of a crawl, with their names for people. */
export const EXPLAIN_STEPS = {
  url: "URL",
  record: "Record",
  subject: "Subject",
  browser: "Browser",
  scope: "Scope",
  trap: "Traps",
  "host-limit": "Page limit of the host",
  "same-page": "Same pages",
  "nothing-new": "Endless patterns",
  save: "Pages to save",
  values: "Values by a model",
  country: "Country",
  "own-host": "Whose host it is",
  robots: "robots.txt",
  pace: "Crawl delay",
};
export type StepName = keyof typeof EXPLAIN_STEPS;

export interface ExplainStep {
  step: StepName;
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
