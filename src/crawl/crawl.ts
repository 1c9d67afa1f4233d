import type { CrawlOptions } from "./crawl-options.ts";
import type { Reason } from "./reason.ts";
import type { CrawlStatus, UrlStatus } from "./status.ts";
import type { UrlKind } from "./url-kind.ts";
import type { Usage } from "./usage.ts";

/** The records of the ledger as the rest of the program speaks of them. Times are milliseconds since the Unix epoch. */

export interface Counters {
  /** Rows in all; always the sum of the others. */
  discovered: number;
  pending: number;
  queued: number;
  completed: number;
  disallowed: number;
  skipped: number;
  errored: number;
  cancelled: number;
}

export interface Crawl {
  id: string;
  status: CrawlStatus;
  epoch: number;
  options: CrawlOptions;
  /** `URL.host` values in scope. */
  hosts: string[];
  scheduleId: string | null;
  createdAt: number;
  /** The first request for one of its pages. */
  startedAt: number | null;
  updatedAt: number;
  finishedAt: number | null;
  wakeAt: number;
  lastUrl: string | null;
  /** For people: why it does not move; null while it moves. */
  waitingFor: string | null;
  /** For people: what its last failed batch could not do; batches are tried again. */
  lastFailure: { what: string; at: number } | null;
  counters: Counters;
  /** How many of the counters' URLs are assets. */
  assets: Pick<Counters, "pending" | "queued" | "completed">;
  /** What it has used of the platform, approximately: what a batch does after its commit counts with the next one. */
  usage: Usage;
  /** Bytes of the bodies of completed pages, decompressed. */
  bytes: number;
}

export interface CrawlUrl {
  url: string;
  status: UrlStatus;
  reason: Reason | null;
  detail: string | null;
  depth: number;
  via: string | null;
  kind: UrlKind;
  attempts: number;
  httpStatus: number | null;
  title: string | null;
  contentType: string | null;
  bytes: number | null;
  sha256: string | null;
  fetchedAt: number | null;
  /** When it last changed, as a sitemap says. */
  lastmod: number | null;
}

/** The part of a queued row that admission needs. */
export interface QueuedUrl {
  crawl: string;
  url: string;
  depth: number;
  attempts: number;
  redirects: number;
  /**
   * Steps in a row, up to it, from one variant of a pattern to the next. For an asset, the number of steps since its
   * page.
   */
  chain: number;
  kind: UrlKind;
  /** When it last changed, as a sitemap says. */
  lastmod: number | null;
  via: string | null;
}

/** A sitemap on its way into the ledger. */
export interface SitemapDiscovery {
  /** Canonical. */
  url: string;
  /** The robots.txt, index or redirect that names it. */
  via: string | null;
  /** It was guessed, so it may be missing. */
  guessed: boolean;
  /** Indexes that led to it in a row. */
  depth: number;
  redirects: number;
}

/** A crawl's sitemaps by outcome. A guessed one that does not exist is not counted. */
export interface SitemapReport {
  read: number;
  /** Still to be read, once the crawl needs more URLs. */
  open: number;
  failed: number;
  /** URLs that they list, including other sitemaps. */
  listed: number;
  /** A few that could not be read, may not be read, or were not read to the end. */
  problems: { url: string; status: UrlStatus; reason: Reason | null; detail: string | null }[];
}

/** The part of a queued sitemap that admission needs. */
export type QueuedSitemap = Omit<QueuedUrl, "chain" | "kind" | "lastmod" | "via"> & { guessed: boolean };

/** A URL found in scope, on its way into the ledger. */
export interface Discovery {
  url: string;
  via: string | null;
  depth: number;
  /** 0 to `MAX_PAGE_PRIORITY` for a page, `ASSET_PRIORITY` for an asset: the highest moves up first. */
  priority: number;
  redirects: number;
  chain: number;
  kind: UrlKind;
  /** The pattern that it shares with the page on which it was found; null where it shares none. */
  pattern: string | null;
  /** When it last changed, as a sitemap says. */
  lastmod: number | null;
}
