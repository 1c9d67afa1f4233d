import { type ContentUse, PURPOSES, type Purpose, type Use } from "../robots/content-signal.ts";
import type { Format } from "./page-format.ts";

/** The options of a crawl, complete with defaults, as the ledger stores them. */

export interface Politeness {
  /** Minimum delay between two requests to a host, in milliseconds. */
  minDelayMs: number;
  /** Maximum of the adaptive delay, in milliseconds; a longer Crawl-delay is still obeyed. */
  maxDelayMs: number;
  /** Delay factor: the host rests for this many times the duration of the last fetch. */
  delayFactor: number;
  /** Connections to one host at once. The platform opens at most six per batch. */
  maxConcurrencyPerHost: number;
}

/** How pages are stored. */
export const STORES = ["warc", "files"] as const;
export type Store = (typeof STORES)[number];

/** Where URLs are found. Seeds are crawled in any case. */
type Source = "all" | "links" | "sitemaps";

export interface TrapLimits {
  /** Most characters of a URL; at most 2,048. */
  maxUrlLength: number;
  /** Most path segments. */
  maxPathDepth: number;
  /** Most times that a run of path segments may stand in a row or a segment in all. */
  maxRepeatedSegments: number;
  /** Most URLs that differ in numbers, ids and query values alone. */
  maxVariants: number;
  /** Most steps in a row from one such variant to the next: what a calendar's "next" does. */
  maxChain: number;
  /** Pages of the same content whose links are followed. */
  maxDuplicates: number;
}

export const DEFAULT_TRAPS: TrapLimits = {
  maxUrlLength: 2_048,
  maxPathDepth: 20,
  maxRepeatedSegments: 2,
  maxVariants: 10_000,
  maxChain: 100,
  maxDuplicates: 2,
};

export interface CrawlOptions {
  /** Canonical seeds, at least one. */
  urls: string[];
  /** Page limit: completed pages. */
  limit: number;
  /** Maximum depth: links to follow from a seed; 0 is the seeds alone. */
  depth: number;
  source: Source;
  /** Take URLs that stand in scripts, JSON-LD and data attributes for links. */
  scriptLinks: boolean;
  /** Keep the images, styles, scripts and fonts of pages too. */
  assets: boolean;
  /** Ask for robots.txt and sitemaps alone, and record what would be fetched. */
  dryRun: boolean;
  includeSubdomains: boolean;
  includeExternalLinks: boolean;
  /** Globs over the whole URL: `*` stops at `/`, `**` crosses it. With none, all is included. */
  includePatterns: string[];
  /** Globs that win over `includePatterns`. */
  excludePatterns: string[];
  /** Globs of URLs to take first. */
  preferPatterns: string[];
  politeness: Politeness;
  userAgent: string;
  /** Sent with every request to the crawl's seed hosts, and to no other. */
  headers: Record<string, string>;
  /** Tries of one URL before it is errored. */
  maxAttempts: number;
  /** Redirects in a row. */
  maxRedirects: number;
  /** Max queued URLs. The others wait in the ledger, which costs three rows more for each, and move up best first. */
  maxQueued: number;
  /** Formats that are made of each page while it is parsed; any other is made when it is first asked for. */
  formats: Format[];
  /** Put the text of each page into the full-text index. */
  search: boolean;
  /** How pages are stored: packed into WARC files, or as an object each. */
  store: Store;
  /** What the pages are for. A site may refuse a purpose by a content signal in its robots.txt. */
  crawlPurposes: Purpose[];
  contentUse: ContentUse;
  /** Keep only pages that have changed since: seconds since the Unix epoch, as Cloudflare's; null is all. */
  modifiedSince: number | null;
  /**
   * Obey robots directives of pages: meta robots, X-Robots-Tag, rel=nofollow. robots.txt is obeyed whatever this says.
   */
  pageRobots: boolean;
  /** Limits that end traps: docs/politeness.md. */
  traps: TrapLimits;
  /** Most bytes of one body, after decompression. */
  maxBodyBytes: number;
  /** Time for one fetch from request to last byte, in milliseconds. */
  timeoutMs: number;
  /** The crawl is cancelled after this many seconds; 0 is never. */
  maxDurationS: number;
  /** The crawl is paused when it has cost about so many US dollars; 0 is never. */
  maxCostUsd: number;
  /** The crawl is deleted, with all that it stored, this many days after its end; 0 is never. */
  retentionDays: number;
}

/** Options that may hold somebody's password. They are shown to nobody and logged nowhere. */
const SECRETS = ["headers"] as const satisfies (keyof CrawlOptions)[];

type PublicOptions = Omit<CrawlOptions, (typeof SECRETS)[number]>;

export function withoutSecrets(options: CrawlOptions): PublicOptions {
  const shown: Partial<CrawlOptions> = { ...options };
  for (const name of SECRETS) delete shown[name];
  return shown as PublicOptions;
}

/** The uses that a site may refuse. */
export function usesOf({ crawlPurposes, contentUse }: CrawlOptions): Use[] {
  return [...crawlPurposes, `use=${contentUse}`];
}

/**
 * Options as they were stored; those that an earlier version did not know take their defaults. Throws on what is no
 * JSON.
 */
export function readOptions(json: string): CrawlOptions {
  const stored = JSON.parse(json) as CrawlOptions;
  return { ...DEFAULT_OPTIONS, ...stored, traps: { ...DEFAULT_TRAPS, ...stored.traps } };
}

export const DEFAULT_POLITENESS: Politeness = {
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  delayFactor: 5,
  maxConcurrencyPerHost: 1,
};

/** Everything but the seeds and the user agent, which the installation names. `limit` is Cloudflare's default. */
export const DEFAULT_OPTIONS: Omit<CrawlOptions, "urls" | "userAgent"> = {
  limit: 10,
  depth: 100_000,
  source: "all",
  scriptLinks: false,
  assets: false,
  dryRun: false,
  includeSubdomains: false,
  includeExternalLinks: false,
  includePatterns: [],
  excludePatterns: [],
  preferPatterns: [],
  politeness: DEFAULT_POLITENESS,
  headers: {},
  maxAttempts: 3,
  maxRedirects: 10,
  maxQueued: 100_000,
  formats: [],
  search: false,
  /** The store of crawls from before there were packs; the installation names that of new crawls. */
  store: "files",
  crawlPurposes: [...PURPOSES],
  contentUse: "full",
  modifiedSince: null,
  pageRobots: true,
  traps: DEFAULT_TRAPS,
  maxBodyBytes: 10 * 1024 * 1024,
  timeoutMs: 30_000,
  maxDurationS: 0,
  maxCostUsd: 0,
  retentionDays: 0,
};
