import { bytes } from "../../core/shown-values.ts";
import { type Finding, makeFinding } from "./finding.ts";
import { describeStatus, NO_CLICKS, type SiteFacts, stateOf, UrlState } from "./site-facts.ts";

/** The facts of a URL's row. */
export interface RowFacts {
  url: string;
  isSeed: boolean;
  isInSitemap: boolean;
  /** It said that it does not exist, and had no error status. */
  isSoft404: boolean;
  durationMs: number | null;
  bytes: number | null;
  /** Words of the main text; null if they were not counted. */
  words: number | null;
  /** Why the row has no page, for people; null if it has one. */
  detail: string | null;
  isNoindex: boolean;
  isRobots: boolean;
  /** Why it looks as if scripts made what it shows; null if it does not, or if a browser drew it. */
  shell: string | null;
}

/** A page beyond a limit is a finding. */
export interface PageLimits {
  clicks: number;
  durationMs: number;
  bytes: number;
  /** Half of the pages have no more; 0 where that is not known. */
  medianMs: number;
  medianBytes: number;
  /** Fewer words make a page thin. */
  words: number;
}

/** Choices, near those of the usual site audits. */
export const PAGE_LIMITS: PageLimits = {
  clicks: 4,
  durationMs: 3_000,
  bytes: 2_000_000,
  medianMs: 0,
  medianBytes: 0,
  words: 200,
};

/** A page may be slow or heavy beside the others of its site, long before the limits that hold everywhere. */
const NEVER_SLOW_MS = 1_000;
const NEVER_LARGE = 500_000;
const OUTLIER = 4;
/** So many pages say what is usual. */
const MIN_PAGES = 20;

/** The limits of a site: beyond its 95th percentile and four times its median. Both lists are sorted in place. */
export function limitsOf(durations: Uint32Array, sizes: Uint32Array): PageLimits {
  const ofList = (list: Uint32Array, least: number, most: number) => {
    if (list.length < MIN_PAGES) return { median: 0, limit: most };
    list.sort();
    const [median, high] = [0.5, 0.95].map((share) => list[Math.floor((list.length - 1) * share)] as number) as [
      number,
      number,
    ];
    return { median, limit: Math.min(most, Math.max(least, high, OUTLIER * median)) };
  };
  const time = ofList(durations, NEVER_SLOW_MS, PAGE_LIMITS.durationMs);
  const size = ofList(sizes, NEVER_LARGE, PAGE_LIMITS.bytes);
  const medians = { medianMs: time.median, medianBytes: size.median };
  return { ...PAGE_LIMITS, durationMs: time.limit, bytes: size.limit, ...medians };
}

/** What is wrong with one URL by its row. */
export function* findPageProblems(
  node: number,
  row: RowFacts,
  site: SiteFacts,
  limits: PageLimits,
): Generator<Finding, void> {
  const page = row.url;
  if (row.isSoft404) yield makeFinding("soft-404", { page });
  const because = row.detail === null ? {} : { detail: row.detail };
  if (row.isNoindex) yield makeFinding("noindex-page", { page, ...because });
  if (row.isRobots) yield makeFinding("robots-page", { page, ...because });
  if (site.listed?.[node] === 1) yield* findListedProblem(node, row, site);
  if (stateOf(node, site) !== UrlState.page) return;
  const clicks = site.clicks[node] as number;
  if (row.isInSitemap && !row.isSeed && site.inLinks[node] === 0) yield makeFinding("orphan-page", { page });
  else if (clicks === NO_CLICKS && site.areClicksCounted && !row.isSeed && (site.inLinks[node] as number) > 0)
    yield makeFinding("unreachable-page", { page });
  if (clicks > limits.clicks && clicks !== NO_CLICKS)
    yield makeFinding("deep-page", { page, detail: `${clicks} clicks` });
  if (row.shell !== null) yield makeFinding("scripts-needed", { page, detail: row.shell });
  else if (row.words !== null && row.words < limits.words)
    yield makeFinding("thin-page", { page, detail: `${row.words} words` });
  if (row.durationMs !== null && row.durationMs > limits.durationMs)
    yield makeFinding("slow-page", { page, detail: beside(seconds(row.durationMs), limits.medianMs, seconds) });
  if (row.bytes !== null && row.bytes > limits.bytes)
    yield makeFinding("large-page", { page, detail: beside(bytes(row.bytes), limits.medianBytes, bytes) });
}

/** What a sitemap should not list. */
function* findListedProblem(node: number, row: RowFacts, site: SiteFacts): Generator<Finding, void> {
  const state = stateOf(node, site);
  const facts = { page: row.url };
  if (state === UrlState.broken)
    yield makeFinding("sitemap-broken", { ...facts, detail: describeStatus(site.httpStatuses[node] as number) });
  else if (state === UrlState.redirect)
    yield makeFinding("sitemap-redirect", { ...facts, target: site.redirects.get(node) ?? row.url });
  else if (row.isNoindex || row.isRobots)
    yield makeFinding("sitemap-noindex", { ...facts, detail: row.isRobots ? "robots.txt" : "noindex" });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function beside(value: string, median: number, tell: (value: number) => string): string {
  return median === 0 ? value : `${value}; half of the pages have at most ${tell(median)}`;
}
