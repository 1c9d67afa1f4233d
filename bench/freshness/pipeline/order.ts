/** What the bench and the pipeline inside workerd say to each other. Times are milliseconds since the epoch. */
import type { Usage } from "../../../src/crawl/bounds/usage.ts";
import type { Removed } from "../../../src/crawl/watch/removed.ts";
import type { Change, ChangeKind, VisitResult } from "../../../src/crawl/watch/watch.ts";

/** What the sitemap says: there is none, the truth, or each time the present. */
export type ServedLastmod = "none" | "honest" | "always now";

export interface WatchOrder {
  origin: string;
  beginMs: number;
  endMs: number;
  everyS: number;
  /** Visit all pages alike. */
  fixed: boolean;
  /** Whether the site has a sitemap. */
  hasSitemap: boolean;
  includePatterns: string[];
  /** Heartbeats in a mean interval; 100 without it. */
  beats?: number;
  /** How long versions are kept; absent: all stay. */
  keepDays?: number;
  /** Usage counts from then on; absent: from the end of the first crawl. */
  countedFromMs?: number;
  /** Measure heartbeats, one each minute, of a watch of so many pages; absent: none. */
  beatPages?: number;
  /** The least rest of the host, in milliseconds; 0 if it is absent. */
  minDelayMs?: number;
}

export interface SettledVisit {
  url: string;
  at: number;
  result: VisitResult;
  change: ChangeKind | null;
  /** Whether it stored a version. */
  isStored: boolean;
}

export type ToldChange = Pick<Change, "url" | "kind" | "at" | "detail">;

export interface WatchRun {
  /** The first fetch of each page. */
  fetched: { url: string; at: number }[];
  visits: SettledVisit[];
  /** What people are told, as the watch lists it. */
  changes: ToldChange[];
  /** What the visits were billed for. */
  usage: Usage;
  /** What heartbeats used, of which there were so many. A real one comes each minute. */
  beats: { count: number; usage: Usage };
  /** Heartbeats of a watch of `beatPages` pages, one each minute, and the visits that they sent; null without it. */
  largeBeats: LargeBeats | null;
  seconds: number;
  /** What the first crawl was billed for. */
  firstUsage: Usage;
  /** What the removal of old versions used. It is not in that of the heartbeats. */
  keepUsage: Usage;
  held: Held;
  /** What each statement of D1 did, those of heartbeats too. */
  statements: StatementUse[];
}

/** Rows that all calls of one statement read and wrote. */
export interface StatementUse {
  sql: string;
  calls: number;
  read: number;
  written: number;
}

export interface LargeBeats {
  count: number;
  usage: Usage;
  /** Visits that were sent, by so many of the heartbeats. */
  visits: number;
  sending: number;
}

/** What the watch has at the end. Sizes are in bytes. */
export interface Held {
  packs: number;
  packBytes: number;
  /** Records of visits without a change. */
  records: number;
  /** Packs that are older than what is kept, and the records in them. */
  oldPacks: number;
  oldRecords: number;
  versions: number;
  changes: number;
  /** What the database has grown by since before the first crawl. */
  databaseBytes: number;
  /**
   * Of a row with its index, as an estimate: its texts, and 40 bytes of numbers, in pages that are used to 95% where
   * rows come in their order, and to 70% else.
   */
  rowBytes: { version: number; change: number; pack: number };
  removed: Removed | null;
}
