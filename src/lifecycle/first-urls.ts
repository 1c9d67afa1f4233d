import type { Discovery } from "../crawl/crawl.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { MAX_PAGE_PRIORITY, PREFERRED_PRIORITY } from "../crawl/page/url-kind.ts";
import { guessLists, namedSitemaps } from "../frontier/commit/gather-sitemap.ts";
import { originOf } from "../url/host-key.ts";

/** What a new crawl begins with. */
export function firstUrlsOf(options: CrawlOptions) {
  return {
    hosts: [...new Set(options.urls.map((url) => new URL(url).host))],
    seeds: [...new Set([...options.like, ...options.urls])].map((url) =>
      // Examples of its subject go first.
      seedOf(url, options.like.includes(url) ? MAX_PAGE_PRIORITY : PREFERRED_PRIORITY),
    ),
    sitemaps: [...namedSitemaps(options), ...guessLists(new Set(options.urls.map(originOf)), options)],
  };
}

export function seedOf(url: string, priority: number): Discovery {
  const alone = { via: null, depth: 0, redirects: 0, chain: 0, pattern: null, lastmod: null, cookies: null };
  return { url, kind: "page", priority, ...alone };
}
