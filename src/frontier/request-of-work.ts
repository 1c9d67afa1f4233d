import type { Reading } from "../crawl/crawl.ts";
import { type CrawlOptions, keepsArchive } from "../crawl/crawl-options.ts";
import { isAskedOnCondition, isUnchanged } from "../crawl/modified-since.ts";
import type { Validators } from "../crawl/outcome.ts";
import { partsOf } from "../crawl/page-format.ts";
import type { PatternRenders } from "../crawl/render-memory.ts";
import type { Visit } from "../crawl/watch.ts";
import type { Request, Secrets, Sending } from "../fetch/answer.ts";
import { type CaptureRequest, hopsFromSeed } from "../fetch/capture-page.ts";
import type { MediaProgress, MediaRequest } from "../fetch/media-fetcher.ts";
import {
  ALL_SAID,
  type AnswerWants,
  ASKS_NOTHING,
  type ContentWants,
  type LinkWants,
  type PageRequest,
  type PageWants,
  type VersionRequest,
} from "../fetch/page-request.ts";
import type { DocumentOrder } from "../fetch/store-document.ts";
import { documentKey } from "../store/documents.ts";
import type { CrawlContext } from "./context.ts";
import { type PageWork, visitOf, type Work } from "./work.ts";

/** The requests to the page fetcher that follow from a row and its crawl. */

/** What is needed of a crawl to ask for a URL, whether or not that has a row. */
type Asker = Pick<CrawlContext, "agent" | "isSeedOrigin" | "mayBePrivate"> & { crawl: { options: CrawlOptions } };

/** Who asks for a URL, and how, whatever is asked. */
export function requestOf(url: string, { crawl, mayBePrivate }: Asker, sending: Sending): Request {
  const { userAgent, from, timeoutMs } = crawl.options;
  return { ...sending, url, userAgent, from, timeoutMs, mayBePrivate: mayBePrivate(url) };
}

/**
 * What is secret of a request. The crawl's own headers go only to its seeds' origins. `cookie`: the Cookie header; one
 * of the crawl's own replaces it.
 */
export function secretsOf(url: string, { crawl, isSeedOrigin }: Asker, cookie: string | null): Secrets {
  const own = isSeedOrigin(url) ? crawl.options.headers : {};
  return cookie === null ? own : { cookie, ...own };
}

/** The request for any page: one with a row or without, that is fetched or that is there. */
export function pageRequestOf(url: string, asker: Asker, wants: PageWants, sending: Sending): PageRequest {
  const { agent, crawl } = asker;
  return { ...wants, ...requestOf(url, asker, sending), agent, maxBodyBytes: crawl.options.maxBodyBytes };
}

/** A visit never is: a broken body would be no version of its page. */
export function isLastAttempt(work: Work): boolean {
  const { row, context } = work;
  return visitOf(work) === null && row.attempts + 1 >= context.crawl.options.maxAttempts;
}

/** Whether the connection of the attempt before was lost. */
export function wasDropped({ row: { unanswered } }: Work): boolean {
  return unanswered === "connection" || unanswered === "network";
}

/**
 * What is wanted of a page of the crawl that has no row: its own requests look like any other of the crawl, and nothing
 * of the answer is kept. `work`: a page of the same host.
 */
export function wantsOfUnlisted(work: PageWork): PageWants {
  const { pageRobots, scriptLinks, forms, preferMarkdown } = work.context.crawl.options;
  return { ...ASKS_NOTHING, keepBroken: isLastAttempt(work), pageRobots, scriptLinks, forms, preferMarkdown };
}

/** What is wanted of the Markdown that a page names, to be kept with it. */
export function wantsOfMarkdown(work: PageWork): PageWants {
  const capture = captureOf(work, work.row.url, hopsFromSeed(work.row.depth + 1, 1));
  return { ...wantsOfUnlisted(work), parts: ["markdown"], capture };
}

/** What is known of a page's URL beside its row and its crawl, by whoever reads the page. */
export interface Known {
  /** Whether a hook reads the page. */
  hook: boolean;
  /** What must be read of it to compare it with others of its host; null if it is not compared. */
  version: VersionRequest | null;
  /** What browsers have drawn of its URL pattern; null if nothing is known. */
  renders: PatternRenders | null;
}

/**
 * What is wanted of the page of a row: fetched, read as a document, or read again from the mirror. Each part names all
 * of its fields, so a new one does not compile until a row says what it is.
 */
export function wantsOf(work: PageWork, known: Known): PageWants {
  if (work.row.kind === "asset") return wantsOfAsset(work);
  return { ...linksOf(work), ...contentOf(work, known), ...answerOf(work, known) };
}

