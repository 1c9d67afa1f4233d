import { DEFAULT_CHUNK_TOKENS } from "../chunks/chunk.ts";
import type { FormFill } from "../core/form-fill.ts";
import type { DocumentKind } from "../media/document-kinds.ts";
import type { FieldGroup } from "../media/html/fields/field-rule.ts";
import { type ContentUse, PURPOSES, type Purpose, type Use } from "../robots/content-signal.ts";
import type { NewWebhook } from "./notice.ts";
import { DEFAULT_ACTIONS, type PageActions, readActions } from "./page-actions.ts";
import type { Format } from "./page-format.ts";
import type { Watch } from "./watch.ts";

/** The options of a crawl, complete with defaults, as the ledger stores them. */

export interface Politeness {
  /** Minimum delay between two requests to a host, in milliseconds. */
  minDelayMs: number;
  /** Maximum of the adaptive delay, in milliseconds; a longer Crawl-delay is still obeyed. */
  maxDelayMs: number;
  /** Delay factor: the host rests for this many times the duration of the last fetch. */
  delayFactor: number;
  /** Connections to one host at once. The platform opens at most six per batch. */
  maxConcurrencyPerHost: number;
  /** Bandwidth limit per host: bytes of bodies per second, on average; 0 is none. */
  maxBytesPerSecond: number;
}

/** How pages are stored. */
export const STORES = ["warc", "files"] as const;
export type Store = (typeof STORES)[number];

/** Which pages a browser draws: none, those that are empty without their scripts, or all. */
export const RENDER_MODES = ["never", "auto", "always"] as const;
export type RenderMode = (typeof RENDER_MODES)[number];

/** The sources of URLs. Seeds are always crawled. */
type Source = "all" | "links" | "sitemaps";

export interface TrapLimits {
  /** Maximum length of a URL in characters, at most 2,048. */
  maxUrlLength: number;
  /** Maximum number of path segments. */
  maxPathDepth: number;
  /** Maximum repetitions of path segments in a row, or of one segment in the path. */
  maxRepeatedSegments: number;
  /** Maximum number of URLs that differ only in numbers, ids and query values. */
  maxVariants: number;
  /** Maximum number of steps in a row from one such variant to the next, like the "next" of a calendar. */
  maxChain: number;
  /** Maximum number of pages with the same content, one leading to the next, whose links are followed. */
  maxDuplicates: number;
}

export const DEFAULT_TRAPS: TrapLimits = {
  maxUrlLength: 2_048,
  maxPathDepth: 20,
  maxRepeatedSegments: 2,
  maxVariants: 10_000,
  maxChain: 100,
  maxDuplicates: 2,
};

