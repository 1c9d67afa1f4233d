import type { SiteKnowledge } from "../revisit/site-prior.ts";
import type { LinkScore } from "../topic/course/score-link.ts";
import type { Usage } from "./bounds/usage.ts";
import type { CrawlOptions } from "./crawl-options.ts";
import type { ImportedArchive } from "./imported-archive.ts";
import type { ModelGaps, ModelSpent } from "./page/model-spent.ts";
import type { DocumentAnswer } from "./page/outcome.ts";
import type { Reason } from "./page/reason.ts";
import type { CrawlStatus, UrlStatus } from "./page/status.ts";
import type { UrlKind } from "./page/url-kind.ts";
import type { Shards } from "./shards/shards.ts";
import type { RecordRow } from "./url-facts.ts";
import type { Removed } from "./watch/removed.ts";
import type { Visit, VisitCounts } from "./watch/watch.ts";

/** The records of the ledger that the rest of the program uses. Times are milliseconds since the Unix epoch. */

export interface Counters {
  /** Number of rows; always the sum of the others. */
  discovered: number;
  pending: number;
  queued: number;
  completed: number;
  disallowed: number;
  skipped: number;
  errored: number;
  cancelled: number;
}

/**
 * `scrape` and `map` are crawls of Firecrawl's paths that answer one request. Lists leave them out. The answers of an
 * `import` come from an archive, and nothing is fetched for it.
 */
export const PURPOSES = ["crawl", "scrape", "map", "import"] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface Crawl {
  id: string;
  purpose: Purpose;
  /** The archive that its answers come from; null for a crawl that fetches. */
  imported: ImportedArchive | null;
  status: CrawlStatus;
  /** It is paused until the rest of a list of seeds has come. */
  takesList: boolean;
  /** Its seeds came from a list, so its options have the first one alone. */
  isListed: boolean;
  epoch: number;
  options: CrawlOptions;
  /** `URL.host` values in scope. */
  hosts: string[];
  scheduleId: string | null;
  createdAt: number;
  /** The first request for one of its pages. */
  startedAt: number | null;
  updatedAt: number;
  /** Null while it is not paused. */
  pausedAt: number | null;
  /** How long it stood still before: from pauses, and from an end to a retry. */
  pausedMs: number;
  finishedAt: number | null;
  wakeAt: number;
  lastUrl: string | null;
  /** For people: what it waits for; null while it progresses. */
  waitingFor: string | null;
  /** For people: what its last failed batch could not do. Failed batches are retried. */
  lastFailure: { what: string; at: number } | null;
  counters: Counters;
  /** The number of assets among the URLs of the counters. */
  assets: Pick<Counters, "pending" | "queued" | "completed">;
  /**
   * In a dry run, the pages that would be fetched. They count towards the page limit, as completed pages do elsewhere.
   */
  dryPages: number;
  /** Completed pages that look as if scripts made what they show, and that no browser drew. */
  shells: number;
  /** Completed pages that a browser drew. */
  rendered: number;
  /** Completed pages that are relevant to the crawl's subject. */
  relevant: number;
  /** Approximate platform usage: usage of a batch after its commit counts with the next batch. */
  usage: Usage;
  /** What it had used when this month (UTC) began; nothing before the first heartbeat that saw it as a watch. */
  usageBeforeMonth: Usage;
  /** Bytes of the bodies of completed pages, decompressed. */
  bytes: number;
  /** When it began to visit its pages again; null before, and for a crawl that is no watch. */
  watchingSince: number | null;
  visits: VisitCounts;
  /** When somebody last asked for a visit of all its pages at once; null if nobody has. */
  visitsAskedAt: number | null;
  /** What the visits of all pages tell of each page. */
  knowledge: SiteKnowledge;
  /** The number of changes that were told. */
  changes: number;
  /** What it has removed, because it keeps it no longer; null for nothing. */
  removed: Removed | null;
  /** Batches that failed in a row because the installation's hook failed. */
  hookFailures: number;
  /** What it has spent on the model. */
  model: ModelSpent;
  modelGaps: ModelGaps;
  /** The end of the crawl after which its template was learned; null before. */
  templateEnd: number | null;
  /** The object that has the template; null if its pages have nothing in common. */
  template: string | null;
  /** The parts of a crawl over several ledgers, of which this is one; null for a crawl in one ledger. */
  shards: Shards | null;
}

/** A row as records are read from it. */
export interface CrawlUrl extends RecordRow {}

/** The part of a queued row that admission needs. */
export interface QueuedUrl {
  crawl: string;
  url: string;
  depth: number;
  attempts: number;
  /** See url-kind.ts. */
  priority: number;
  redirects: number;
  /**
   * Number of steps in a row from one variant of a pattern to the next. For an asset, the number of steps since its
   * page: 0 means that it is described and not stored (isDescribed in url-kind.ts).
   */
  chain: number;
  kind: UrlKind;
  /** Its last change according to a sitemap. */
  lastmod: number | null;
  via: string | null;
  /** Why its link was put where it was: a LinkScore in JSON. Null without a subject, and for a seed. */
  found: string | null;
  /** The cookies of the redirects that led to it, as a stored jar; null if there are none. */
  cookies: string | null;
  /** Why the last attempt got no answer; null if it got one, and before the first attempt. */
  unanswered: Reason | null;
  /** A page that is known is visited again; null for one that is queued. */
  visit: Visit | null;
  /** What is known of its document, which lies in R2 and waits for the reader Worker; null if there is none. */
  document: DocumentAnswer | null;
}

/** A new sitemap for the ledger. */
export interface SitemapDiscovery {
  /** Canonical. */
  url: string;
  /** The robots.txt, page, index or redirect that names it. */
  via: string | null;
  /** It was guessed, so it may be missing. */
  guessed: boolean;
  /** The number of indexes that led to it. */
  depth: number;
  redirects: number;
  /** It is a feed that a page names. */
  feed?: true;
}

/** A crawl's sitemaps by outcome. A guessed one that does not exist is not counted. */
export interface SitemapReport {
  read: number;
  /** Not read yet: the crawl reads them when it needs more URLs. */
  open: number;
  failed: number;
  /** URLs that they list, including other sitemaps. */
  listed: number;
  /** Some that could not be read, must not be read, or were not read completely. */
  problems: { url: string; status: UrlStatus; reason: Reason | null; detail: string | null }[];
}

/** What another reading of a sitemap needs of its row. */
export interface Reading {
  /** The number of settled readings after the first. */
  count: number;
  etag: string | null;
  lastModified: string | null;
}

/** The part of a queued sitemap that admission needs. */
export type QueuedSitemap = Omit<
  QueuedUrl,
  "priority" | "chain" | "kind" | "lastmod" | "via" | "found" | "cookies" | "visit" | "document"
> & {
  guessed: boolean;
  /** A sitemap of a watch is read again; null for one that is queued. */
  reading: Reading | null;
};

/** A new URL in scope for the ledger. */
export interface Discovery {
  url: string;
  via: string | null;
  depth: number;
  /** See url-kind.ts: the highest moves up first. */
  priority: number;
  redirects: number;
  chain: number;
  kind: UrlKind;
  /** The pattern that it shares with the page on which it was found; null if none. */
  pattern: string | null;
  /** What its link says about the crawl's subject; absent without a subject, and for a seed. */
  found?: LinkScore;
  /** Its last change according to a sitemap. */
  lastmod: number | null;
  /** The cookies of the redirects that led to it, as a stored jar; null if there are none. */
  cookies: string | null;
}
