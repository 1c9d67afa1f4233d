import { z } from "zod"; // schemas at the border, types inferred from them; the field's usual choice
import { systemClock } from "../core/clock.ts";
import {
  type CrawlOptions,
  DEFAULT_OPTIONS,
  DEFAULT_POLITENESS,
  DEFAULT_TRAPS,
  STORES,
  type Store,
} from "../crawl/crawl-options.ts";
import { FORMATS } from "../crawl/page-format.ts";
import { REASONS, type Reason, statusOf } from "../crawl/reason.ts";
import { RECORD_SORTS } from "../crawl/records-query.ts";
import { FINAL_STATUSES, URL_STATUSES } from "../crawl/status.ts";
import { CONTENT_USES, PURPOSES } from "../robots/content-signal.ts";
import { canonicalize, MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { isPublicHost } from "../url/public-address.ts";
import { EXPORT_FORMATS } from "./export-formats.ts";

/**
 * What the API takes. Names, bounds and defaults are Cloudflare's where theirs has the parameter
 * (https://developers.cloudflare.com/browser-rendering/rest-api/crawl-endpoint/); the rest are ours, beside them in the same body.
 * Unknown keys are kept out, not refused.
 */

/** With MAX_URL_LENGTH, what one parameter of a D1 query may hold. */
const MAX_SEEDS = 1_000;
const patterns = z.array(z.string().min(1).max(MAX_URL_LENGTH)).max(100);

/** RFC 9110 5.1 and 5.5; of the values, what a request can be sent with. */
const headerName = z
  .string()
  .max(256)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
const headerValue = z
  .string()
  .max(8_192)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/);

const politeness = z.object({
  minDelayMs: z.number().int().min(0).max(600_000).default(DEFAULT_POLITENESS.minDelayMs),
  maxDelayMs: z.number().int().min(0).max(600_000).default(DEFAULT_POLITENESS.maxDelayMs),
  delayFactor: z.number().min(0).max(100).default(DEFAULT_POLITENESS.delayFactor),
  maxConcurrencyPerHost: z.number().int().min(1).max(32).default(DEFAULT_POLITENESS.maxConcurrencyPerHost),
});

const traps = z.object({
  maxUrlLength: z.number().int().min(1).max(MAX_URL_LENGTH).default(DEFAULT_TRAPS.maxUrlLength),
  maxPathDepth: z.number().int().min(1).max(1_000).default(DEFAULT_TRAPS.maxPathDepth),
  maxRepeatedSegments: z.number().int().min(1).max(1_000).default(DEFAULT_TRAPS.maxRepeatedSegments),
  maxVariants: z.number().int().min(1).max(10_000_000).default(DEFAULT_TRAPS.maxVariants),
  maxChain: z.number().int().min(1).max(10_000_000).default(DEFAULT_TRAPS.maxChain),
  maxDuplicates: z.number().int().min(1).max(10_000_000).default(DEFAULT_TRAPS.maxDuplicates),
});

/** Seconds. Milliseconds, which programs are apt to send, are far in the future. */
const unixTime = z
  .number()
  .int()
  .min(0)
  .refine((time) => time * 1000 <= systemClock.now(), { message: "it is in the future; it counts seconds since 1970" });

