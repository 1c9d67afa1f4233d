import type { Reading } from "../crawl/crawl.ts";
import { keepsArchive } from "../crawl/crawl-options.ts";
import { isAskedOnCondition, isUnchanged } from "../crawl/modified-since.ts";
import type { Validators } from "../crawl/outcome.ts";
import { partsOf } from "../crawl/page-format.ts";
import type { Visit } from "../crawl/watch.ts";
import type { Request } from "../fetch/answer.ts";
import { type CaptureRequest, hopsFromSeed } from "../fetch/capture-page.ts";
import type { MediaProgress, MediaRequest } from "../fetch/media-fetcher.ts";
import type { PageRequest } from "../fetch/page-fetcher.ts";
import { documentKey } from "../store/documents.ts";
import { type PageWork, visitOf, type Work } from "./work.ts";

/** The requests to the page fetcher that follow from a row and its crawl. */

/** The crawl's own headers go only to its seeds' origins. */
export function requestOf({ row, context }: Work): Request {
  const { userAgent, from, headers, timeoutMs } = context.crawl.options;
  return { url: row.url, userAgent, from, headers: context.isSeedHost(row.url) ? headers : {}, timeoutMs };
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
 * The request is unconditional if a sitemap says that the page has changed. An asset has no content to make, and is
 * stored at any age. `cookie`: the Cookie header; one of the crawl's own replaces it. `hook`: whether a hook reads the
 * page.
 */
export function pageRequestOf(work: PageWork, cookie: string | null, hook = false): PageRequest {
  const { lastmod, depth, via, chain, kind, visit } = work.row;
  const isAsset = kind === "asset";
  const { agent, crawl } = work.context;
  const { pageRobots, scriptLinks, forms, assets, media, formats, search } = crawl.options;
  const { render, renderOptions, screenshot } = crawl.options;
  const { documents, maxBodyBytes, maxDocumentBytes, preferMarkdown } = crawl.options;
  const { languages, preferLanguages } = crawl.options;
  const hasChanged = lastmod !== null && !isUnchanged(lastmod, crawl.options);
  const request = requestOf(work);
  const fields = isAsset ? null : work.context.rulesOf(request.url);
  return {
    ...request,
    headers: cookie === null ? request.headers : { cookie, ...request.headers },
    maxBodyBytes,
    documents,
    document:
      documents.length === 0
        ? null
        : { key: documentKey(crawl.id, request.url, visitOf(work)), maxBytes: maxDocumentBytes },
    keepBroken: isLastAttempt(work),
    agent,
    pageRobots,
    scriptLinks,
    ...(forms.length === 0 ? {} : { forms }),
    ...(languages.length === 0 ? {} : { languages }),
    ...(languages.length + preferLanguages.length === 0 ? {} : { byLanguage: true }),
    assets,
    media,
    asset: isAsset,
    ...(preferMarkdown && !isAsset ? { preferMarkdown } : {}),
    // Markdown of the server replaces what would be made later.
    parts: partsOf(preferMarkdown && !isAsset ? [...formats, "markdown"] : formats),
    ...(fields === null ? {} : { fields }),
    search: search && (media || !isAsset),
    ...(!hook || isAsset || visit !== null ? {} : { hook: true }),
    // A visit compares what the page says.
    version: visit === null || isAsset ? null : { ignoredElements: crawl.options.watch?.ignore.selectors ?? [] },
    modifiedSince: hasChanged || isAsset || visit !== null ? null : crawl.options.modifiedSince,
    capture: captureOf(work, via, hopsFromSeed(depth, isAsset ? chain : 0)),
    ...(work.context.topic === null || isAsset ? {} : { topic: work.context.topic.requestFor(request.url) }),
    onCondition: !isAsset && !hasChanged && visit === null && isAskedOnCondition(depth, crawl.options),
    // The answer to a page that is drawn may stay the same while its scripts draw something else.
    validators: visit === null || (render !== "never" && !isAsset) ? null : validatorsFor(visit),
    ...(render === "never" || isAsset
      ? {}
      : { render: { mode: render, actions: renderOptions, crawl: crawl.id, screenshot } }),
  };
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
    // The last hop leads from the page to what it shows.
    capture: captureOf(work, via, hopsFromSeed(depth, 1)),
  };
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