export interface CrawlOptions {
  /** Canonical seeds, at least one. */
  urls: string[];
  /** Page limit: completed pages. */
  limit: number;
  /** Maximum depth: links to follow from a seed; 0 is the seeds alone. */
  depth: number;
  source: Source;
  /** Read `/llms.txt` of each origin too: the pages that it lists are found as those of a sitemap. */
  llmsTxt: boolean;
  /** Treat URLs in scripts, JSON-LD and data attributes as links. */
  scriptLinks: boolean;
  /** Search forms to fill in: their results are links. */
  forms: FormFill[];
  /** Store the images, styles, scripts and fonts of pages too. */
  assets: boolean;
  /** Which pages a browser draws before they are read. */
  render: RenderMode;
  /** Record what the sounds, films and pictures of pages say about themselves, by ranges of their files. */
  media: boolean;
  /** What the browser does on such a page before it is read. */
  renderOptions: PageActions;
  /** Keep a picture of each page that a browser draws. */
  screenshot: boolean;
  /** Fetch only robots.txt and sitemaps, and record the URLs that would be fetched. */
  dryRun: boolean;
  includeSubdomains: boolean;
  includeExternalLinks: boolean;
  /** On the hosts of the seeds, only URLs whose path begins with that of a seed. */
  belowSeeds: boolean;
  /**
   * Globs over the whole URL: `*` stops at `/`, `**` crosses it; or regular expressions (url-pattern.ts). With none,
   * all is included.
   */
  includePatterns: string[];
  /** Patterns that win over `includePatterns`. */
  excludePatterns: string[];
  /** Patterns of URLs to fetch first. */
  preferPatterns: string[];
  /** Canonical language ranges: pages in other languages are not stored. With none, all are. */
  languages: string[];
  /** Canonical language ranges: what leads to pages in them is fetched first. */
  preferLanguages: string[];
  /** Codes of two capital letters: hosts in other countries are not asked. With none, all are. */
  countries: string[];
  /** Words of the subject; empty for none. With a subject, links are followed best first. */
  topic: string;
  /** Canonical URLs of example pages of the subject. They are fetched first. */
  like: string[];
  /** Texts of example pages of the subject. */
  likeTexts: string[];
  /** The crawl ends when fewer than this share of its last 200 pages were relevant; 0 is never. */
  until: number;
  /** Page limit for each host: completed pages; 0 is none. */
  limitPerHost: number;
  politeness: Politeness;
  userAgent: string;
  /** From header, a mail address (RFC 9110, section 10.1.2); empty is none. */
  from: string;
  /** Headers of every request to the crawl's seed hosts. Other hosts do not get them. */
  headers: Record<string, string>;
  /** Send the cookies that a host sets back to it. Redirects always do, within their chain. */
  keepCookies: boolean;
  /** Attempts at one URL before it is errored. */
  maxAttempts: number;
  /** Maximum number of redirects in a row. */
  maxRedirects: number;
  /** Maximum of queued URLs. The others wait in the ledger, at three more rows each, and move up best first. */
  maxQueued: number;
  /** Formats to make from each page while it is parsed. Others are made at the first request. */
  formats: Format[];
  /** Fields to read from pages by rules. */
  fields: FieldGroup[];
  /** Maximum size of a chunk in tokens, where a request names none. */
  chunkTokens: number;
  /** Put the text of each page into the full-text index. */
  search: boolean;
  /** How pages are stored: packed into WARC files, or as an object each. */
  store: Store;
  /** The purposes of the crawl. A site may refuse a purpose with a content signal in its robots.txt. */
  crawlPurposes: Purpose[];
  contentUse: ContentUse;
  /** Store only pages that have changed since, in seconds since the Unix epoch, like Cloudflare's; null is all. */
  modifiedSince: number | null;
  /** Obey robots directives of pages: meta robots, X-Robots-Tag, rel=nofollow. */
  pageRobots: boolean;
  /** Do not read robots.txt on the operator's own hosts. On all others it is obeyed. */
  ignoreRobots: boolean;
  /** `URL.host` values of private hosts that are the operator's own. They may be asked though they are no seeds. */
  ownHosts: string[];
  /** Limits that end traps: docs/politeness.md. */
  traps: TrapLimits;
  /** Follow URLs that differ only in parts that never change the page of their host. Otherwise they are refused. */
  keepDuplicates: boolean;
  /** Fetch patterns at full speed whose pages say nothing new any more. Otherwise they are slowed. */
  keepEndless: boolean;
  /** The kinds of documents that are read as pages, besides HTML and plain text. */
  documents: DocumentKind[];
  /** Ask for Markdown in place of HTML, and take that which a page names as its own. */
  preferMarkdown: boolean;
  /** Maximum size of one body after decompression, in bytes. */
  maxBodyBytes: number;
  /** The same for a document that the reader Worker reads. */
  maxDocumentBytes: number;
  /** Time for one fetch from request to last byte, in milliseconds. */
  timeoutMs: number;
  /** The crawl is cancelled after this many seconds; 0 is never. */
  maxDurationS: number;
  /** The crawl is paused at about this cost in US dollars; 0 is never. */
  maxCostUsd: number;
  /** The crawl is paused when its completed URLs hold this many bytes, decompressed; 0 is never. */
  maxBytes: number;
  /** The crawl is deleted, with all that it stored, this many days after its end; 0 is never. */
  retentionDays: number;
  /** A webhook to make with the crawl. Only the options of a schedule store it. */
  webhook: NewWebhook | null;
  /** The crawl stays and visits its pages again; null is a crawl that ends. */
  watch: Watch | null;
}

/** Limits that can change until the crawl ends. */
export type AmendedLimits = Partial<Pick<CrawlOptions, "limit" | "maxCostUsd" | "maxBytes" | "maxDurationS" | "watch">>;

