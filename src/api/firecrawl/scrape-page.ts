import { systemClock } from "../../core/clock.ts";
import type { Crawl, Purpose } from "../../crawl/crawl.ts";
import { describeReason, type Reason } from "../../crawl/page/reason.ts";
import type { Extraction } from "../../extract/extraction.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { deleteCrawl } from "../../lifecycle/delete-crawl.ts";
import type { FirecrawlDocument } from "../../notices/firecrawl-document.ts";
import { declaresModel } from "../../passes/extract/may-show-model.ts";
import { NO_TEXT } from "../../passes/extract/page-values.ts";
import { extractStored } from "../../reading/records/extract-values.ts";
import type { Installation } from "../crawls/crawl-request.ts";
import { startWith } from "../crawls/crawl-routes.ts";
import { type FoundPage, findStoredPage } from "./find-stored-page.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import type { ScrapeDeps } from "./needs.ts";
import { type ChosenContent, openDocuments, readDocument, withMainContent, withValues } from "./read-document.ts";
import type { ScrapeRequest } from "./requests/firecrawl-requests.ts";
import { optionsOfScrape } from "./requests/read-request.ts";
import { acceptLanguageOf } from "./requests/scrape-options.ts";
import { waitForCrawl } from "./wait-for-crawl.ts";

/**
 * Scrapes one page in one request: from a crawl that fetched it lately, or by a crawl of this page alone, which waits
 * its turn at the host's gate like any other and is kept.
 */

/** The default of their API, in milliseconds. */
const SCRAPE_TIMEOUT_MS = 300_000;
/** A page and the redirects before it. */
const MAX_RECORDS = 20;

export async function scrapePage(
  request: ScrapeRequest,
  installation: Installation,
  deps: ScrapeDeps,
  purpose: Exclude<Purpose, "crawl"> = "scrape",
): Promise<FirecrawlDocument> {
  const until = systemClock.now() + (request.timeout ?? SCRAPE_TIMEOUT_MS);
  const options = optionsOfScrape(request, installation);
  const [asked = ""] = options.urls;
  const stored = await findInMirror(request, asked, deps);
  const { formats, rules, extraction } = request.formats;
  const wanted = { asked, screenshot: options.screenshot, rules, chosen: chosenOf(request) };
  const read = async (found: FoundPage, cache: "hit" | "miss") => {
    const crawl = withMainContent(found.crawl);
    const home = homeOf(deps, crawl.id);
    const document = await readDocument({ ...found, crawl }, formats, wanted, await openDocuments(crawl, home));
    return withCache(extraction === null ? document : await askModel(document, found, extraction, home), cache);
  };
  if (stored !== null) return read(stored, "hit");
  if (request.lockdown || request.minAge !== undefined)
    throw new FirecrawlProblem(
      404,
      request.lockdown ? "SCRAPE_LOCKDOWN_CACHE_MISS" : "SCRAPE_NO_CACHED_DATA",
      `No crawl here has fetched ${asked} at that time. Send the request without lockdown and minAge to fetch it.`,
    );
  const id = await startWith(options, deps, purpose);
  const home = homeOf(deps, id);
  try {
    return await read(await pageOf(await waitForCrawl(id, until, home), asked, home), "miss");
  } finally {
    if (!request.storeInCache) await deleteCrawl(id, true, home);
  }
}

/** The document with what the model finds in the stored page. An answer that the page's crawl has is not paid again. */
async function askModel(
  document: FirecrawlDocument,
  { crawl, record }: FoundPage,
  extraction: Extraction,
  deps: ScrapeDeps,
): Promise<FirecrawlDocument> {
  if (record.status !== "completed") return document;
  if (typeof deps.model === "string") throw new FirecrawlProblem(400, "BAD_REQUEST", deps.model);
  const check = await extractStored(crawl, record.url, extraction, deps.model, deps);
  const { extracted, problem } = check ?? { extracted: null, problem: NO_TEXT };
  return withValues(document, { values: null, evidence: [], ...extracted, problem });
}

