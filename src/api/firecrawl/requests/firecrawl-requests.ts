import * as z from "zod";
import { OPTIONS } from "../../../crawl/options/option-table.ts";
import { patternProblem } from "../../../scope/url-pattern.ts";
import { MAX_CRAWL_SEEDS } from "../../crawls/option-formats.ts";
import { choice, flag, integer, queryInteger, requestOf } from "../../requests/fields.ts";
import { hint, hints, refused, zeroDataRetention } from "../firecrawl-fields.ts";
import { type FirecrawlWebhook, firecrawlWebhook } from "../firecrawl-webhook.ts";
import { isMainContent, lookUpOptions, noLookUp, ofManyPages, scrapeOptions } from "./scrape-options.ts";

/** The requests of Firecrawl's version 2: https://docs.firecrawl.dev/api-reference/v2-introduction */

/** Limits and defaults of theirs. */
const CRAWL_LIMIT = 10_000;
const MAP_LIMIT = { most: 100_000, usual: 5_000 };
const SEARCH_LIMIT = { most: 100, usual: 10 };
const { limit, timeoutMs, depth, "politeness.minDelayMs": minDelay } = OPTIONS;

const url = z.string().trim().min(1).describe("An http or https URL.");

/** A notice has what was stored with the fetch. */
const MAIN_IN_NOTICES = {
  path: ["webhook"],
  message:
    "a notice of a page has its main content: leave out onlyMainContent, includeTags and excludeTags, or give `events` without `page` and ask for the job",
};

function tellsPages(webhook: FirecrawlWebhook | null | undefined): boolean {
  return webhook?.events.includes("page") ?? false;
}

export const scrapeRequest = requestOf({
  url,
  ...scrapeOptions,
  ...lookUpOptions,
  alexandria: refused("there is no catalogue of tools"),
});
export type ScrapeRequest = z.output<typeof scrapeRequest>;

/** Firecrawl's expressions are searched for in the path, or in the whole URL. */
const expressions = z
  .array(z.string().min(1))
  .max(100)
  .superRefine((given, context) => {
    for (const [i, each] of given.entries()) {
      const problem = patternProblem(`regex:${each}`);
      if (problem !== null)
        context.addIssue({ code: "custom", path: [i], message: `${JSON.stringify(each)} ${problem}` });
    }
  })
  .nullable()
  .default([]);

const seconds = z
  .number()
  .min(0)
  .max(minDelay.max / 1_000)
  .nullable()
  .optional();
const ignoreQueryParameters = (why: string) => refused(why, false);

export const crawlRequestV2 = requestOf({
  url,
  limit: z
    .int()
    .min(limit.min)
    .max(limit.max)
    .nullable()
    .default(CRAWL_LIMIT)
    .transform((limit) => limit ?? CRAWL_LIMIT)
    .describe("Page limit."),
  includePaths: expressions.describe(
    "Regular expressions of RE2. Crawl only URLs in whose path one of them is found. The seed is always crawled.",
  ),
  excludePaths: expressions.describe("Skip URLs in whose path one of these is found. They override `includePaths`."),
  regexOnFullURL: flag(false).describe("Search in the whole URL instead of its path."),
  maxDiscoveryDepth: z
    .int()
    .min(depth.min)
    .max(depth.max)
    .nullable()
    .optional()
    .describe("Number of links to follow from the seed."),
  crawlEntireDomain: flag(false).describe("Also crawl URLs that are not below the path of the seed."),
  allowExternalLinks: flag(false).describe("Also crawl all other hosts."),
  allowSubdomains: flag(false).describe("Also crawl the subdomains of the seed's host."),
  sitemap: choice(["include", "skip", "only"], "include").describe(
    "Find URLs in links and sitemaps, in links, or in sitemaps.",
  ),
  deduplicateSimilarURLs: flag(true).describe(
    "Skip URLs that differ from another one only in parts that never change the page on their host.",
  ),
  delay: seconds.describe("Minimum number of seconds between two requests to a host. The default is 1."),
  scrapeOptions: requestOf(ofManyPages).prefault({}).describe("How each page is scraped."),
  webhook: firecrawlWebhook.nullable().optional().describe("Who is told of the crawl's events, and of which."),
  ignoreQueryParameters: ignoreQueryParameters(
    "parameters that change no page are found by themselves; for more, give excludePaths with regexOnFullURL",
  ),
  prompt: refused("options are not made of a prompt: give the options themselves"),
  ignoreRobotsTxt: refused("robots.txt is always obeyed", false),
  robotsUserAgent: refused("start a crawl with userAgent by POST /api/crawls"),
  maxConcurrency: hint(z.int().min(1), "the pace of each host bounds the requests to it"),
  zeroDataRetention,
  ...hints,
}).refine(({ scrapeOptions, webhook }) => isMainContent(scrapeOptions) || !tellsPages(webhook), MAIN_IN_NOTICES);
export type CrawlRequestV2 = z.output<typeof crawlRequestV2>;

