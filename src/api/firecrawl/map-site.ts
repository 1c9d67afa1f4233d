import { systemClock } from "../../core/clock.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { refusedExtensions } from "../../media/kind/kinds.ts";
import { listCrawls } from "../../reading/all-crawls.ts";
import { compileScope, decideScope } from "../../scope/scope.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { hostOf } from "../../url/host-key.ts";
import { privateHostsOf } from "../../url/private-access.ts";
import { crawlRequest, type Installation, toOptions } from "../crawls/crawl-request.ts";
import { startWith } from "../crawls/crawl-routes.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import type { ScrapeDeps } from "./needs.ts";
import { rankLinks } from "./rank-links.ts";
import { type MapRequest, scrapeRequest } from "./requests/firecrawl-requests.ts";
import { scrapePage } from "./scrape-page.ts";
import { waitForCrawl } from "./wait-for-crawl.ts";

/**
 * Lists the URLs of a site: those in its sitemaps, by a dry run that reads them and no page; those that the page links
 * to, by a scrape; and those that crawls of this installation have found there.
 */

export interface MapLink {
  url: string;
  title?: string;
  description?: string;
}

/** Crawls among which the newest of this host are looked for, and how many of these are read. */
const CRAWLS = 1_000;
const LOOKED_AT = 20;
const PAGE = 1_000;
/** With a search, so many URLs at least are ranked before the limit cuts them. */
const RANKED = 5_000;
/** Days for which a dry run is kept. It holds no pages. */
const KEPT_DAYS = 1;

export async function mapSite(request: MapRequest, installation: Installation, deps: ScrapeDeps): Promise<MapLink[]> {
  const until = systemClock.now() + request.timeout;
  const { urls } = toOptions(crawlRequest.parse({ url: request.url }), installation);
  const [root = ""] = urls;
  const isAlone = request.sitemap === "only";
  const [linked, listed] = await Promise.allSettled([
    isAlone ? [] : readLinks(root, request, installation, deps),
    request.sitemap === "skip" ? [] : readSitemaps(root, request, until, installation, deps),
  ]);
  const most = request.search === undefined ? request.limit : Math.max(request.limit, RANKED);
  const known = isAlone ? [] : await readKnown(root, most, deps);
  const found = [linked, listed].flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  // The page itself may fail where a sitemap or an earlier crawl knows others.
  const failed = [linked, listed].find((each) => each.status === "rejected");
  if (failed !== undefined && [...found, ...known].every(({ url }) => url === root)) throw failed.reason;
  const scope = scopeOf(root, request, installation);
  const inside = [...found, ...known].filter(({ url }) => decideScope(scope, url, 0).accept);
  const links = new Map([[root, { url: root }]]);
  for (const link of inside)
    addLink(links, request.ignoreQueryParameters ? { ...link, url: withoutQuery(link.url) } : link);
  return rankLinks([...links.values()].slice(0, most), request.search ?? "").slice(0, request.limit);
}

/** A later link without a title leaves the title of an earlier one. */
function addLink(links: Map<string, MapLink>, link: MapLink): void {
  links.set(link.url, { ...link, ...links.get(link.url) });
}

async function readLinks(
  url: string,
  request: MapRequest,
  installation: Installation,
  deps: ScrapeDeps,
): Promise<MapLink[]> {
  const scrape = scrapeRequest.parse({ url, formats: ["links"], timeout: request.timeout });
  const { links = [], metadata } = await scrapePage(scrape, installation, deps, "map");
  const own = { url, ...titleOf(metadata.title), ...descriptionOf(metadata.description) };
  return [own, ...links.map((link) => ({ url: link }))];
}

async function readSitemaps(
  url: string,
  { limit, includeSubdomains }: MapRequest,
  until: number,
  installation: Installation,
  deps: ScrapeDeps,
): Promise<MapLink[]> {
  const body = {
    url,
    limit,
    source: "sitemaps",
    dryRun: true,
    retentionDays: KEPT_DAYS,
    options: { includeSubdomains },
  };
  const id = await startWith(toOptions(crawlRequest.parse(body), installation), deps, "map");
  const crawl = await waitForCrawl(id, until, homeOf(deps, id));
  const found = await list(crawl.id, limit, homeOf(deps, id));
  if (crawl.finishedAt === null && found.length <= 1)
    throw new FirecrawlProblem(
      408,
      "MAP_TIMEOUT",
      "No sitemap was read in time. Send the request again, with a longer timeout.",
    );
  return found;
}

/** Up to `most` URLs in crawls that had this host among theirs, each once. */
async function readKnown(root: string, most: number, deps: ScrapeDeps): Promise<MapLink[]> {
  const host = hostOf(root);
  const crawls = (await listCrawls(deps, CRAWLS)).found.filter(
    ({ hosts, options, counters }) =>
      hosts.includes(host) && !options.dryRun && options.limit > 1 && counters.discovered > 1,
  );
  const found = new Map<string, MapLink>();
  for (const { id } of crawls.slice(0, LOOKED_AT)) {
    if (found.size >= most) break;
    for (const link of await list(id, most, homeOf(deps, id))) addLink(found, link);
  }
  return [...found.values()];
}

async function list(crawl: string, most: number, { records }: Pick<ScrapeDeps, "records">): Promise<MapLink[]> {
  const found: MapLink[] = [];
  for await (const { url, title } of records.walk(crawl, { cursor: "", limit: Math.min(PAGE, most), only: "pages" }))
    if (found.push({ url, ...titleOf(title) }) === most) break;
  return found;
}

function scopeOf(root: string, { includeSubdomains }: MapRequest, { privateAccess }: Installation) {
  const host = hostOf(root);
  const privateHosts = privateHostsOf(privateAccess, new Set([host]));
  const all = { includeExternalLinks: false, belowSeeds: [], includePatterns: [], excludePatterns: [] };
  const nonPageExtensions = refusedExtensions({ documents: [], media: false });
  return compileScope({
    allowActions: null,
    ...all,
    hosts: [host],
    includeSubdomains,
    depth: 0,
    privateHosts,
    nonPageExtensions,
  });
}

function withoutQuery(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? url : (canonicalize(url.slice(0, query)) ?? url);
}

const titleOf = (title: unknown) => (typeof title === "string" && title !== "" ? { title } : {});
const descriptionOf = (text: unknown) => (typeof text === "string" && text !== "" ? { description: text } : {});