/** What a request asks for beside what is stored of a page; null if nothing. */
function chosenOf({ onlyMainContent, includeTags, excludeTags, location }: ScrapeRequest): ChosenContent {
  const isChosen = !onlyMainContent || includeTags.length > 0 || excludeTags.length > 0;
  const language = acceptLanguageOf(location);
  return {
    selection: isChosen ? { isWhole: !onlyMainContent, include: includeTags, exclude: excludeTags } : null,
    warning:
      location?.country === undefined
        ? null
        : `The request left from where this installation runs${language === null ? "" : `, and asked for the language ${language}`}: no exit in ${location.country} can be had.`,
  };
}

/** A request with headers of its own asks for a page that may be for it alone. */
async function findInMirror(request: ScrapeRequest, asked: string, deps: ScrapeDeps): Promise<FoundPage | null> {
  const isOpen = request.lockdown || request.minAge !== undefined;
  const isOwn = Object.keys(request.headers).length > 0 || acceptLanguageOf(request.location) !== null;
  if (isOwn || (request.maxAge === 0 && !isOpen)) return null;
  const now = deps.clock.now();
  const usable =
    request.formats.extraction === null || isOpen ? isAnyCrawl : ({ options }: Crawl) => declaresModel(options);
  const within = { from: isOpen ? 0 : now - request.maxAge, until: now - (request.minAge ?? 0) };
  return findStoredPage(asked, within, request.formats.screenshot !== null, usable, deps);
}

const isAnyCrawl = () => true;

/** The page to which the crawl came, at best the one that answered. Throws FirecrawlProblem. */
async function pageOf(crawl: Crawl, asked: string, { records }: Pick<ScrapeDeps, "records">): Promise<FoundPage> {
  const all = (await records.list(crawl.id, { cursor: "", limit: MAX_RECORDS })).filter(({ kind }) => kind === "page");
  const page = all.find(({ status }) => status === "completed");
  if (page !== undefined) return { crawl, record: page };
  const last = all.find(({ reason }) => reason !== "redirected") ?? all.find(({ url }) => url === asked);
  if (crawl.finishedAt === null)
    throw new FirecrawlProblem(
      408,
      "SCRAPE_TIMEOUT",
      `The page did not come in time${last?.detail == null ? "" : ` (${last.detail})`}. Send the request again, with a longer timeout.`,
    );
  // The server answered, as it does for them: the status says what.
  if (last !== undefined && last.httpStatus !== null && last.reason === "http-status") return { crawl, record: last };
  const [status, code] = CODES[last?.reason ?? "network"] ?? [500, "SCRAPE_SITE_ERROR"];
  throw new FirecrawlProblem(
    status,
    code,
    last === undefined ? `${asked} was not fetched` : `${last.url} was not stored: ${describeReason(last)}`,
  );
}

const CODES: Partial<Record<Reason, [status: 403 | 415 | 422 | 500, code: string]>> = {
  robots: [403, "SCRAPE_ROBOTS_DISALLOWED"],
  "content-signal": [403, "SCRAPE_ROBOTS_DISALLOWED"],
  noindex: [403, "SCRAPE_ROBOTS_DISALLOWED"],
  "content-type": [415, "SCRAPE_UNSUPPORTED_FILE_ERROR"],
  "too-large": [422, "SCRAPE_UNSUPPORTED_FILE_ERROR"],
  dns: [500, "SCRAPE_DNS_RESOLUTION_ERROR"],
  tls: [500, "SCRAPE_SSL_ERROR"],
};

function withCache(document: FirecrawlDocument, cacheState: "hit" | "miss"): FirecrawlDocument {
  const { scrapedAt, ...metadata } = document.metadata;
  const cachedAt = cacheState === "hit" ? { cachedAt: scrapedAt } : {};
  return { ...document, metadata: { ...metadata, scrapedAt, cacheState, ...cachedAt } };
}
