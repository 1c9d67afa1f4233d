import type { Canonicalize } from "./links.ts";
import type { Sitemap } from "./sitemap.ts";

/** What has been read of a sitemap so far, within its limits. */

/** The protocol's, for sitemaps and for indexes. */
const MAX_URLS = 50_000;
/** What comes back crosses from one Worker invocation to another: 32 MiB at the most, and a character may take two bytes. */
const MAX_CHARACTERS = 14_000_000;
const MAX_WRITTEN = 4_096;
const EXAMPLES = 3;
const EXAMPLE_LENGTH = 200;

export class SitemapEntries implements Omit<Sitemap, "invalid"> {
  format: Sitemap["format"] = "urlset";
  readonly pages: Sitemap["pages"] = [];
  readonly sitemaps: Sitemap["sitemaps"] = [];
  truncated: string | null = null;
  problem: string | null = null;
  /** What relative URLs are seen from. */
  base: string;
  /** Nothing more can come: its root element is closed. */
  isComplete = false;

  readonly #canonicalize: Canonicalize;
  readonly #known = new Set<string>();
  readonly #invalid = { count: 0, examples: [] as string[] };
  #characters = 0;

  constructor(url: string, canonicalize: Canonicalize) {
    this.base = url;
    this.#canonicalize = canonicalize;
  }

  get isOver(): boolean {
    return this.isComplete || this.truncated !== null || this.problem !== null;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** `written`: null where it is known to be none. */
  add(list: "pages" | "sitemaps", written: string | null, lastmod: number | null, example = written ?? ""): void {
    if (this.truncated !== null) return;
    const url = written === null || written.length > MAX_WRITTEN ? null : this.#canonicalize(written, this.base);
    if (url === null) {
      this.#invalid.count += 1;
      if (this.#invalid.examples.length < EXAMPLES) this.#invalid.examples.push(example.slice(0, EXAMPLE_LENGTH));
      return;
    }
    if (this.#known.has(url)) return;
    this.#characters += url.length;
    if (this.#known.size >= MAX_URLS) this.truncated = `more than ${MAX_URLS.toLocaleString("en")} URLs`;
    else if (this.#characters > MAX_CHARACTERS) this.truncated = "its URLs are too long to take them all";
    else {
      this.#known.add(url);
      this[list].push({ url, lastmod });
    }
  }

  toSitemap(): Sitemap {
    const { format, pages, sitemaps, truncated, problem } = this;
    return { format, pages, sitemaps, truncated, problem, invalid: this.#invalid };
  }
}