export const batchRequest = requestOf({
  urls: z
    .array(z.string().trim().min(1))
    .min(1)
    .max(MAX_CRAWL_SEEDS, `a batch has at most ${MAX_CRAWL_SEEDS} URLs: start several`)
    .describe("The pages: http or https URLs."),
  ignoreInvalidURLs: flag(true).describe(
    "Leave out what is no URL that can be fetched, and list it in `invalidURLs`. `false`: refuse the batch.",
  ),
  ...ofManyPages,
  webhook: firecrawlWebhook.nullable().optional().describe("Who is told of the batch's events, and of which."),
  appendToId: refused("a batch that has started takes no further URLs: start another one"),
  maxConcurrency: hint(z.int().min(1), "the pace of each host bounds the requests to it"),
}).refine((request) => isMainContent(request) || !tellsPages(request.webhook), MAIN_IN_NOTICES);
export type BatchRequest = z.output<typeof batchRequest>;

export const mapRequest = requestOf({
  url,
  search: z
    .string()
    .max(1_000)
    .optional()
    .describe("Words. URLs that have more of them, in themselves or in their titles, come first."),
  sitemap: choice(["include", "skip", "only"], "include").describe("Read sitemaps too, or not at all, or alone."),
  includeSubdomains: flag(true).describe("Include URLs of the host's subdomains."),
  ignoreQueryParameters: flag(true).describe("Leave out the queries of URLs."),
  limit: integer(1, MAP_LIMIT.most, MAP_LIMIT.usual).describe("Maximum number of URLs."),
  timeout: z
    .int()
    .min(timeoutMs.min)
    .max(timeoutMs.max)
    .default(60_000)
    .describe("Milliseconds. What has been found until then is the answer."),
  location: refused("requests leave from where this installation runs", {}),
  threatProtection: refused("no service judges URLs here"),
  auditMetadata: refused("there is no audit log"),
  useIndex: hint(z.boolean(), "what crawls here know is always used"),
  ...hints,
});
export type MapRequest = z.output<typeof mapRequest>;

const source = z.union([
  z.string().max(100),
  z.looseObject({ type: z.string().max(100).describe("The name of the source.") }).transform(({ type }) => type),
]);
const domains = z
  .array(
    z
      .string()
      .min(1)
      .max(253)
      .transform((name) => name.toLowerCase()),
  )
  .max(100)
  .default([]);

const formatsOfHits = scrapeOptions.formats
  .refine(({ extraction }) => extraction === null, { message: "no model is asked about hits; scrape them" })
  .describe("As of a crawl; `json` with `rules` alone.");

export const searchRequest = requestOf({
  query: z
    .string("say what to look for")
    .trim()
    .min(1, "say what to look for")
    .max(1_000)
    .describe("The words of `GET /api/search`."),
  limit: integer(1, SEARCH_LIMIT.most, SEARCH_LIMIT.usual).describe("Maximum number of hits."),
  includeDomains: domains.describe("Only pages of these hosts and their subdomains."),
  excludeDomains: domains.describe("No pages of these hosts and their subdomains."),
  sources: z
    .array(source)
    .default(["web"])
    .refine((list) => list.length === 0 || list.includes("web"), { message: "there are only pages here: give web" })
    .describe("Must have `web`. Others are accepted without effect."),
  scrapeOptions: requestOf({ ...scrapeOptions, ...noLookUp, formats: formatsOfHits })
    .optional()
    .describe("Add the stored pages in these formats to the hits."),
  categories: refused("pages here have no such categories"),
  tbs: refused("hits are not filtered by time"),
  location: refused("pages here have no place"),
  country: refused("pages here have no place"),
  enterprise: refused("there are no such plans here", ["default"]),
  threatProtection: refused("no service judges URLs here"),
  highlights: hint(z.boolean(), "the description of a hit is the part that matches"),
  ignoreInvalidURLs: hint(z.boolean(), "the index has no invalid URLs"),
  timeout: hint(z.int().min(1), "a search takes well below a second"),
  domainTools: scrapeOptions.domainTools,
  toolDetail: scrapeOptions.toolDetail,
  ...hints,
});
export type SearchRequest = z.output<typeof searchRequest>;

export const statusQuery = requestOf({
  cursor: z.string().max(3_000).default("").describe("From `next` of the answer before."),
  limit: queryInteger(1, 1_000, 100).describe("Maximum number of documents in one answer. It may have fewer."),
});
