import type { Discovery } from "../crawl/crawl.ts";
import type { UrlStatus } from "../crawl/status.ts";
import { isAudited, reduceUrl } from "../scope/same-page-rules.ts";
import { variantPattern } from "../scope/traps.ts";
import { hostOf } from "../url/host-key.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { decideLink, type Gathering } from "./gathering.ts";

/** Refuses found URLs that differ from another one only in parts that never change the page. */

interface Duplicate {
  discovery: Discovery;
  reduced: string;
  /** Other URLs that rules reduce to the same form. */
  twins: readonly string[];
}

/**
 * A URL is refused if its reduced form is stored or on its way, or takes its place, or if the page is stored by another
 * such URL. If the crawl does not know the reduced form, the first such URL is kept behind it: it is skipped once the
 * reduced form is stored, and fetched if that fails. The rules are those of the hosts of `attempts`, whose pages hold
 * most of the links; URLs of other hosts are skipped in their lanes.
 */
export async function refuseSamePages(attempts: readonly Attempt[], gathering: Gathering, deps: Deps): Promise<void> {
  const { found, context } = gathering;
  const { id, options } = context.crawl;
  if (options.keepDuplicates || options.dryRun || found.size === 0) return;
  const hosts = [...new Set(attempts.map(({ work }) => hostOf(work.row.url)))];
  const known = await deps.samePages.read(id, hosts);
  if (known.size === 0) return;
  const duplicates = [...found.values()].flatMap((discovery): Duplicate[] => {
    const host = known.get(hostOf(discovery.url));
    if (host === undefined || !mayBeRefused(discovery)) return [];
    const found = reduceUrl(host, discovery.url);
    if (found === null) return [];
    const { reduced } = found;
    const twins = deps.samePagePartners.twinsOf(id, found).filter((twin) => reduceUrl(host, twin)?.reduced === reduced);
    return [{ discovery, reduced, twins }];
  });
  if (duplicates.length === 0) return;
  const statuses = new Map<string, UrlStatus>();
  const asked = [...new Set(duplicates.flatMap(({ reduced, twins }) => [reduced, ...twins]))];
  for (const { url, status } of await deps.records.among(id, asked)) statuses.set(url, status);
  for (const { outcome } of attempts) statuses.set(outcome.url, outcome.status);
  const sitemaps = new Set(attempts.flatMap(({ work }) => (work.kind === "sitemap" ? [work.row.url] : [])));
  for (const { discovery, reduced, twins } of duplicates) {
    const { url, via } = discovery;
    const status = statuses.get(reduced);
    const hasTwin = twins.some((twin) => twin !== url && statuses.get(twin) === "completed");
    if (!hasTwin && status !== undefined && !isGood(status)) continue;
    if (!hasTwin && status === undefined && !found.has(reduced)) {
      // The first URL stays behind its reduced form, or alone if scope refuses that.
      if (replace(discovery, reduced, gathering)) moveToEnd(found, url);
      continue;
    }
    found.delete(url);
    gathering.refuse(via ?? "", sitemaps.has(via ?? "") ? "sitemaps" : "urls", "same-page", [url]);
  }
}

/** Assets are not compared, and the target of a redirect has what its source does not have. */
function mayBeRefused({ url, kind, redirects, via }: Discovery): boolean {
  return kind === "page" && redirects === 0 && via !== null && !isAudited(url);
}

/** Whether the page is stored, or may be yet. */
function isGood(status: UrlStatus): boolean {
  return status === "completed" || status === "queued" || status === "pending";
}

/** Finds the reduced form instead. False if scope refuses it. */
function replace(discovery: Discovery, reduced: string, gathering: Gathering): boolean {
  const pattern =
    discovery.pattern !== null && variantPattern(reduced) === discovery.pattern ? discovery.pattern : null;
  const found = { ...discovery, url: reduced, pattern, chain: pattern === null ? 0 : discovery.chain, lastmod: null };
  if (!decideLink(gathering.context, found).accept) return false;
  gathering.add(found);
  return true;
}

function moveToEnd(found: Map<string, Discovery>, url: string): void {
  const discovery = found.get(url);
  if (discovery === undefined) return;
  found.delete(url);
  found.set(url, discovery);
}
