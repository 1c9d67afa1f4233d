import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import type { Canonicalize } from "../html/links.ts";

/** What has been found in a sitemap so far, within its limits. */

export interface SitemapEntry {
  /** Canonical. */
  url: string;
  /** Milliseconds since the epoch. */
  lastmod: number | null;
}

export interface SitemapLimits {
  /** Distinct URLs. */
  urls: number;
  /** Of the file, decompressed. */
  bytes: number;
  /** Of all URLs that are kept. */
  characters: number;
}

/**
 * 50,000 URLs and 50 MB are the protocol's own, https://www.sitemaps.org/protocol.html#index. What is found goes from one Worker invocation
 * to another, which takes 32 MiB: https://developers.cloudflare.com/workers/runtime-apis/rpc/#limitations
 */
export const SITEMAP_LIMITS: SitemapLimits = { urls: 50_000, bytes: 52_428_800, characters: 16_000_000 };

/** Longer values are no URLs, and only their beginning is kept. Twice what scope takes, since canonicalization may shorten. */
export const MAX_WRITTEN_LENGTH = 2 * MAX_URL_LENGTH;

const MAX_INVALID_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 200;

export class SitemapList {
  readonly invalid: { count: number; examples: string[] } = { count: 0, examples: [] };
  /** Which limit was met. Nothing is taken any more then. */
  truncated: string | null = null;

  readonly #found = { pages: new Map<string, SitemapEntry>(), sitemaps: new Map<string, SitemapEntry>() };
  readonly #canonicalize: Canonicalize;
  readonly #limits: SitemapLimits;
  #characters = 0;

  constructor(canonicalize: Canonicalize, limits: SitemapLimits) {
    this.#canonicalize = canonicalize;
    this.#limits = limits;
  }

  /** The entry for what is written there, an earlier one if its URL is known; null if it is no http(s) URL, or one too many. */
  add(kind: "pages" | "sitemaps", written: string, base: string): SitemapEntry | null {
    if (this.truncated !== null) return null;
    const href = written.trim();
    const url = href === "" || href.length > MAX_WRITTEN_LENGTH ? null : this.#canonicalize(href, base);
    if (url === null) {
      this.reject(href);
      return null;
    }
    const known = this.#found[kind].get(url);
    return known ?? this.#keep(kind, url);
  }

  pages(): SitemapEntry[] {
    return [...this.#found.pages.values()];
  }

  sitemaps(): SitemapEntry[] {
    return [...this.#found.sitemaps.values()];
  }

  /** Counts what stands in the place of a URL and is none. */
  reject(written: string): void {
    this.invalid.count += 1;
    const { examples } = this.invalid;
    if (examples.length < MAX_INVALID_EXAMPLES) examples.push(written.trim().slice(0, MAX_EXAMPLE_LENGTH));
  }

  #keep(kind: "pages" | "sitemaps", url: string): SitemapEntry | null {
    const { urls, characters } = this.#limits;
    if (this.#found.pages.size + this.#found.sitemaps.size >= urls) {
      this.truncated = moreThan(urls, "URLs");
      return null;
    }
    if (this.#characters + url.length > characters) {
      this.truncated = moreThan(characters, "characters of URLs");
      return null;
    }
    const entry: SitemapEntry = { url, lastmod: null };
    this.#characters += url.length;
    this.#found[kind].set(url, entry);
    return entry;
  }
}

export function moreThan(limit: number, what: string): string {
  return `more than ${limit.toLocaleString("en-US")} ${what}`;
}
