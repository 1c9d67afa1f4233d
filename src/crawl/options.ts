/** What a crawl is asked to do: the order that a person gives, complete with defaults, as the ledger keeps it. */

export interface Politeness {
  /** Least rest between two requests to a host, in milliseconds. */
  minDelayMs: number;
  /** Most rest that the adaptive rule asks for; a longer Crawl-delay is still obeyed. */
  maxDelayMs: number;
  /** The host rests for this many times the duration of the last fetch. */
  delayFactor: number;
  /** Connections to one host at once. The platform opens at most six per batch. */
  maxConcurrencyPerHost: number;
}

export type Source = "all" | "links" | "sitemaps";

export interface CrawlOptions {
  /** Canonical seeds, at least one. */
  urls: string[];
  /** Most completed pages. */
  limit: number;
  /** Most links to follow from a seed; 0 is the seeds alone. */
  depth: number;
  source: Source;
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
  /** URLs in motion at once; the rest wait in the ledger. */
  maxQueued: number;
  /** Most bytes of one body, after decompression. */
  maxBodyBytes: number;
  /** Time for one fetch from request to last byte, in milliseconds. */
  timeoutMs: number;
  /** The crawl is cancelled after this many seconds; 0 is never. */
  maxDurationS: number;
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
  includeSubdomains: false,
  includeExternalLinks: false,
  includePatterns: [],
  excludePatterns: [],
  preferPatterns: [],
  politeness: DEFAULT_POLITENESS,
  headers: {},
  maxAttempts: 3,
  maxRedirects: 10,
  maxQueued: 1_000,
  maxBodyBytes: 10 * 1024 * 1024,
  timeoutMs: 30_000,
  maxDurationS: 0,
};
