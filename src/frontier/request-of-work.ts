import type { Reading } from "../crawl/crawl.ts";
import { keepsArchive } from "../crawl/crawl-options.ts";
import { isAskedOnCondition, isUnchanged } from "../crawl/modified-since.ts";
import type { Validators } from "../crawl/outcome.ts";
import { partsOf } from "../crawl/page-format.ts";
import type { Visit } from "../crawl/watch.ts";
import type { Request } from "../fetch/answer.ts";
import { type CaptureRequest, hopsFromSeed } from "../fetch/capture-page.ts";
import type { MediaProgress, MediaRequest } from "../fetch/media-fetcher.ts";
import { ASKS_NOTHING, type PageRequest } from "../fetch/page-request.ts";
import type { DocumentOrder } from "../fetch/store-document.ts";
import { documentKey } from "../store/documents.ts";
import { type PageWork, visitOf, type Work } from "./work.ts";

/** The requests to the page fetcher that follow from a row and its crawl. */

/** The crawl's own headers go only to its seeds' origins. */
export function requestOf({ row, context }: Work): Request {
  const { userAgent, from, headers, timeoutMs } = context.crawl.options;
  const { url } = row;
  const mayBePrivate = context.mayBePrivate(url);
  return { url, userAgent, from, headers: context.isSeedOrigin(url) ? headers : {}, timeoutMs, mayBePrivate };
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
 * The request for a page of the crawl that has no row: its own requests look like any other of the crawl, and nothing
 * of the answer is kept. `work`: a page of the same host. `cookie`: the Cookie header; one of the crawl's own replaces
 * it.
 */
export function unlistedRequestOf(work: PageWork, url: string, cookie: string | null): PageRequest {
  const { agent, crawl } = work.context;
  const { pageRobots, scriptLinks, forms, maxBodyBytes, preferMarkdown } = crawl.options;
  const request = requestOf({ ...work, row: { ...work.row, url } });
  return {
    ...ASKS_NOTHING,
    ...request,
    headers: cookie === null ? request.headers : { cookie, ...request.headers },
    maxBodyBytes,
    keepBroken: isLastAttempt(work),
    agent,
    pageRobots,
    scriptLinks,
    forms,
    preferMarkdown,
  };
}

/**
 * The request for a row: fetched, read as a document, or read again from the mirror. It is unconditional if a sitemap
 * says that the page has changed. An asset has no content to make, and is stored at any age. `hook`: whether a hook
 * reads the page.
 */
export function pageRequestOf(work: PageWork, cookie: string | null, hook: boolean): PageRequest {
  const { url, kind, via, depth, chain, visit } = work.row;
  const { assets, media, search, documents } = work.context.crawl.options;
  const usual = { ...unlistedRequestOf(work, url, cookie), assets, media, documents, document: documentOf(work) };
  if (kind === "asset") {
    const capture = captureOf(work, via, hopsFromSeed(depth, chain));
    const validators = visit === null ? null : validatorsFor(visit);
    return { ...usual, asset: true, preferMarkdown: false, search: search && media, capture, validators };
  }
  return { ...usual, ...contentAskedOf(work, hook), ...conditionOf(work) };
}

/** What is made of a page. */
function contentAskedOf(work: PageWork, hook: boolean) {
  const { depth, via, visit, url } = work.row;
  const { crawl, rulesOf, topic } = work.context;
  const { formats, preferMarkdown, languages, preferLanguages, search, watch } = crawl.options;
  const { render: mode, renderOptions: actions, screenshot } = crawl.options;
  return {
    // Markdown of the server replaces what would be made later.
    parts: partsOf(preferMarkdown ? [...formats, "markdown"] : formats),
    fields: rulesOf(url),
    languages,
    byLanguage: languages.length + preferLanguages.length > 0,
    search,
    hook,
    // A visit compares what the page says.
    version: visit === null ? null : { ignoredElements: watch?.ignore.selectors ?? [] },
    topic: topic === null ? null : topic.requestFor(url),
    capture: captureOf(work, via, hopsFromSeed(depth, 0)),
    render: mode === "never" ? null : { mode, actions, crawl: crawl.id, screenshot, redraws: mayRedraw(work) },
  };
}

/** When a page is not to be sent, or not to be stored. */
function conditionOf({ row: { lastmod, depth, visit }, context }: PageWork) {
  const { options } = context.crawl;
  const hasChanged = lastmod !== null && !isUnchanged(lastmod, options);
  return {
    modifiedSince: hasChanged || visit !== null ? null : options.modifiedSince,
    onCondition: !hasChanged && visit === null && isAskedOnCondition(depth, options),
    // The answer to a page that is drawn may stay the same while its scripts draw something else.
    validators: visit === null || options.render !== "never" ? null : validatorsFor(visit),
  };
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
  cookie: string | null,
  known: MediaProgress | null,
  stopped: string | null,
): MediaRequest {
  const { depth, via } = work.row;
  const request = requestOf(work);
  return {
    ...request,
    headers: cookie === null ? request.headers : { cookie, ...request.headers },
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
