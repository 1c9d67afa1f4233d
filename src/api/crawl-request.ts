import * as z from "zod";
import { findRuleProblems, selectorProblem } from "../changes/ignore-rules.ts";
import { MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS } from "../chunks/chunk.ts";
import { systemClock } from "../core/clock.ts";
import {
  type CrawlOptions,
  DEFAULT_OPTIONS,
  DEFAULT_POLITENESS,
  DEFAULT_TRAPS,
  hasTopic,
  type Politeness,
  RENDER_MODES,
  STORES,
  type Store,
} from "../crawl/crawl-options.ts";
import { areDefaultActions } from "../crawl/page-actions.ts";
import { FORMATS } from "../crawl/page-format.ts";
import { leastEveryS } from "../crawl/visit-pace.ts";
import type { Watch } from "../crawl/watch.ts";
import { DOCUMENT_KINDS, type DocumentKind } from "../media/document-kinds.ts";
import { CONTENT_USES, PURPOSES } from "../robots/content-signal.ts";
import { patternProblem } from "../scope/url-pattern.ts";
import { canonicalize, MAX_URL_LENGTH } from "../url/canonicalize.ts";
import { isPublicHost } from "../url/public-address.ts";
import { checkHost, type FetchableHosts } from "./fetchable-host.ts";
import { fieldGroups } from "./field-rules-request.ts";
import { choice, choices, flag, integer, number, requestOf, textLike } from "./fields.ts";
import { countryCodes, languageRanges } from "./place-fields.ts";
import { renderOptionsRequest } from "./render-options-request.ts";
import { RequestProblem } from "./request-problem.ts";
import { topicDefaults, topicFields } from "./topic-request.ts";
import { toWebhook, webhookOrder } from "./webhook-schemas.ts";

/**
 * The request that starts a crawl. Names, bounds and defaults are Cloudflare's if Cloudflare has the parameter
 * (https://developers.cloudflare.com/browser-rendering/rest-api/crawl-endpoint/). The rest are ours, in the same body.
 */

/** Times MAX_URL_LENGTH, this fits into one parameter of a D1 query. */
const MAX_SEEDS = 1_000;
const globs = z.array(z.string().min(1).max(MAX_URL_LENGTH)).max(100).default([]);
const patterns = globs.superRefine((given, context) => {
  for (const [i, pattern] of given.entries()) {
    const problem = patternProblem(pattern);
    if (problem !== null)
      context.addIssue({ code: "custom", path: [i], message: `${JSON.stringify(pattern)} ${problem}` });
  }
});

/** RFC 9110 5.1 and 5.5, and of the values only those that a Worker can send. */
const headerName = textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 256);
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const headerValue = z.string().max(8_192).regex(HEADER_VALUE, "a header has no control characters and only Latin-1");
/** RFC 9110 5.5 and 10.1.5: a sent value neither begins nor ends with white space. */
const userAgentValue = headerValue
  .min(1)
  .max(512)
  .regex(/^(?![\t ]).*(?<![\t ])$/s, "it begins or ends with white space");

/** RFC 9110 10.1.2: a mailbox, such as `crawler@example.org` or `Crawler <crawler@example.org>`; empty is none. */
const fromValue = textLike(/^(?:[\x21-\x7e]+@[\x21-\x7e]+|[\x20-\x7e]+ <[\x21-\x7e]+@[\x21-\x7e]+>)?$/, 254);

/** Seconds. A program that sends milliseconds names a time in the far future. */
const unixTime = z
  .int()
  .min(0)
  .refine((time) => time * 1000 <= systemClock.now(), { message: "it is in the future; it counts seconds since 1970" });

/** All together fit into a crawl's row, which D1 limits to 2 MB. */
const MAX_FORM_CHARACTERS = 200_000;
const forms = z
  .array(
    requestOf({
      selector: z
        .string()
        .min(1)
        .max(500)
        .describe("A CSS selector of the field, or of the form whose first text field it is."),
      values: z.array(z.string().min(1).max(500)).min(1).max(1_000).describe("The values to search for."),
    }),
  )
  .max(20)
  .superRefine((fills, context) => {
    for (const [i, { selector }] of fills.entries()) {
      const problem = selectorProblem(selector);
      if (problem !== null)
        context.addIssue({ code: "custom", path: [i, "selector"], message: `${JSON.stringify(selector)} ${problem}` });
    }
    const characters = fills.flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0);
    if (characters > MAX_FORM_CHARACTERS)
      context.addIssue({
        code: "custom",
        message: `the values have ${characters} characters; at most ${MAX_FORM_CHARACTERS} are possible`,
      });
  });

