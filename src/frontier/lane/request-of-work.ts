import type { Reading } from "../../crawl/crawl.ts";
import { allowedActionsOf, type CrawlOptions, keepsArchive } from "../../crawl/crawl-options.ts";
import type { Validators } from "../../crawl/page/outcome.ts";
import type { Visit } from "../../crawl/watch/watch.ts";
import { NO_SECRETS, type Request, type Secrets, type Sending, senderOf } from "../../fetch/answer/answer.ts";
import { type CaptureRequest, hopsFromSeed } from "../../fetch/answer/capture-page.ts";
import type { MediaProgress, MediaRequest } from "../../fetch/media-fetcher.ts";
import type { DocumentOrder } from "../../fetch/reading/store-document.ts";
import { ASKS_NOTHING, type PageRequest, type PageWants } from "../../fetch/request/page-request.ts";
import { isFullLook } from "../../revisit/full-look.ts";
import { documentKey } from "../../store/mirror/documents.ts";
import type { CrawlContext } from "../context.ts";
import { type PageWork, visitOf, type Work } from "../work.ts";

/** The requests to the page fetcher that follow from a row and its crawl. */

/** What is needed of a crawl to ask for a URL, whether or not that has a row. */
type Asker = Pick<CrawlContext, "agent" | "mayBePrivate"> & { crawl: { options: CrawlOptions } };

/** Who asks for a URL, and how, whatever is asked. */
export function requestOf(url: string, { crawl, mayBePrivate }: Asker, sending: Sending): Request {
  const { options } = crawl;
  const { timeoutMs, session } = options;
  return {
    ...{ ...sending, ...senderOf(options), url, timeoutMs },
    mayBePrivate: mayBePrivate(url),
    hidesCookies: session !== "",
  };
}

/** What a crawl itself sends that is secret: its own headers, which go only to its seeds' origins. */
export function secretsOf(
  url: string,
  { headers, isSeedOrigin }: Pick<CrawlContext, "headers" | "isSeedOrigin">,
): Secrets {
  return isSeedOrigin(url) ? headers : NO_SECRETS;
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

/** What a crawl wants of all of its pages, whether or not they have rows. */
export function wantsOfAny(
  work: PageWork,
): Pick<PageWants, "allowActions" | "keepBroken" | "pageRobots" | "scriptLinks" | "forms"> {
  const { options } = work.context.crawl;
  const { pageRobots, scriptLinks, forms } = options;
  const allowActions = allowedActionsOf(options);
  return { keepBroken: isLastAttempt(work), pageRobots, scriptLinks, forms, allowActions };
}

/**
 * What is wanted of a page of the crawl that has no row: its own requests look like any other of the crawl, and nothing
 * of the answer is kept. `work`: a page of the same host.
 */
export function wantsOfUnlisted(work: PageWork): PageWants {
  const { preferMarkdown } = work.context.crawl.options;
  return { ...ASKS_NOTHING, ...wantsOfAny(work), preferMarkdown };
}

/** An asset has no content to make, and is stored at any age. */
export function wantsOfAsset(work: PageWork): PageWants {
  const { via, depth, chain, visit } = work.row;
  const { assets, media, search, documents } = work.context.crawl.options;
  return {
    ...wantsOfUnlisted(work),
    ...{ assets, media, documents, asset: true, preferMarkdown: false, search: search && media },
    document: documentOf(work),
    capture: captureOf(work, via, hopsFromSeed(depth, chain)),
    validators: visit === null ? null : validatorsFor(visit, work.context.crawl.options),
  };
}

/** Where a document goes that the reader Worker reads. */
export function documentOf(work: PageWork): DocumentOrder {
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

/** Some servers answer 304 for ever, so every tenth reading is unconditional. */
const UNCONDITIONAL_EVERY = 10;

/** Null for an unconditional visit. Only a stored page has an answer for the 304 to stand for. */
export function validatorsFor(visit: Visit, { watch }: Pick<CrawlOptions, "watch">): Validators | null {
  if (visit.status !== "completed" || watch === null) return null;
  return isFullLook(visit, watch.everyS * 1000, visit.beganAt) ? null : validatorsIn(visit);
}

/** Those of a sitemap or a feed that is read again. */
export function unlessTenth(reading: Reading): Validators | null {
  return reading.count % UNCONDITIONAL_EVERY === UNCONDITIONAL_EVERY - 1 ? null : validatorsIn(reading);
}

function validatorsIn({ etag, lastModified }: Validators): Validators | null {
  return etag === null && lastModified === null ? null : { etag, lastModified };
}

/** Null if the crawl keeps no archive. A watch packs in any case: a file would be overwritten. */
export function captureOf(work: Work, via: string | null, hops: string): CaptureRequest | null {
  const { id, options } = work.context.crawl;
  return keepsArchive(options) || options.watch !== null ? { warcinfoId: id, via, hops } : null;
}
