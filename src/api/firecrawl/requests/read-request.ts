import type { CrawlOptions } from "../../../crawl/crawl-options.ts";
import type { FirecrawlStyle } from "../../../crawl/watch/notice.ts";
import { crawlRequest, type Installation, toOptions } from "../../crawls/crawl-request.ts";
import { RequestProblem } from "../../requests/request-problem.ts";
import { toFirecrawlWebhook, toMonitorWebhook } from "../firecrawl-webhook.ts";
import { type ExtractRequest, MAX_FOUND_PAGES } from "./extract-request.ts";
import type { MonitorRequest, MonitorTarget } from "./monitor-request.ts";
import type { BatchRequest, CrawlRequestV2, ScrapeRequest } from "./firecrawl-requests.ts";
import { contentBodyOf, crawlBodyOf } from "./scrape-options.ts";

/** Turns Firecrawl's requests into the options of crawls. All throw RequestProblem for a URL that cannot be fetched. */

const SOURCES = { include: "all", skip: "links", only: "sitemaps" } as const;

export function optionsOfCrawl(request: CrawlRequestV2, installation: Installation): CrawlOptions {
  return optionsOf(bodyOfCrawl(request), request.webhook, "crawl", installation);
}

function bodyOfCrawl(request: CrawlRequestV2) {
  const { url, limit, includePaths, excludePaths, regexOnFullURL, maxDiscoveryDepth, delay, scrapeOptions } = request;
  const prefix = regexOnFullURL ? "regex-url:" : "regex:";
  const toPatterns = (expressions: string[] | null) => (expressions ?? []).map((each) => prefix + each);
  return {
    ...crawlBodyOf(scrapeOptions),
    ...contentBodyOf(scrapeOptions),
    ...timeoutOf(scrapeOptions.timeout),
    url,
    limit,
    depth: maxDiscoveryDepth ?? undefined,
    source: SOURCES[request.sitemap],
    keepDuplicates: !request.deduplicateSimilarURLs,
    options: {
      includeSubdomains: request.allowSubdomains,
      includeExternalLinks: request.allowExternalLinks,
      belowSeeds: !request.crawlEntireDomain,
      includePatterns: toPatterns(includePaths),
      excludePatterns: toPatterns(excludePaths),
    },
    ...(delay == null ? {} : { politeness: { minDelayMs: Math.round(delay * 1_000) } }),
  };
}

/** Each page is visited at each check, so all alike. */
export function optionsOfMonitor(request: MonitorRequest, installation: Installation): CrawlOptions {
  const { name, schedule: everyS, targets, retentionDays: keepDays, webhook } = request;
  const watch = { everyS, fixed: true, ...(keepDays === undefined ? {} : { keepDays }) };
  const body = { ...bodyOfTarget(targets[0] as MonitorTarget), name, watch };
  const options = toOptions(crawlRequest.parse(body), installation);
  return webhook == null ? options : { ...options, webhook: toMonitorWebhook(webhook, installation) };
}

function bodyOfTarget(target: MonitorTarget) {
  if (target.type === "crawl") {
    const { url, crawlOptions, scrapeOptions } = target;
    return bodyOfCrawl({ ...crawlOptions, url, scrapeOptions, webhook: null });
  }
  const { urls, scrapeOptions } = target;
  const own = { ...contentBodyOf(scrapeOptions), urls, limit: urls.length };
  return { ...crawlBodyOf(scrapeOptions), ...timeoutOf(scrapeOptions.timeout), ...own, ...ALONE };
}

/** To find a page by its URL, all crawls are looked at, so scrapes do not stay for ever. */
const SCRAPE_KEPT_DAYS = 30;

/** The pages alone, without what they link to. */
export function optionsOfBatch(
  request: BatchRequest,
  installation: Installation,
): { options: CrawlOptions; invalid: string[] } {
  const { urls, ignoreInvalidURLs, timeout, webhook } = request;
  const invalid = ignoreInvalidURLs ? urls.filter((url) => !isFetchable(url, installation)) : [];
  const seeds = urls.filter((url) => !invalid.includes(url));
  if (seeds.length === 0) throw new RequestProblem("invalid-url", "None of the URLs can be fetched.", "urls");
  const own = { ...timeoutOf(timeout), ...contentBodyOf(request), urls: seeds, limit: seeds.length };
  const body = { ...crawlBodyOf(request), ...own, ...ALONE };
  return { options: optionsOf(body, webhook, "batch_scrape", installation), invalid };
}

export function optionsOfScrape(request: ScrapeRequest, installation: Installation): CrawlOptions {
  const body = { ...crawlBodyOf(request), url: request.url, limit: 1, retentionDays: SCRAPE_KEPT_DAYS, ...ALONE };
  // The request asks the model itself, so no pass does. What the crawl declares stays.
  return { ...optionsOf(body, null, "crawl", installation), extract: null };
}

/** The pages that are named, and those below the URLs with an asterisk. */
export function optionsOfExtract(request: ExtractRequest, installation: Installation): CrawlOptions {
  const { schema, prompt, systemPrompt, evidence, scrapeOptions, ignoreInvalidURLs } = request;
  const given = request.urls.map((written) => ({ written, url: written.replace(/\*$/, "") }));
  const usable = given.filter(({ url }) => !ignoreInvalidURLs || isFetchable(url, installation));
  if (usable.length === 0) throw new RequestProblem("invalid-url", "None of the URLs can be fetched.", "urls");
  const urls = usable.map(({ url }) => url);
  const below = usable.filter(({ written, url }) => written !== url);
  const words = [prompt, systemPrompt].filter((each) => each != null && each.trim() !== "").join("\n");
  const body = {
    ...crawlBodyOf({
      ...scrapeOptions,
      formats: { ...scrapeOptions.formats, formats: ["markdown"], extraction: null },
    }),
    ...timeoutOf(scrapeOptions.timeout),
    urls,
    extract: { schema, prompt: words === "" ? null : words, evidence },
    ...(below.length === 0 ? { limit: urls.length, ...ALONE } : belowSeeds(urls.length, request)),
  };
  return optionsOf(body, null, "crawl", installation);
}

function belowSeeds(seeds: number, { includeSubdomains, ignoreSitemap }: ExtractRequest) {
  return {
    limit: Math.max(seeds, MAX_FOUND_PAGES),
    source: ignoreSitemap ? SOURCES.skip : SOURCES.include,
    options: { belowSeeds: true, includeSubdomains },
  };
}

const ALONE = { depth: 0, source: "links" };

function optionsOf(
  body: Record<string, unknown>,
  webhook: CrawlRequestV2["webhook"],
  job: FirecrawlStyle["job"],
  installation: Installation,
): CrawlOptions {
  const options = toOptions(crawlRequest.parse(body), installation);
  return webhook == null ? options : { ...options, webhook: toFirecrawlWebhook(webhook, job, installation) };
}

function timeoutOf(timeout: number | undefined) {
  return timeout === undefined ? {} : { timeoutMs: timeout };
}

function isFetchable(url: string, installation: Installation): boolean {
  try {
    toOptions(crawlRequest.parse({ url }), installation);
    return true;
  } catch (error) {
    if (error instanceof RequestProblem) return false;
    throw error;
  }
}