const options = requestOf({
  includeSubdomains: flag(false).describe("Also crawl the subdomains of the seeds' hosts."),
  includeExternalLinks: z
    .boolean()
    .optional()
    .describe("Also crawl all other hosts. The default is `false`, and `true` with a subject."),
  belowSeeds: flag(false).describe("On the hosts of the seeds, crawl only URLs whose path begins with that of a seed."),
  includePatterns: patterns.describe(
    "Crawl only URLs that match one of these globs. A glob matches the whole URL, or the path if it starts with `/`. `*` stops at `/`, `**` crosses it. `regex:` before a pattern makes it a regular expression of RE2 that is searched for in the path, `regex-url:` one for the whole URL. An empty list includes all URLs.",
  ),
  excludePatterns: patterns.describe("Skip URLs that match one of these patterns. They override `includePatterns`."),
});

const politeness = requestOf({
  minDelayMs: integer(0, 600_000, DEFAULT_POLITENESS.minDelayMs).describe(
    "Minimum delay between two requests to a host, in milliseconds.",
  ),
  maxDelayMs: integer(0, 600_000, DEFAULT_POLITENESS.maxDelayMs).describe(
    "Maximum adaptive delay between two requests to a host, in milliseconds. A longer Crawl-delay is still obeyed.",
  ),
  delayFactor: number(0, 100, DEFAULT_POLITENESS.delayFactor).describe(
    "Delay factor: the adaptive delay is this many times the duration of the last fetch.",
  ),
  maxConcurrencyPerHost: integer(1, 32, DEFAULT_POLITENESS.maxConcurrencyPerHost).describe(
    "Maximum number of connections to one host at once. The platform opens at most six for a batch of URLs.",
  ),
  maxBytesPerSecond: integer(0, 1_000_000_000, DEFAULT_POLITENESS.maxBytesPerSecond).describe(
    "Bandwidth limit per host: after a body the host rests until the average is at most this many bytes per second. 0 means no limit.",
  ),
});

const traps = requestOf({
  maxUrlLength: integer(1, MAX_URL_LENGTH, DEFAULT_TRAPS.maxUrlLength).describe(
    "Maximum length of a URL, in characters.",
  ),
  maxPathDepth: integer(1, 1_000, DEFAULT_TRAPS.maxPathDepth).describe("Maximum number of path segments in a URL."),
  maxRepeatedSegments: integer(1, 1_000, DEFAULT_TRAPS.maxRepeatedSegments).describe(
    "Maximum number of times that a path segment may occur in a URL, or that a run of segments may repeat in a row.",
  ),
  maxVariants: integer(1, 10_000_000, DEFAULT_TRAPS.maxVariants).describe(
    "Maximum number of URLs that differ only in numbers, ids and query values.",
  ),
  maxChain: integer(1, 10_000_000, DEFAULT_TRAPS.maxChain).describe(
    "Maximum number of steps in a row from one such variant to the next, as in an endless calendar.",
  ),
  maxDuplicates: integer(1, 10_000_000, DEFAULT_TRAPS.maxDuplicates).describe(
    "Maximum number of pages with the same content, one leading to the next, whose links are followed.",
  ),
});

/** Ten years. */
const MAX_EVERY_S = 315_360_000;

export const watchRequest = requestOf({
  everyS: z
    .int()
    .min(60)
    .max(MAX_EVERY_S)
    .describe("Mean time between two visits of a page, in seconds: the budget of the watch."),
  fixed: flag(false).describe("Visit all pages alike, whatever their rates of change."),
  ignore: requestOf({
    urls: globs.describe("Globs. A page whose URL matches one never counts as changed."),
    selectors: globs.describe("CSS selectors of elements that do not count: names, classes, ids, attributes."),
    patterns: globs.describe(
      "Text that does not count, as it is written. `*` stands for any run of characters within a line.",
    ),
    leastShare: number(0, 1, 0).describe("A content that changed by less than this share does not count as changed."),
  })
    .prefault({})
    .describe("Changes that do not count."),
  keepDays: z
    .int()
    .min(1)
    .max(3_650)
    .optional()
    .describe(
      "Versions of a page that were replaced more days ago are removed; its newest version stays. The default is to keep all.",
    ),
}).superRefine(({ ignore }, context) => {
  for (const { field, message } of findRuleProblems(ignore))
    context.addIssue({ code: "custom", path: ["ignore", field], message });
});