export const crawlRequest = z
  .object({
    url: z.string().optional(),
    urls: z.array(z.string()).max(MAX_SEEDS).optional(),
    limit: z.number().int().min(1).max(10_000_000).default(DEFAULT_OPTIONS.limit),
    depth: z.number().int().min(0).max(100_000).default(DEFAULT_OPTIONS.depth),
    source: z.enum(["all", "links", "sitemaps"]).default(DEFAULT_OPTIONS.source),
    scriptLinks: z.boolean().default(DEFAULT_OPTIONS.scriptLinks),
    assets: z.boolean().default(DEFAULT_OPTIONS.assets),
    dryRun: z.boolean().default(DEFAULT_OPTIONS.dryRun),
    options: z
      .object({
        includeSubdomains: z.boolean().default(false),
        includeExternalLinks: z.boolean().default(false),
        includePatterns: patterns.default([]),
        excludePatterns: patterns.default([]),
      })
      .prefault({}),
    preferPatterns: patterns.default([]),
    politeness: politeness.prefault({}),
    userAgent: z.string().min(1).max(512).optional(),
    headers: z.record(headerName, headerValue).default({}),
    maxAttempts: z.number().int().min(1).max(20).default(DEFAULT_OPTIONS.maxAttempts),
    formats: z.array(z.enum(FORMATS)).max(FORMATS.length).default(DEFAULT_OPTIONS.formats),
    store: z.enum(STORES).optional(),
    search: z.boolean().default(DEFAULT_OPTIONS.search),
    crawlPurposes: z.array(z.enum(PURPOSES)).min(1).max(PURPOSES.length).default(DEFAULT_OPTIONS.crawlPurposes),
    contentUse: z.enum(CONTENT_USES).default(DEFAULT_OPTIONS.contentUse),
    modifiedSince: unixTime.nullable().default(DEFAULT_OPTIONS.modifiedSince),
    pageRobots: z.boolean().default(DEFAULT_OPTIONS.pageRobots),
    traps: traps.prefault({}),
    maxRedirects: z.number().int().min(0).max(50).default(DEFAULT_OPTIONS.maxRedirects),
    maxQueued: z.number().int().min(1).max(100_000).default(DEFAULT_OPTIONS.maxQueued),
    // A page is parsed whole in an isolate of 128 MB, where its tree takes many times its bytes.
    maxBodyBytes: z
      .number()
      .int()
      .min(1)
      .max(10 * 1024 * 1024)
      .default(DEFAULT_OPTIONS.maxBodyBytes),
    timeoutMs: z.number().int().min(100).max(300_000).default(DEFAULT_OPTIONS.timeoutMs),
    maxDurationS: z.number().int().min(0).max(31_536_000).default(DEFAULT_OPTIONS.maxDurationS),
    maxCostUsd: z.number().min(0).max(1_000_000).default(DEFAULT_OPTIONS.maxCostUsd),
    retentionDays: z.number().int().min(0).max(3_650).default(DEFAULT_OPTIONS.retentionDays),
  })
  .refine(({ url, urls }) => url !== undefined || (urls?.length ?? 0) > 0, {
    path: ["url"],
    message: "name a URL to crawl",
  });

/** What can be changed of a crawl that has not ended. */
export const amendRequest = z
  .strictObject({
    limit: crawlRequest.shape.limit.removeDefault().optional(),
    maxCostUsd: crawlRequest.shape.maxCostUsd.removeDefault().optional(),
  })
  .refine((limits) => Object.keys(limits).length > 0, { message: "name what is to change: limit or maxCostUsd" });

/** What ended otherwise than completed. */
const RETRIED = FINAL_STATUSES.filter((status) => status !== "completed");

export const retryRequest = z
  .strictObject({
    status: z.enum(RETRIED).optional(),
    reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).optional(),
    limit: crawlRequest.shape.limit.removeDefault().optional(),
  })
  .refine(({ status, reason }) => status === undefined || reason === undefined || statusOf(reason) === status, {
    path: ["reason"],
    message: "no URL of this status ends for this reason",
  });

export type CrawlRequest = z.infer<typeof crawlRequest>;

export const scheduleRequest = z.object({ cron: z.string().min(1).max(200), crawl: crawlRequest });

export const explainQuery = z.object({ url: z.string().min(1) });
export const explainRequest = explainQuery.extend({ crawl: crawlRequest });

export const recordsQuery = z.object({
  cursor: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  status: z.enum(URL_STATUSES).exclude(["pending"]).optional(),
});

/** `markdown,links`: as a list is written in a URL. */
const formatList = z
  .string()
  .transform((list) => list.split(",").filter((name) => name !== ""))
  .pipe(z.array(z.enum(FORMATS)));

/** An empty field of a form asks for nothing. */
const word = z
  .string()
  .max(MAX_URL_LENGTH)
  .transform((text) => text.trim() || undefined)
  .optional();
