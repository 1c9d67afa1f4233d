import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { listVersions } from "../../reading/all-crawls.ts";
import type { VersionDeps } from "./needs.ts";

/** Finds a page that some crawl has fetched, for a scrape that need not fetch it again. */

export interface FoundPage {
  crawl: Crawl;
  record: CrawlUrl;
}

/** Versions that are looked at. */
const LOOKED_AT = 20;
const MAX_REDIRECTS = 5;

/** Milliseconds since the Unix epoch. */
export interface FetchedWithin {
  from: number;
  until: number;
}

/**
 * The newest page in that time, behind redirects of that time; null if there is none. `url`: canonical. `isUsable`:
 * whether pages of a crawl may be taken.
 */
export async function findStoredPage(
  url: string,
  within: FetchedWithin,
  needsPicture: boolean,
  isUsable: (crawl: Crawl) => boolean,
  deps: VersionDeps,
): Promise<FoundPage | null> {
  let at = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const found = await findPage(at, within, needsPicture, isUsable, deps);
    if (typeof found !== "string") return found;
    at = found;
  }
  return null;
}

/** The page, the URL to which the newest redirect leads, or null. */
async function findPage(
  url: string,
  { from, until }: FetchedWithin,
  needsPicture: boolean,
  isUsable: (crawl: Crawl) => boolean,
  deps: VersionDeps,
): Promise<FoundPage | string | null> {
  const { found: all } = await listVersions(deps, url, { crawl: null, cursor: "", limit: LOOKED_AT });
  for (const version of all.filter(({ time }) => time >= from && time <= until)) {
    const target = redirectTarget(version);
    if (target !== null) return target;
    if (version.status !== "completed" || version.bytes === null) continue;
    const { ledger, records } = homeOf(deps, version.crawl);
    const crawl = await ledger.crawl(version.crawl);
    if (crawl === null || !isForAnybody(crawl) || !isUsable(crawl) || (needsPicture && !crawl.options.screenshot))
      continue;
    const record = await records.get(crawl.id, url);
    // The row has the newest version of a watched page. A page that lacks what its scripts make is fetched anew.
    const isIt = record?.status === "completed" && record.kind === "page" && record.fetchedAt === version.time;
    if (isIt && (record.shell === null || crawl.options.render !== "never")) return { crawl, record };
  }
  return null;
}

/** A crawl with headers or cookies of its own may have seen what others may not. */
function isForAnybody({ options }: Crawl): boolean {
  return Object.keys(options.headers).length === 0 && !options.keepCookies && options.session === "";
}
