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
  /** What keeps it from moving, for people; null while it moves. */
  waitingFor: string | null;
  /** What its last batch that failed could not do; batches are tried again. */
  lastFailure: { what: string; at: number } | null;
  counters: Counters;
  /** How many of the counters' URLs are assets. */
  assets: Pick<Counters, "pending" | "queued" | "completed">;
  /** What it has used of the platform: about, for what a batch does after its commit counts with the next one. */
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

/** What admission needs to know of a queued row. */
export interface QueuedUrl {
  crawl: string;
  url: string;
  depth: number;
  attempts: number;
  redirects: number;
  /** Steps in a row, up to it, from one variant of a pattern to the next. For an asset, the number of steps since its page. */
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
  /** Nobody named it: it may be missing. */
  guessed: boolean;
  /** Indexes that led to it in a row. */
  depth: number;
  redirects: number;
}

/** What became of a crawl's sitemaps. One that nobody named and that is not there counts nowhere. */
export interface SitemapReport {
  read: number;
  /** Still to be read, or not to be read while the crawl knows enough URLs. */
  open: number;
  failed: number;
  /** URLs that they list, other sitemaps among them. */
  listed: number;
  /** A few of those that could not be read, or may not, or not to the end. */
  problems: { url: string; status: UrlStatus; reason: Reason | null; detail: string | null }[];
}

/** What admission needs to know of a queued sitemap. */
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
