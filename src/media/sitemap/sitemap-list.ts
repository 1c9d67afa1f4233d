import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import type { Canonicalize, Link } from "../links/links.ts";

/** Collects the entries of a sitemap within its limits. */

export interface SitemapEntry extends Link {
  kind: "page" | "sitemap";
  lastmod: number | null;
}

export interface SitemapLimits {
  /** Distinct URLs, without those of other languages. */
  urls: number;
  /** Distinct URLs of pages in other languages that the sitemap lists nowhere else. */
  alternates: number;
  /** Size of the file, decompressed. */
  bytes: number;
  /** Sum over all URLs that are kept. */
  characters: number;
}

/**
 * The protocol itself limits 50,000 URLs and 50 MB, https://www.sitemaps.org/protocol.html#index. It counts `url`
 * elements, not the pages in other languages that each may name. The entries go from one Worker invocation to another,
 * which may carry 32 MiB (https://developers.cloudflare.com/workers/runtime-apis/rpc/#limitations), and take about 40
 * of an isolate's 128 MB.
 */
export const SITEMAP_LIMITS: SitemapLimits = {
  urls: 50_000,
  alternates: 150_000,
  bytes: 52_428_800,
  characters: 16_000_000,
};

/**
 * Longer values are no URLs; only their beginning is kept. It is twice the limit of scope, since canonicalization may
 * shorten.
 */
export const MAX_WRITTEN_LENGTH = 2 * MAX_URL_LENGTH;

const MAX_INVALID_EXAMPLES = 3;
const MAX_EXAMPLE_LENGTH = 200;
const MAX_DROPPED_EXAMPLES = 3;

export class SitemapList {
  readonly invalid: { count: number; examples: string[] } = { count: 0, examples: [] };
  /** The limit that was reached. No entry is added after that; what is read further is counted. */
  truncated: string | null = null;
  /** Whether reading ends here. */
  isEnded = false;
  /** Entries beyond the limit, each as often as it is written. */
  readonly dropped: { count: number; examples: string[] } = { count: 0, examples: [] };

  readonly #found = { page: new Map<string, SitemapEntry>(), sitemap: new Map<string, SitemapEntry>() };
  /** URLs of `#found` that are known as pages in another language alone. */
  readonly #alternates = new Set<string>();
  readonly #canonicalize: Canonicalize;
  readonly #limits: SitemapLimits;
  #characters = 0;

  constructor(canonicalize: Canonicalize, limits: SitemapLimits) {
    this.#canonicalize = canonicalize;
    this.#limits = limits;
  }

  /** Returns the entry for this URL, new or known; null if it is no http(s) URL, or beyond a limit. */
  add(kind: SitemapEntry["kind"], written: string, base: string): SitemapEntry | null {
    const url = this.#resolve(written, base, this.truncated !== null);
    if (url === null) return null;
    const known = this.#found[kind].get(url);
    if (this.truncated !== null) return this.#drop(url);
    const isListed = known !== undefined && !(kind === "page" && this.#alternates.has(url));
    if (isListed) return known;
    if (this.#listed >= this.#limits.urls) {
      this.truncated = moreThan(this.#limits.urls, "URLs");
      return known ?? this.#drop(url);
    }
    this.#alternates.delete(url);
    return known ?? this.#keep(kind, url);
  }

  /** Adds the page in another language that an entry names. Beyond its own limit it is counted, and reading goes on. */
  addAlternate(written: string, base: string): void {
    const isFull = this.truncated !== null || this.#alternates.size >= this.#limits.alternates;
    const url = this.#resolve(written, base, isFull);
    if (url === null || (this.truncated === null && this.#found.page.has(url))) return;
    if (isFull) this.#drop(url);
    else if (this.#keep("page", url) !== null) this.#alternates.add(url);
  }

  /** The number of entries that count towards the protocol's limit. */
  get #listed(): number {
    return this.#found.page.size + this.#found.sitemap.size - this.#alternates.size;
  }

  /** Returns the canonical URL. Returns null for what is no URL, and for what is dropped once there are examples. */
  #resolve(written: string, base: string, isDropped: boolean): string | null {
    const href = written.trim();
    if (isDropped && this.dropped.examples.length === MAX_DROPPED_EXAMPLES) {
      if (href !== "") this.dropped.count += 1;
      return null;
    }
    const url = href === "" || href.length > MAX_WRITTEN_LENGTH ? null : this.#canonicalize(href, base);
    if (url === null) this.reject(href);
    return url;
  }

  /** The pages and then the sitemaps, each URL once, in the order of the file. */
  links(): SitemapEntry[] {
    return [...this.#found.page.values(), ...this.#found.sitemap.values()];
  }

  /** Ends reading at a limit of the file itself. */
  endAt(limit: string): void {
    this.truncated ??= limit;
    this.isEnded = true;
  }

  /** Counts an entry that is no URL. */
  reject(written: string): void {
    this.invalid.count += 1;
    const { examples } = this.invalid;
    if (examples.length < MAX_INVALID_EXAMPLES) examples.push(written.trim().slice(0, MAX_EXAMPLE_LENGTH));
  }

  #drop(url: string): null {
    this.dropped.count += 1;
    if (this.dropped.examples.length < MAX_DROPPED_EXAMPLES) this.dropped.examples.push(url);
    return null;
  }

  #keep(kind: SitemapEntry["kind"], url: string): SitemapEntry | null {
    const { characters } = this.#limits;
    if (this.#characters + url.length > characters) {
      this.truncated = moreThan(characters, "characters of URLs");
      return this.#drop(url);
    }
    const entry: SitemapEntry = { url, kind, nofollow: false, lastmod: null };
    this.#characters += url.length;
    this.#found[kind].set(url, entry);
    return entry;
  }
}

export function moreThan(limit: number, what: string): string {
  return `more than ${limit.toLocaleString("en-US")} ${what}`;
}
