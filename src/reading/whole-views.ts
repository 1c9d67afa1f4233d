import type { TreeLevel } from "../crawl/page/url-tree.ts";
import type { Crawl, SitemapReport } from "../crawl/crawl.ts";
import type { Report } from "../crawl/report/report.ts";
import { partsOf } from "../crawl/shards/shards.ts";
import type { CrawlHost } from "../crawl/watch/crawl-host.ts";
import type { Deps } from "../frontier/deps.ts";
import { homeOf, type LedgersDeps } from "../frontier/ledgers.ts";
import type { Ledger } from "../store/ledger/ledger.ts";
import { EXAMPLES_KEPT } from "../store/ledger/ledger-commit.ts";
import { mergeReports } from "../store/passes/reports.ts";
import type { Store } from "../store/store.ts";
import { slowedGroups } from "./explain/slowed-groups.ts";
import { hostStatuses, MOST_HOSTS_SHOWN } from "./explain/host-status.ts";
import type { HostDeps } from "./needs.ts";
import { partOfUrl, type WholeDeps } from "../frontier/shards/whole-crawl.ts";

/** What people see of a crawl as a whole, also of one over several ledgers. `crawl`: as `readWhole` gives it. */

/** Asks each part; in order. */
async function inParts<T, D extends LedgersDeps>(
  crawl: Crawl,
  deps: D,
  read: (part: string, deps: D) => Promise<T>,
): Promise<T[]> {
  const ids = crawl.shards === null ? [crawl.id] : partsOf(crawl.shards);
  return Promise.all(ids.map((id) => read(id, homeOf(deps, id))));
}

export async function reportOfWhole(crawl: Crawl, deps: LedgersDeps & Pick<Deps, "reports">): Promise<Report> {
  // With the times of the whole, so that all histories have the same intervals.
  const reports = await inParts(crawl, deps, (id, at) => at.reports.of({ ...crawl, id }));
  return crawl.shards === null ? (reports[0] as Report) : mergeReports(reports);
}

/** The hosts with the most queued URLs first. No host gets a request. */
export async function hostsOfWhole(crawl: Crawl, deps: WholeDeps & HostDeps): Promise<CrawlHost[]> {
  const hosts = await inParts(crawl, deps, async (id, at) => {
    const part = crawl.shards === null ? crawl : await at.ledger.crawl(id);
    return part === null ? [] : hostStatuses(part, at);
  });
  return hosts
    .flat()
    .toSorted((a, b) => b.queued - a.queued)
    .slice(0, MOST_HOSTS_SHOWN);
}

/** One level of the tree of URLs. `path`: empty for the hosts, or a URL up to and with one of its slashes. */
export async function treeOfWhole(
  crawl: Crawl,
  path: string,
  deps: WholeDeps & Pick<Deps, "records">,
): Promise<TreeLevel> {
  if (path !== "") {
    const part = await partOfUrl(crawl, path, deps);
    return part === null
      ? { path, children: [], rest: null, ranges: [] }
      : part.deps.records.treeLevel(part.crawl.id, path);
  }
  const levels = await inParts(crawl, deps, (id, at) => at.records.treeLevel(id, path));
  return levels.reduce((whole, level) => ({
    path,
    children: [...whole.children, ...level.children].toSorted((a, b) => b.urls - a.urls),
    rest: whole.rest === null || level.rest === null ? (whole.rest ?? level.rest) : addCounts(whole.rest, level.rest),
    ranges: [...whole.ranges, ...level.ranges].toSorted((a, b) => (a.first < b.first ? -1 : 1)),
  }));
}

function addCounts<T extends object>(a: T, b: T): T {
  const sum = (name: string) => Number(a[name as keyof T]) + Number(b[name as keyof T]);
  return Object.fromEntries(Object.keys(a).map((name) => [name, sum(name)])) as T;
}

type Refused = Awaited<ReturnType<Ledger["refusals"]>>[number];

interface Limits {
  refusals: Refused[];
  fullHosts: Awaited<ReturnType<Ledger["fullHosts"]>>;
  slowed: Awaited<ReturnType<typeof slowedGroups>>;
  sitemaps: SitemapReport;
}

/** What scope and limits have left out. `most`: full hosts, and problems of sitemaps. */
export async function limitsOfWhole(
  crawl: Crawl,
  most: number,
  deps: LedgersDeps & Pick<Store, "ledger" | "sitemaps" | "endlessHosts" | "withheldUrls">,
): Promise<Limits> {
  const { limitPerHost } = crawl.options;
  const parts = await inParts(crawl, deps, async (id, at) => {
    const [refusals, fullHosts, slowed, sitemaps] = await Promise.all([
      at.ledger.refusals(id),
      at.ledger.fullHosts(id, limitPerHost, most),
      slowedGroups(id, at),
      at.sitemaps.report(id, most),
    ]);
    return { refusals, fullHosts, slowed, sitemaps };
  });
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    refusals: joinRefusals(parts.flatMap(({ refusals }) => refusals)),
    fullHosts: parts.flatMap(({ fullHosts }) => fullHosts).slice(0, most),
    slowed: parts.flatMap(({ slowed }) => slowed).toSorted((a, b) => b.held - a.held),
    sitemaps: joinSitemaps(
      parts.map(({ sitemaps }) => sitemaps),
      most,
    ),
  };
}

function joinRefusals(refusals: readonly Refused[]): Refused[] {
  const byReason = Map.groupBy(refusals, ({ reason }) => reason);
  return [...byReason]
    .map(([reason, all]) => ({
      reason,
      count: all.reduce((sum, { count }) => sum + count, 0),
      examples: all.flatMap(({ examples }) => examples).slice(0, EXAMPLES_KEPT),
    }))
    .toSorted((a, b) => b.count - a.count);
}

function joinSitemaps(reports: readonly SitemapReport[], most: number): SitemapReport {
  const sum = (of: (report: SitemapReport) => number) => reports.reduce((all, report) => all + of(report), 0);
  return {
    read: sum(({ read }) => read),
    open: sum(({ open }) => open),
    failed: sum(({ failed }) => failed),
    listed: sum(({ listed }) => listed),
    problems: reports.flatMap(({ problems }) => problems).slice(0, most),
  };
}