/** In a URL, `reason=` is no reason. */
const maybe = <T extends z.ZodType>(schema: T) => z.preprocess((value) => (value === "" ? undefined : value), schema);

export const recordsFilter = z.object({
  status: maybe(recordsQuery.shape.status),
  reason: maybe(z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).optional()),
  host: word,
  code: maybe(
    z
      .string()
      .regex(/^[1-5](?:\d\d|xx)$/i, "an HTTP status such as 404, or a class of them such as 4xx")
      .optional(),
  ),
  type: word,
  q: word,
});

export const formattedRecordsQuery = recordsQuery.extend({
  ...recordsFilter.shape,
  sort: z.enum(RECORD_SORTS).default("url"),
  order: z.enum(["asc", "desc"]).default("asc"),
  formats: formatList.default([]),
});

export const robotsQuery = z.object({ origin: word, url: word });

export const treeQuery = z.object({
  path: z
    .string()
    .max(MAX_URL_LENGTH)
    .regex(
      /^(?:https?:\/\/[^?#]*\/)?$/,
      "a URL up to and with one of the slashes of its path, such as https://example.com/docs/",
    )
    .default(""),
});

export const exportQuery = recordsQuery
  .omit({ limit: true })
  .extend({ format: z.enum(EXPORT_FORMATS), formats: formatList.optional() })
  .refine(({ format, formats }) => formats === undefined || format === "jsonl", {
    path: ["formats"],
    message: "only jsonl has room for pages in the formats asked for",
  });

export const pageQuery = z.object({ url: z.string().min(1), format: z.enum(FORMATS).optional() });

// A word in the query; a truth value in the description of the API.
export const deleteQuery = z.object({ force: z.stringbool().default(false).meta({ type: "boolean" }) });

/** Hits of one query that can be asked for, page by page: each page costs as much as all before it. */
export const SEARCH_DEPTH = 1_000;

export const searchQuery = z.object({
  q: z.string("say what to look for").trim().min(1, "say what to look for").max(1_000),
  crawl: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
  /** How many hits came before. */
  cursor: z.coerce.number().int().min(0).max(SEARCH_DEPTH).default(0),
});

/** What is wrong with a request that has the right shape, with its code. */
export class RequestProblem extends Error {
  readonly code: string;
  /** The parameter that it is in. */
  readonly path: string | undefined;

  constructor(code: string, message: string, path?: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** What the installation says where a request does not, and what it allows. */
export interface Installation {
  userAgent: string;
  store: Store;
  allowPrivate: boolean;
}

/** The crawl that a request asks for. Throws RequestProblem where a seed cannot be crawled. */
export function toOptions(request: CrawlRequest, installation: Installation): CrawlOptions {
  const { url, urls, options, userAgent, store, ...rest } = request;
  const seeds = [
    ...(url === undefined ? [] : [toSeed(url, "url", installation.allowPrivate)]),
    ...(urls ?? []).map((seed, i) => toSeed(seed, `urls.${i}`, installation.allowPrivate)),
  ];
  return {
    ...rest,
    ...options,
    urls: [...new Set(seeds)],
    userAgent: userAgent ?? installation.userAgent,
    store: store ?? installation.store,
  };
}

function toSeed(seed: string, path: string, allowPrivate: boolean): string {
  const url = canonicalize(seed.trim());
  if (url === null) {
    throw new RequestProblem(
      "invalid-url",
      `"${seed.slice(0, 200)}" is not an http or https URL, such as https://example.com/.`,
      path,
    );
  }
  if (url.length > MAX_URL_LENGTH)
    throw new RequestProblem("too-long", `The URL is longer than ${MAX_URL_LENGTH} characters.`, path);
  if (!allowPrivate && !isPublicHost(new URL(url).hostname)) {
    throw new RequestProblem(
      "private-address",
      `${url} is a private address. Set ALLOW_PRIVATE to "true" for this installation to crawl such addresses.`,
      path,
    );
  }
  return url;
}