/** Options that may hold a password. They are never shown or logged. */
const SECRETS = ["headers", "webhook"] as const satisfies (keyof CrawlOptions)[];

type PublicOptions = Omit<CrawlOptions, (typeof SECRETS)[number]>;

export function withoutSecrets(options: CrawlOptions): PublicOptions {
  const shown: Partial<CrawlOptions> = { ...options };
  for (const name of SECRETS) delete shown[name];
  return shown as PublicOptions;
}

/** Whether the crawl follows a subject. */
export function hasTopic({ topic, like, likeTexts }: Pick<CrawlOptions, "topic" | "like" | "likeTexts">): boolean {
  return topic !== "" || like.length > 0 || likeTexts.length > 0;
}

/** The uses that a site may refuse. */
export function usesOf({ crawlPurposes, contentUse }: CrawlOptions): Use[] {
  return [...crawlPurposes, `use=${contentUse}`];
}

/** Whether the answers become records of WARC files. A dry run keeps nothing. */
export function keepsArchive({ store, dryRun }: Pick<CrawlOptions, "store" | "dryRun">): boolean {
  return store === "warc" && !dryRun;
}

/** Whether the crawl does not follow all links, however deep. */
export function hasDepthLimit({ depth }: Pick<CrawlOptions, "depth">): boolean {
  return depth < DEFAULT_OPTIONS.depth;
}

/** Parses stored options. Options that an earlier version did not know get their defaults. Throws on invalid JSON. */
export function readOptions(json: string): CrawlOptions {
  const stored = JSON.parse(json) as CrawlOptions;
  const politeness = { ...DEFAULT_POLITENESS, ...stored.politeness };
  const renderOptions = readActions(stored.renderOptions);
  return { ...DEFAULT_OPTIONS, ...stored, politeness, renderOptions, traps: { ...DEFAULT_TRAPS, ...stored.traps } };
}

export const DEFAULT_POLITENESS: Politeness = {
  minDelayMs: 1_000,
  maxDelayMs: 30_000,
  delayFactor: 5,
  maxConcurrencyPerHost: 1,
  maxBytesPerSecond: 0,
};

/** All options except the seeds and the user agent of the installation. `limit` is Cloudflare's default. */
export const DEFAULT_OPTIONS: Omit<CrawlOptions, "urls" | "userAgent"> = {
  limit: 10,
  depth: 100_000,
  source: "all",
  llmsTxt: false,
  scriptLinks: false,
  forms: [],
  assets: false,
  render: "never",
  media: false,
  renderOptions: DEFAULT_ACTIONS,
  screenshot: false,
  dryRun: false,
  includeSubdomains: false,
  includeExternalLinks: false,
  belowSeeds: false,
  includePatterns: [],
  excludePatterns: [],
  preferPatterns: [],
  languages: [],
  preferLanguages: [],
  countries: [],
  topic: "",
  like: [],
  likeTexts: [],
  until: 0,
  limitPerHost: 0,
  politeness: DEFAULT_POLITENESS,
  from: "",
  headers: {},
  keepCookies: false,
  maxAttempts: 3,
  maxRedirects: 10,
  maxQueued: 100_000,
  formats: [],
  fields: [],
  chunkTokens: DEFAULT_CHUNK_TOKENS,
  search: false,
  /** The store of crawls from before packs existed. The installation sets that of new crawls. */
  store: "files",
  crawlPurposes: [...PURPOSES],
  contentUse: "full",
  modifiedSince: null,
  pageRobots: true,
  ignoreRobots: false,
  ownHosts: [],
  traps: DEFAULT_TRAPS,
  keepDuplicates: false,
  keepEndless: false,
  /** A crawl from before documents were read goes on without them. A request has all kinds by default. */
  documents: [],
  preferMarkdown: false,
  maxBodyBytes: 10 * 1024 * 1024,
  maxDocumentBytes: 25 * 1024 * 1024,
  timeoutMs: 30_000,
  maxDurationS: 0,
  maxCostUsd: 0,
  maxBytes: 0,
  retentionDays: 0,
  webhook: null,
  watch: null,
};
