import { z } from "zod";
import { cloudflareOwn, cloudflareQuery } from "./cloudflare-schemas.ts";
import {
  amendRequest,
  crawlRequest,
  deleteQuery,
  explainQuery,
  explainRequest,
  exportQuery,
  formattedRecordsQuery,
  pageQuery,
  recordsQuery,
  retryRequest,
  robotsQuery,
  scheduleRequest,
  searchQuery,
  treeQuery,
} from "./schemas.ts";

/**
 * A sentence for each parameter of each request, with its unit, for the description of the API. Bounds and defaults stand in the schemas
 * alone. A parameter without a sentence does not compile.
 */

/** Names of the parameters, those of a parameter that is itself an object behind a dot. */
type Names<T> = {
  [K in keyof T & string]: NonNullable<T[K]> extends readonly unknown[]
    ? K
    : NonNullable<T[K]> extends object
      ? // A crawl inside another request is described as that of POST /api/crawls.
        K extends "crawl"
        ? K
        : string extends keyof NonNullable<T[K]>
          ? K
          : K | `${K}.${Names<NonNullable<T[K]>>}`
      : K;
}[keyof T & string];

/** By the schema of the parameter, for that is what is at hand where the sentence is wanted. */
export const PARAMETER_TEXTS = new Map<unknown, string>();

function describe<T extends z.ZodObject>(schema: T, texts: Record<Names<z.input<T>>, string>): void {
  for (const [name, text] of Object.entries<string>(texts)) PARAMETER_TEXTS.set(parameterOf(schema, name), text);
}

/** Throws where the schema has no such parameter. */
function parameterOf(schema: unknown, name: string): unknown {
  const [head = "", ...rest] = name.split(".");
  const found = shapeOf(schema)[head];
  if (found === undefined) throw new Error(`there is no parameter ${name}`);
  return rest.length === 0 ? found : parameterOf(found, rest.join("."));
}

/** Of an object, also where it may be left out. */
function shapeOf(schema: unknown): Record<string, unknown> {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return shapeOf(schema.unwrap());
  return {};
}

describe(crawlRequest, {
  url: "The seed: an http or https URL. This or `urls` names one at least.",
  urls: "Several seeds.",
  limit: "Most completed pages; what fails or is skipped does not count.",
  depth: "Most links to follow from a seed; 0 is the seeds alone.",
  source: "Where URLs are found besides the seeds.",
  assets:
    "Whether the images, styles, scripts and fonts of pages are kept too, wherever they lie; they do not count towards the limit.",
  scriptLinks: "Whether URLs in inline scripts, JSON-LD and `data-*` attributes are links too.",
  dryRun: "Ask for robots.txt and sitemaps alone, and record what would be fetched.",
  options: "What is in scope.",
  "options.includeSubdomains": "Whether subdomains of the seeds' hosts are in scope.",
  "options.includeExternalLinks": "Whether all other hosts are in scope.",
  "options.includePatterns":
    "Globs over the whole URL, or its path where they begin with `/`; `*` stops at `/`, `**` crosses it. With none, all is included.",
  "options.excludePatterns": "Globs of URLs to leave out; they win over `includePatterns`.",
  preferPatterns: "Globs of URLs to take first.",
  politeness: "The pace at which a host is asked.",
  "politeness.minDelayMs": "Least rest between two requests to a host, in milliseconds.",
  "politeness.maxDelayMs":
    "Most rest that the adaptive rule asks for, in milliseconds; a longer Crawl-delay is still obeyed.",
  "politeness.delayFactor": "The host rests for this many times the duration of the last fetch.",
  "politeness.maxConcurrencyPerHost":
    "Connections to one host at once. The platform opens at most six for a batch of URLs.",
  userAgent: "How the crawl presents itself; without it, as the installation's `USER_AGENT` says.",
  headers: "Sent with every request to the seeds' origins, and to no other; shown nowhere.",
  maxAttempts: "Tries of one URL before it is errored.",
  formats:
    "Made of each page while it is parsed, and kept: `html` (the main content), `rawHtml` (as sent), `markdown`, `text`, `json`, `links`, `headers`. Any other is made when it is first asked for.",
  store:
    "How pages are kept: packed into WARC files, many to an object, or as files, an object for each; without it, as the installation's `STORE` says.",
  search: "Put the text of each page into the full-text index.",
  crawlPurposes:
    "What the pages are for. A URL whose site refuses one of them by a `Content-Signal` in its robots.txt is disallowed.",
  contentUse:
    "How much of a page is used: `reference` is to index, quote and link back. Sites may refuse `full` likewise.",
  maxCostUsd: "Pause the crawl when it has cost about so many US dollars; 0 is never.",
  modifiedSince:
    "Keep only pages that have changed since, in seconds since 1970, as sitemaps, Last-Modified and 304 tell; null is all.",
  pageRobots: "Obey meta robots, X-Robots-Tag and rel=nofollow. robots.txt is obeyed whatever this says.",
  traps: "What stops the crawl in a trap.",
  "traps.maxUrlLength": "Most characters of a URL.",
  "traps.maxPathDepth": "Most path segments of a URL.",
  "traps.maxRepeatedSegments": "Most times that a run of path segments may stand in a row, or a segment in all.",
  "traps.maxVariants": "Most URLs that differ in numbers, ids and query values alone.",
  "traps.maxChain": "Most steps in a row from one such variant to the next, as an endless calendar leads.",
  "traps.maxDuplicates": "Pages of the same content whose links are followed.",
  maxRedirects: "Most redirects in a row.",
  maxQueued:
    "URLs in motion at once. The rest wait in the ledger and move up best first, so a lower number lets preferPatterns weigh more.",
  maxBodyBytes: "Most bytes of one body, after decompression.",
  timeoutMs: "Time for one fetch, from the request to the last byte, in milliseconds.",
  maxDurationS: "The crawl is cancelled after this many seconds; 0 is never.",
  retentionDays: "The crawl is deleted, with all it kept, this many days after its end; 0 is never.",
});

