import { inTurns } from "../../core/turns.ts";
import type { SitemapDiscovery } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { ORDINARY_PRIORITY, PREFERRED_PRIORITY } from "../../crawl/page/url-kind.ts";
import { isLlmsTxt } from "../../media/sitemap/llms-links.ts";
import { mayAskHost } from "../../scope/scope.ts";
import type { PageRefusals } from "../../store/ledger/ledger-commit.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import type { Attempt } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { PageWork, SitemapWork } from "../work.ts";
import type { Gathering } from "./gathering.ts";

/**
 * Finds sitemaps at the usual places, in robots.txt, in pages, in indexes and behind redirects, and gathers what they
 * list.
 */

/**
 * Indexes in a row. By the protocol an index lists no other index (https://www.sitemaps.org/protocol.html#index); sites
 * nest them.
 */
const MAX_DEPTH = 5;
/** A page that a sitemap lists is as near as one that a seed links to. */
const PAGE_DEPTH = 1;

/** The usual path of a sitemap. It may be missing. */
function guessSitemap(origin: string): SitemapDiscovery {
  return { url: `${origin}/sitemap.xml`, via: null, guessed: true, depth: 0, redirects: 0 };
}

/** The sitemaps that the options name. */
export function namedSitemaps({ sitemaps }: Pick<CrawlOptions, "sitemaps">): SitemapDiscovery[] {
  return sitemaps.map((url) => ({ url, via: null, guessed: false, depth: 0, redirects: 0 }));
}

/** The lists of URLs that are asked for on each origin. They may be missing. */
export function guessLists(origins: Iterable<string>, { source, llmsTxt }: CrawlOptions): SitemapDiscovery[] {
  return [...origins].flatMap((origin) => [
    ...(source === "links" ? [] : [guessSitemap(origin)]),
    ...(llmsTxt ? [{ ...guessSitemap(origin), url: `${origin}/llms.txt` }] : []),
  ]);
}

/** The key under which the seen filter remembers a sitemap that a page names. No URL has a space. */
export function seenKeyOf(sitemap: string): string {
  return `sitemap ${sitemap}`;
}

/** Gathers the sitemaps and the feeds that a page names. Each page of a site may name the same ones. */
export function gatherLinkedSitemaps(
  { sitemaps, feeds }: Attempt,
  { row, context }: PageWork,
  gathering: Gathering,
): void {
  const { source, watch } = context.crawl.options;
  if (source === "links") return;
  const named = { via: row.url, guessed: false, depth: 0, redirects: 0 };
  const take = (found: SitemapDiscovery) => {
    const { url } = found;
    if (gathering.seen.isRecent(seenKeyOf(url))) return;
    if (!isNear(url, row.url, context)) gathering.refuse(row.url, "urls", "off-host", [url]);
    else if (takeSitemap(found, row.url, "urls", gathering)) gathering.linkedSitemaps.add(url);
  };
  for (const url of sitemaps) take({ ...named, url });
  // A feed has the newest entries alone, so only a watch reads it.
  if (watch !== null) for (const url of feeds) take({ ...named, url, feed: true });
}

/** Gathers what one try of a sitemap led to. */
export async function gatherSitemap(attempt: Attempt, work: SitemapWork, gathering: Gathering): Promise<void> {
  const { sitemap, redirect, outcome } = attempt;
  const { row, named, context } = work;
  const below = { via: row.url, guessed: false, redirects: 0 };
  const take = (found: SitemapDiscovery) => takeSitemap(found, row.url, "sitemaps", gathering);

  // A sitemap that robots.txt names may be on any host: https://www.sitemaps.org/protocol.html#sitemaps_cross_submits
  const origin = originOf(row.url);
  const robotsTxt = `${origin}/robots.txt`;
  // A crawl may follow links and read `llms.txt` alone.
  const readsSitemaps = context.crawl.options.source !== "links" && !isLlmsTxt(row.url);
  for (const written of readsSitemaps ? named : []) {
    const url = canonicalize(written, robotsTxt);
    if (url !== null) take({ ...below, url, via: robotsTxt, depth: 0 });
  }
  // The second usual path is asked only on a host that is known to have no sitemap so far. The first may have led on,
  // for example to the home page.
  const isFirst =
    row.url === guessSitemap(origin).url || (row.redirects > 0 && context.scope.hosts.has(hostOf(row.url)));
  if (readsSitemaps && outcome.reason === "no-sitemap" && isFirst && named.length === 0)
    take({ ...guessSitemap(origin), url: `${origin}/sitemap_index.xml` });
  for (const { url } of sitemap?.sitemaps ?? []) {
    if (row.depth >= MAX_DEPTH) gathering.refuse(row.url, "sitemaps", "sitemap-depth", [url]);
    else if (!isNear(url, row.url, context)) gathering.refuse(row.url, "sitemaps", "off-host", [url]);
    else take({ ...below, url, depth: row.depth + 1 });
  }
  if (redirect !== null) {
    const { guessed, depth } = row;
    take({ ...below, url: redirect, guessed, depth, redirects: row.redirects + 1 });
  }

  if (sitemap !== null) gathering.refuseSample(row.url, "sitemaps", "link-limit", sitemap.dropped);
  await inTurns(sitemap?.pages ?? [], ({ url, lastmod }) => {
    if (lastmod !== null) (row.reading === null ? gathering.dated : gathering.listed).push({ url, lastmod });
    if (gathering.isKnown(url, PAGE_DEPTH)) return;
    const place = { via: row.url, depth: PAGE_DEPTH, redirects: 0, chain: 0, pattern: null, lastmod, cookies: null };
    const score = context.topic === null ? {} : { found: context.topic.scoreListed(url) };
    const priority = context.isPreferred(url) ? PREFERRED_PRIORITY : ORDINARY_PRIORITY;
    gathering.decide({ ...place, url, kind: "page", priority, ...score }, "sitemaps");
  });
}

/** Whether a sitemap is on the host that names it, or on one in scope. */
function isNear(url: string, namedBy: string, { scope }: CrawlContext): boolean {
  return hostKey(url) === hostKey(namedBy) || scope.hosts.has(hostOf(url));
}

/** Accepts a sitemap unless its URL must not be asked. `page` has a row in the table `from`. */
function takeSitemap(found: SitemapDiscovery, page: string, from: PageRefusals["in"], gathering: Gathering): boolean {
  const { scope } = gathering.context;
  const isTooLong = found.url.length > MAX_URL_LENGTH;
  if (isTooLong || !mayAskHost(scope, hostOf(found.url))) {
    gathering.refuse(page, from, isTooLong ? "too-long" : "private-address", [found.url]);
    return false;
  }
  gathering.sitemaps.push(found);
  return true;
}