/** An asset has no content to make, and is stored at any age. */
function wantsOfAsset(work: PageWork): PageWants {
  const { via, depth, chain, visit } = work.row;
  const { assets, media, search, documents } = work.context.crawl.options;
  return {
    ...wantsOfUnlisted(work),
    ...{ assets, media, documents, asset: true, preferMarkdown: false, search: search && media },
    document: documentOf(work),
    capture: captureOf(work, via, hopsFromSeed(depth, chain)),
    validators: visit === null ? null : validatorsFor(visit),
  };
}

function linksOf(work: PageWork): LinkWants {
  const { pageRobots, scriptLinks, forms, preferMarkdown, assets, documents, modifiedSince } =
    work.context.crawl.options;
  return {
    ...{ pageRobots, scriptLinks, forms, preferMarkdown, assets, documents, asset: false },
    modifiedSince: isOfAnyAge(work) ? null : modifiedSince,
  };
}

function contentOf(work: PageWork, { hook, version }: Known): ContentWants {
  const { visit, url } = work.row;
  const { crawl, rulesOf, topic } = work.context;
  const { formats, preferMarkdown, languages, preferLanguages, search, media, watch } = crawl.options;
  return {
    // Markdown of the server replaces what would be made later.
    parts: partsOf(preferMarkdown ? [...formats, "markdown"] : formats),
    fields: rulesOf(url),
    languages,
    byLanguage: languages.length + preferLanguages.length > 0,
    media,
    search,
    hook,
    // A visit compares what the page says.
    version: visit === null ? version : { ...ALL_SAID, ignoredElements: watch?.ignore.selectors ?? [] },
    topic: topic === null ? null : topic.requestFor(url),
    drawn: null,
  };
}

function answerOf(work: PageWork, { renders }: Known): AnswerWants {
  const { depth, via, visit } = work.row;
  const { id, options } = work.context.crawl;
  const { render: mode, renderOptions: actions, screenshot } = options;
  return {
    keepBroken: isLastAttempt(work),
    capture: captureOf(work, via, hopsFromSeed(depth, 0)),
    onCondition: !isOfAnyAge(work) && isAskedOnCondition(depth, options),
    // The answer to a page that is drawn may stay the same while its scripts draw something else.
    validators: visit === null || mode !== "never" ? null : validatorsFor(visit),
    document: documentOf(work),
    render: mode === "never" ? null : { mode, actions, crawl: id, screenshot, redraws: mayRedraw(work) },
    renders,
  };
}

/** Whether the page is stored whenever it has changed: it is visited again, or a sitemap says that it has. */
function isOfAnyAge({ row: { lastmod, visit }, context }: PageWork): boolean {
  return visit !== null || (lastmod !== null && !isUnchanged(lastmod, context.crawl.options));
}

/** Where a document goes that the reader Worker reads. */
function documentOf(work: PageWork): DocumentOrder {
  const { id, options } = work.context.crawl;
  const key = documentKey(id, work.row.url, visitOf(work));
  return { key, maxBytes: options.maxDocumentBytes, takesLarge: work.hint.inLane !== true };
}

/** `known`: what the ranges before have brought. `stopped`: why no further one is asked for. */
export function mediaRequestOf(
  work: PageWork,
  known: MediaProgress | null,
  stopped: string | null,
  sending: Sending,
): MediaRequest {
  const { depth, via, url } = work.row;
  return {
    ...requestOf(url, work.context, sending),
    known,
    stopped,
    search: work.context.crawl.options.search,
    // The last hop leads from the page to what it shows. The target of a seed's redirect has none.
    capture: captureOf(work, via, hopsFromSeed(depth, Math.min(depth, 1))),
  };
}

/** How often a page is drawn again because hosts of what it needs were busy. */
const MAX_REDRAWS = 2;

function mayRedraw(work: PageWork): boolean {
  const { attempts, visit } = work.row;
  return visit === null ? !isLastAttempt(work) && attempts < MAX_REDRAWS : visit.failures < MAX_REDRAWS;
}

/** Some servers answer 304 for ever, so every tenth visit is unconditional. */
const UNCONDITIONAL_EVERY = 10;

/** Null for an unconditional visit. Only a stored page has an answer for the 304 to stand for. */
function validatorsFor(visit: Visit): Validators | null {
  return visit.status === "completed" ? unlessTenth(visit) : null;
}

export function unlessTenth({ count, etag, lastModified }: Reading): Validators | null {
  if (etag === null && lastModified === null) return null;
  return count % UNCONDITIONAL_EVERY === UNCONDITIONAL_EVERY - 1 ? null : { etag, lastModified };
}

/** Null if the crawl keeps no archive. A watch packs in any case: a file would be overwritten. */
export function captureOf(work: Work, via: string | null, hops: string): CaptureRequest | null {
  const { id, options } = work.context.crawl;
  return keepsArchive(options) || options.watch !== null ? { warcinfoId: id, via, hops } : null;
}