const crawl = "What to crawl, as `POST /api/crawls` takes it.";
describe(scheduleRequest, { cron: "When it starts: a cron expression of five fields, in UTC.", crawl });
describe(explainRequest, { url: "The URL in question, in any spelling.", crawl });
describe(explainQuery, { url: "The URL in question, in any spelling." });

describe(pageQuery, {
  url: "The page's URL, in any spelling.",
  format: "What it is to be read as; the body as it was sent where left out.",
});
describe(searchQuery, {
  q: 'Words, all of which are to be found; `"a phrase"`, `begin*`, `-without`.',
  crawl: "In this crawl alone; in all where left out.",
  limit: "Most hits of one answer.",
  cursor: "Where to go on: the `cursor` of the answer before.",
});
describe(retryRequest, {
  status: "URLs that ended so: `errored` where neither this nor a reason is named.",
  reason: "URLs that ended for this reason alone.",
  limit: "A new page limit, for a crawl that has all the pages it was to keep.",
});
describe(robotsQuery, {
  origin:
    "Scheme, host and port whose robots.txt is meant, or any URL there; that of `url`, or else of the first seed, where left out.",
  url: "A URL to try against it.",
});
describe(treeQuery, {
  path: "A URL up to and with one of the slashes of its path; the hosts where left out.",
});
describe(amendRequest, { limit: "Most completed pages.", maxCostUsd: "As in `POST /api/crawls`." });

const records = {
  cursor: "Where to go on: the `cursor` of the answer before.",
  limit: "Most records of one answer.",
  status: "Records of this status alone.",
};
describe(recordsQuery, records);
describe(exportQuery, {
  format: "What the crawl is written as.",
  cursor: records.cursor,
  status: records.status,
  formats: "What its pages are to be read as, for formats that hold pages; those of the format where left out.",
});
describe(formattedRecordsQuery, {
  ...records,
  reason: "Records that ended for this reason alone.",
  host: "Records of this host alone, with its port where that is not the scheme's own.",
  code: "Records of this HTTP status alone, or of a class of them, such as `4xx`.",
  type: "Records whose content type begins so.",
  q: "Records whose URL or title contains this; the case of ASCII letters does not count.",
  sort: "What they are sorted by; those that have no such value come last.",
  order: "Which way.",
  formats: "What the pages are to be read as, with commas between: `markdown,links`.",
});

describe(cloudflareOwn, {
  limit: "Most completed pages; what fails or is skipped does not count.",
  formats:
    "What the records hold: `html` (the main content), `rawHtml` (as sent), `markdown`, `text`, `json`, `links`, `headers`.",
  render: "Pages are not rendered: `true` is refused.",
  modifiedSince:
    "Keep only pages that have changed since, in seconds since 1970, a year ago at most, as sitemaps, Last-Modified and 304 tell; null is all.",
  maxAge: "Seconds. Every page is fetched anew, which any of them permits.",
  setExtraHTTPHeaders: "As `headers`.",
  authenticate: "Sent as `Authorization: Basic`, where `headers` are.",
  "authenticate.username": "Without a colon.",
  "authenticate.password": "Whatever its characters: it is sent in UTF-8.",
  cookies: "Sent where `headers` are, so only those that are for the whole of every seed's origin.",
  gotoOptions: "Of what a browser does to go to a page, what a fetch can do too.",
  "gotoOptions.timeout": "As `timeoutMs`, which goes before it; 0 is the most.",
  "gotoOptions.referer": "Sent as `Referer`, where `headers` are.",
});
describe(cloudflareQuery, {
  cursor: "Where to go on: the `cursor` of the answer before, a number.",
  limit: "Most records of one answer: 1,000, and with pages 200.",
  status: "Records of this status alone.",
});

describe(deleteQuery, { force: "Delete it though it is running; `false` where left out." });