export const crawlRequest = requestOf({
  url: z.string().optional().describe("The seed: an http or https URL. Give `url`, `urls` or both."),
  urls: z.array(z.string()).max(MAX_SEEDS).optional().describe("A list of seeds."),
  limit: integer(1, 10_000_000, DEFAULT_OPTIONS.limit).describe(
    "Page limit: the maximum number of completed pages. Failed and skipped URLs do not count.",
  ),
  depth: integer(0, 100_000, DEFAULT_OPTIONS.depth).describe(
    "Maximum depth: the number of links to follow from a seed. 0 crawls only the seeds.",
  ),
  source: choice(["all", "links", "sitemaps"], DEFAULT_OPTIONS.source).describe(
    "Where to find URLs besides the seeds: in links, in sitemaps, or in both (`all`).",
  ),
  llmsTxt: flag(DEFAULT_OPTIONS.llmsTxt).describe(
    "Read `/llms.txt` of each origin too (https://llmstxt.org), one more request. The pages that it lists are found as those of a sitemap, with any `source`.",
  ),
  scriptLinks: flag(DEFAULT_OPTIONS.scriptLinks).describe(
    "Also follow URLs in inline scripts, JSON-LD and `data-*` attributes.",
  ),
  forms: forms
    .default(DEFAULT_OPTIONS.forms)
    .describe(
      "Search forms to fill in, on each page that has them: every value becomes a link to its results. Only forms that send GET are filled in.",
    ),
  assets: flag(DEFAULT_OPTIONS.assets).describe(
    "Also save the images, styles, scripts and fonts of pages, from any host. They do not count towards the page limit.",
  ),
  render: choice(RENDER_MODES, DEFAULT_OPTIONS.render).describe(
    "Which pages a browser draws before they are read: none, those that are empty without their scripts (`auto`), or all (`always`).",
  ),
  media: flag(DEFAULT_OPTIONS.media).describe(
    "Also record what the sounds, films and pictures of pages say about themselves: type, size, duration, dimensions, codec, bit rate, tags, and EXIF with the place where a picture was taken. At most six ranges of 64 KiB of a file are fetched, and none of it is stored. They do not count towards the page limit.",
  ),
  renderOptions: renderOptionsRequest
    .prefault({})
    .describe("What the browser does on a page that it draws. `render` must be `auto` or `always`."),
  screenshot: flag(DEFAULT_OPTIONS.screenshot).describe(
    "Keep a picture of each page that a browser draws: a JPEG as wide as the window and up to 4,000 pixels high. Its images and fonts are fetched for that.",
  ),
  dryRun: flag(DEFAULT_OPTIONS.dryRun).describe(
    "Fetch only robots.txt and sitemaps, and record which URLs would be fetched.",
  ),
  options: options.prefault({}).describe("The scope of the crawl."),
  preferPatterns: patterns.describe("Crawl URLs that match one of these patterns first."),
  languages: languageRanges
    .default(DEFAULT_OPTIONS.languages)
    .describe(
      "Store only pages in these languages (BCP 47), such as `de` or `zh-Hant`: as the page says, or else as its text is recognised. Other pages are skipped, reason `language`, and their links are followed. A page whose language nobody can tell is stored. What leads to these languages is crawled first.",
    ),
  preferLanguages: languageRanges
    .default(DEFAULT_OPTIONS.preferLanguages)
    .describe("Crawl what leads to pages in these languages first, and store pages in all languages."),
  countries: countryCodes
    .default(DEFAULT_OPTIONS.countries)
    .describe(
      "Crawl only hosts in these countries (ISO 3166-1), such as `TW`: by their IP address, or by their top-level domain if it belongs to a content delivery network. Nothing is asked of other hosts; their URLs are skipped, reason `country`. A host whose country nobody can tell is crawled.",
    ),
  ...topicFields,
  politeness: politeness.prefault({}).describe("How fast the crawl sends requests to a host."),
  userAgent: userAgentValue
    .optional()
    .describe("User-Agent header of the crawl. The default is the installation's `USER_AGENT`."),
  from: fromValue
    .default(DEFAULT_OPTIONS.from)
    .describe("From header: the mail address of whoever runs the crawl. Every request carries it."),
  headers: z
    .record(headerName, headerValue)
    .default({})
    .describe("HTTP headers for requests to the seeds' origins, and to no other. The API never shows them."),
  keepCookies: flag(DEFAULT_OPTIONS.keepCookies).describe(
    "Keep the cookies that a host sets, and send them back to this host alone. They are deleted with the crawl. Without it, cookies count only within a chain of redirects.",
  ),
  maxAttempts: integer(1, 20, DEFAULT_OPTIONS.maxAttempts).describe("Maximum number of attempts to fetch one URL."),
  formats: choices(FORMATS, DEFAULT_OPTIONS.formats).describe(
    "Formats to make of each page while it is parsed, and to store: `html` (the main content), `rawHtml` (the page as sent), `markdown`, `chunks` (kept as Markdown), `text`, `json` (metadata and text), `links`, `headers`. Other formats are made when somebody asks for them.",
  ),
  fields: fieldGroups
    .default(DEFAULT_OPTIONS.fields)
    .describe(
      "Fields to read from pages by rules, such as a price: one object of fields by name for all pages, or a list of groups by URL. They stand in records, exports and changes.",
    ),
  store: z
    .enum(STORES)
    .optional()
    .describe(
      "How to store pages: `warc` packs many pages into one WARC file, `files` makes one object for each page. The default is the installation's `STORE`.",
    ),
  chunkTokens: integer(MIN_CHUNK_TOKENS, MAX_CHUNK_TOKENS, DEFAULT_OPTIONS.chunkTokens).describe(
    "Maximum size of a chunk of the format `chunks`, in estimated tokens. A request for chunks can name another size.",
  ),
  search: flag(DEFAULT_OPTIONS.search).describe("Add the text of each page to the full-text index."),
  crawlPurposes: z
    .array(z.enum(PURPOSES))
    .min(1)
    .max(PURPOSES.length)
    .default(DEFAULT_OPTIONS.crawlPurposes)
    .describe(
      "What the pages are used for. If robots.txt refuses one of these uses with a `Content-Signal`, the URL is disallowed.",
    ),
  contentUse: choice(CONTENT_USES, DEFAULT_OPTIONS.contentUse).describe(
    "How much of a page is used. `reference` means to index it, to quote it and to link back. A `Content-Signal` can refuse `full`.",
  ),
  modifiedSince: unixTime
    .nullable()
    .default(DEFAULT_OPTIONS.modifiedSince)
    .describe(
      "Save only pages that changed after this time, in seconds since 1970, according to sitemaps, Last-Modified and 304 answers. null saves all pages.",
    ),
  pageRobots: flag(DEFAULT_OPTIONS.pageRobots).describe("Obey robots meta tags, X-Robots-Tag and rel=nofollow."),
  ignoreRobots: flag(DEFAULT_OPTIONS.ignoreRobots).describe(
    "Do not read robots.txt on hosts that are shown to be your own. On all others it is obeyed.",
  ),
  ownHosts: z
    .array(z.string().min(1).max(300))
    .max(100)
    .default(DEFAULT_OPTIONS.ownHosts)
    .describe(
      "Private hosts of your own network, such as `10.0.0.5` or `wiki.internal:8080`: the crawl may ask them though they are no seeds, and go there as fast as it is told. An installation that may ask no private address refuses them.",
    ),
  traps: traps.prefault({}).describe("Limits that stop the crawl in a crawler trap."),
  keepDuplicates: flag(DEFAULT_OPTIONS.keepDuplicates).describe(
    "Crawl URLs too that differ from another one only in parameters and path parts that never change the page on their host. Otherwise the crawl learns these parts, and refuses such URLs as `same-page`.",
  ),
  keepEndless: flag(DEFAULT_OPTIONS.keepEndless).describe(
    "Fetch all pages of patterns that say nothing new any more. Otherwise the crawl fetches one in 50 URLs of a pattern after 200 such pages in a row, until one of them is new, and lists the others as `nothing-new`.",
  ),
  maxRedirects: integer(0, 50, DEFAULT_OPTIONS.maxRedirects).describe("Maximum number of redirects in a row."),
  maxQueued: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      "Max queued URLs. The rest wait in the ledger, best first, so a lower number gives `preferPatterns` more weight. The default is 100000, and with a subject 50.",
    ),
  preferMarkdown: flag(DEFAULT_OPTIONS.preferMarkdown).describe(
    "Ask servers for Markdown (`Accept: text/markdown`), and fetch the Markdown that a page names with `rel=alternate`, one more request for each such page. Its Markdown is then the server's own.",
  ),
  documents: choices(DOCUMENT_KINDS, [...DOCUMENT_KINDS]).describe(
    "The kinds of documents that are read as pages, besides HTML and plain text. An empty list reads none. An installation on the free plan reads no `pdf`, `office` and `epub`.",
  ),
  // A page is parsed in an isolate of 128 MB, and its tree needs many times its bytes.
  maxBodyBytes: integer(1, 10 * 1024 * 1024, DEFAULT_OPTIONS.maxBodyBytes).describe(
    "Maximum size of a body after decompression, in bytes.",
  ),
  // The reader Worker holds one document in its 128 MB, beside what it makes of it.
  maxDocumentBytes: integer(1, 25 * 1024 * 1024, DEFAULT_OPTIONS.maxDocumentBytes).describe(
    "Maximum size of a PDF, Office or EPUB document, in bytes.",
  ),
  timeoutMs: integer(100, 300_000, DEFAULT_OPTIONS.timeoutMs).describe(
    "Timeout of one fetch, from the request to the last byte, in milliseconds.",
  ),
  maxDurationS: integer(0, 31_536_000, DEFAULT_OPTIONS.maxDurationS).describe(
    "Time limit: the crawl is cancelled after this many seconds. 0 means no limit.",
  ),
  maxCostUsd: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe(
      "Cost limit: the crawl is paused when its estimated cost reaches this many US dollars. 0 means no limit. The default is the installation's `MAX_COST_USD`, or no limit.",
    ),
  maxBytes: integer(0, 1_000_000_000_000_000, DEFAULT_OPTIONS.maxBytes).describe(
    "Size limit: the crawl is paused when all its completed URLs together have this many bytes. 0 means no limit.",
  ),
  retentionDays: integer(0, 3_650, DEFAULT_OPTIONS.retentionDays).describe(
    "The crawl and all that it stored are deleted this many days after its end. 0 means never.",
  ),
  webhook: webhookOrder
    .optional()
    .describe(
      "A webhook that is told of the crawl's events: its URL, or an object as in the body of `POST /api/crawls/:id/webhooks`.",
    ),
  watch: watchRequest
    .nullable()
    .default(DEFAULT_OPTIONS.watch)
    .describe("Make the crawl a watch: it stays, visits its pages again, and tells what changed. null: it ends."),
})
  .refine(({ url, urls }) => url !== undefined || (urls?.length ?? 0) > 0, {
    path: ["url"],
    message: "name a URL to crawl",
  })
  .refine(({ watch, dryRun }) => watch === null || !dryRun, {
    path: ["watch"],
    message: "a dry run keeps no pages, so it cannot watch them",
  })
  .refine(({ render, renderOptions }) => render !== "never" || areDefaultActions(renderOptions), {
    path: ["render"],
    message: "`renderOptions` are for pages that a browser draws: give auto or always",
  })
  .refine(({ screenshot, render }) => !screenshot || render !== "never", {
    path: ["screenshot"],
    message: "a screenshot needs a browser that draws the page: set render to auto or always",
  })
  .refine((request) => request.until === 0 || hasTopic(request), {
    path: ["until"],
    message: "it is for a crawl with a subject: give topic, like or likeTexts",
  })
  .refine(({ until, watch }) => until === 0 || watch === null, {
    path: ["until"],
    message: "a watch stays, so it cannot end when its subject is exhausted: leave out until or watch",
  })
  .superRefine(({ watch, politeness }, context) => {
    const message = watch === null ? null : findPaceProblem(watch, politeness);
    if (message !== null) context.addIssue({ code: "custom", path: ["watch", "everyS"], message });
  });

