import type { SitemapDiscovery } from "../crawl/crawl.ts";
import { canonicalize, MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { hostKey, hostOf, originOf } from "../url/host-key.ts";
import { isPublicHost } from "../url/public-address.ts";
import type { Attempt } from "./attempt.ts";
import type { Gathering } from "./gathering.ts";
import type { SitemapWork } from "./work.ts";

/** Finds sitemaps at the usual place, in robots.txt, in indexes and behind redirects, and gathers what they list. */

/**
 * Indexes in a row. By the protocol an index lists no other index (https://www.sitemaps.org/protocol.html#index); sites
 * nest them.
 */
const MAX_DEPTH = 5;
/** A page that a sitemap lists is as near as one that a seed links to. */
const PAGE_DEPTH = 1;

/** The usual path of a sitemap. It may be missing. */
export function guessSitemap(origin: string): SitemapDiscovery {
  return { url: `${origin}/sitemap.xml`, via: null, guessed: true, depth: 0, redirects: 0 };
}

/** Gathers what one try of a sitemap led to. */
export function gatherSitemap({ sitemap, redirect }: Attempt, work: SitemapWork, gathering: Gathering): void {
  const { row, named, context } = work;
  const { seen, sitemaps } = gathering;
  const below = { via: row.url, guessed: false, redirects: 0 };
  const take = (found: SitemapDiscovery) => {
    if (found.url.length > MAX_URL_LENGTH) gathering.refuse(row.url, "sitemaps", "too-long", [found.url]);
    else if (context.scope.allowPrivate || isPublicHost(hostKey(found.url))) sitemaps.push(found);
    else gathering.refuse(row.url, "sitemaps", "private-address", [found.url]);
  };

  // A sitemap that robots.txt names may be on any host: https://www.sitemaps.org/protocol.html#sitemaps_cross_submits
  const robotsTxt = `${originOf(row.url)}/robots.txt`;
  for (const written of named) {
    const url = canonicalize(written);
    if (url !== null) take({ ...below, url, via: robotsTxt, depth: 0 });
  }
  for (const { url } of sitemap?.sitemaps ?? []) {
    const isNear = hostKey(url) === hostKey(row.url) || context.scope.hosts.has(hostOf(url));
    if (row.depth >= MAX_DEPTH) gathering.refuse(row.url, "sitemaps", "sitemap-depth", [url]);
    else if (!isNear) gathering.refuse(row.url, "sitemaps", "off-host", [url]);
    else take({ ...below, url, depth: row.depth + 1 });
  }
  if (redirect !== null) {
    const { guessed, depth } = row;
    take({ ...below, url: redirect, guessed, depth, redirects: row.redirects + 1 });
  }

  if (sitemap !== null) gathering.refuseSample(row.url, "sitemaps", "link-limit", sitemap.dropped);
  for (const { url, lastmod } of sitemap?.pages ?? []) {
    if (lastmod !== null) gathering.dated.push({ url, lastmod });
    if (seen.isRecent(url)) continue;
    const priority = context.priorityOf(url);
    const found = { via: row.url, depth: PAGE_DEPTH, redirects: 0, chain: 0, pattern: null, lastmod };
    gathering.decide({ ...found, url, kind: "page", priority }, "sitemaps");
  }
}
