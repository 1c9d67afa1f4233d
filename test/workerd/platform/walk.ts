import { expect } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS, hasDepthLimit } from "../../../src/crawl/crawl-options.ts";
import { partsIn } from "./checks.ts";
import type { HookRules } from "./hook.ts";
import { MEDIA_EXTENSION } from "./media-served.ts";
import type { Platform } from "./platform.ts";
import { linksOf, type Site } from "./sites.ts";

/** A walk in breadth over a site, which a crawl must equal whatever the order of its fetches. */

interface Walk {
  site: Site;
  seeds: readonly string[];
  options: Partial<CrawlOptions>;
  hook: HookRules | null;
}

interface Row extends Record<string, SqlStorageValue> {
  url: string;
  depth: number;
  status: string;
  reason: string | null;
  httpStatus: number | null;
}

/**
 * A crawl with a depth limit has the pages of the walk and no others, each at the depth of its nearest way. How a page
 * ended says whether it leads on.
 */
export function expectNearest(platform: Platform, crawl: string, walk: Walk): void {
  if (!hasDepthLimit({ ...DEFAULT_OPTIONS, ...walk.options })) return;
  const rows = platform.database.rows<Row>(
    `SELECT url, depth, status, reason, http_status AS httpStatus FROM urls
     WHERE crawl IN (SELECT value FROM json_each(?1)) AND kind = 'page' ORDER BY url`,
    JSON.stringify(partsIn(platform, crawl)),
  );
  const depths = depthsOf(walk, new Map(rows.map((row) => [row.url, row])));
  expect(rows.map(({ url, depth }) => `${url} ${depth}`)).toEqual(
    [...depths].map(([url, depth]) => `${url} ${depth}`).toSorted(),
  );
}

/** The target of a redirect is as near as what redirects, and what a sitemap lists as what a seed links to. */
function depthsOf({ site, seeds, options, hook }: Walk, rows: ReadonlyMap<string, Row>): Map<string, number> {
  const { depth: most = 0, includeExternalLinks, source } = options;
  const hosts = new Set(seeds.map((seed) => new URL(seed).host));
  const isTaken = (url: string) =>
    !url.endsWith(MEDIA_EXTENSION) &&
    (includeExternalLinks || hosts.has(new URL(url).host)) &&
    hook?.get(url)?.refuse !== true;
  const depths = new Map<string, number>();
  let level = [...seeds];
  for (let depth = 0; depth <= most && level.length > 0; depth++) {
    const next = depth === 0 && source === "all" ? linksOf(site, "sitemap") : [];
    for (let url = level.pop(); url !== undefined; url = level.pop()) {
      if (depths.has(url)) continue;
      depths.set(url, depth);
      const row = rows.get(url);
      const links = row === undefined ? [] : linksOf(site, url).filter(isTaken);
      if (row?.reason === "redirected") level.push(...links);
      else if (row !== undefined && leadsOn(row)) next.push(...links);
    }
    level = next.filter(isTaken);
  }
  return depths;
}

/** The links of a page that must not be stored count, too. One that the hook dropped unread has none. */
function leadsOn({ status, reason, httpStatus }: Row): boolean {
  return (
    status === "completed" ||
    reason === "noindex" ||
    reason === "not-saved" ||
    (reason === "hook" && httpStatus !== null)
  );
}