/** Why the host's pace lets no page be visited so often; null if it does. */
export function findPaceProblem({ everyS }: Pick<Watch, "everyS">, politeness: Politeness): string | null {
  const least = leastEveryS(1, 1, politeness);
  if (everyS >= least) return null;
  return `the pace of a request every ${politeness.minDelayMs} ms allows no visit every ${everyS} seconds; give at least ${least}, or a shorter minDelayMs`;
}

type CrawlRequest = z.output<typeof crawlRequest>;

/** A crawl inside another request. */
export const requestedCrawl = crawlRequest.describe("The crawl, as in the body of `POST /api/crawls`.");

/** The installation's defaults for a request, and its limits. */
export interface Installation extends FetchableHosts {
  userAgent: string;
  store: Store;
  /** The cost limit of crawls that set none, in US dollars; 0 for no limit, NaN if the variable cannot be read. */
  maxCostUsd: number;
  /** The kinds of documents that it can read. */
  documents: readonly DocumentKind[];
}

/** Throws RequestProblem if a seed cannot be crawled or the User-Agent of the installation cannot be sent. */
export function toOptions(request: CrawlRequest, installation: Installation): CrawlOptions {
  const {
    url,
    urls,
    options,
    userAgent,
    store,
    maxCostUsd,
    documents,
    webhook,
    like,
    maxQueued,
    limitPerHost,
    ownHosts,
    ...rest
  } = request;
  const defaults = topicDefaults(request);
  const seeds = [
    ...(url === undefined ? [] : [toSeed(url, "url", installation)]),
    ...(urls ?? []).map((seed, i) => toSeed(seed, `urls.${i}`, installation)),
  ];
  return {
    ...rest,
    ...options,
    includeExternalLinks: options.includeExternalLinks ?? defaults.includeExternalLinks,
    maxQueued: maxQueued ?? defaults.maxQueued,
    limitPerHost: limitPerHost ?? defaults.limitPerHost,
    ownHosts: [...new Set(ownHosts.map((host, i) => toOwnHost(host, `ownHosts.${i}`, installation)))],
    like: [...new Set(like.map((example, i) => toSeed(example, `like.${i}`, installation)))],
    urls: [...new Set(seeds)],
    userAgent: userAgent ?? checkUserAgent(installation.userAgent),
    store: store ?? installation.store,
    maxCostUsd: maxCostUsd ?? checkMaxCost(installation.maxCostUsd),
    documents: installation.documents.filter((kind) => documents.includes(kind)),
    webhook: webhook === undefined ? null : toWebhook(webhook, "webhook", installation),
  };
}

/** Checks the variable USER_AGENT, which no request schema has seen. */
function checkUserAgent(value: string): string {
  const { error } = userAgentValue.safeParse(value);
  if (error === undefined) return value;
  throw new RequestProblem(
    "invalid-user-agent",
    `The variable USER_AGENT of this installation cannot be sent: ${error.issues[0]?.message}. Change it, or give userAgent.`,
    "userAgent",
  );
}

/** A limit that cannot be read must not mean that there is none. */
function checkMaxCost(value: number): number {
  if (!Number.isNaN(value)) return value;
  throw new RequestProblem(
    "invalid-max-cost",
    'The variable MAX_COST_USD of this installation is neither a number of US dollars nor "none". Change it, or give maxCostUsd.',
    "maxCostUsd",
  );
}

function toSeed(seed: string, path: string, installation: Installation): string {
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
  checkHost(url, path, installation);
  return url;
}

/** A host that somebody else may have proves by itself whose it is. */
function toOwnHost(written: string, path: string, installation: Installation): string {
  const host = written.trim();
  // A URL parser takes "*" and "," as parts of a name.
  const url = /^[^/?#@\\*,]+$/.test(host) ? canonicalize(`http://${host}/`) : null;
  if (url === null)
    throw new RequestProblem(
      "invalid-host",
      `"${written}" is not a host, such as 10.0.0.5 or wiki.internal:8080.`,
      path,
    );
  if (isPublicHost(new URL(url).hostname))
    throw new RequestProblem(
      "public-host",
      `${written} is no private host, so its owner has to show whose it is: \`orbweaver own ${written}\` says how.`,
      path,
    );
  checkHost(url, path, installation);
  // The URL drops this port, and a host without a port stands for all of its ports.
  return new URL(url).host + (/[^:]:0*80$/.test(host) ? ":80" : "");
}
