import { sha256Of } from "../../../src/archive/sha256.ts";
import type { PageVersion } from "../../../src/changes/page-version.ts";
import type { PageRejected, PageResult } from "../../../src/crawl/page/outcome.ts";
import type { StoredContent } from "../../../src/crawl/page/page-format.ts";
import { reasonToLeave } from "../../../src/crawl/page/reason-to-leave.ts";
import { captureAnswer, captureContent, capturePage } from "../../../src/fetch/answer/capture-page.ts";
import type { PageRequest, ReadRequest } from "../../../src/fetch/request/page-request.ts";
import { emptyMetadata } from "../../../src/media/text/plain-content.ts";
import { linesOf } from "../model-links.ts";
import { modelTopic } from "../model-topic.ts";
import { textIn } from "./document-served.ts";
import type { Answer } from "./web.ts";

/** The results that the page fetcher and the reader make of the model's answers. */

export const NONE = { count: 0, examples: [] };

export function rejected(reason: PageRejected["reason"], durationMs: number, hostFailed: boolean): PageRejected {
  const base = { httpStatus: null, contentType: null, retryAfterMs: null, retryable: true };
  return { ...base, kind: "rejected", reason, detail: reason, durationMs, hostFailed };
}

/** A pilcrow begins another block. */
export function versionOf(body: Uint8Array): PageVersion {
  const blocks = textIn(body).split("¶");
  return { title: null, canonical: null, looksMissing: false, blocks, headings: [], rest: null };
}

/** Its text and its Markdown. */
export function contentOf(body: Uint8Array): StoredContent {
  const { blocks } = versionOf(body);
  return { metadata: emptyMetadata(), text: blocks.join("\n"), markdown: blocks.join("\n\n") };
}

/** The result as the page fetcher gives it. `date`: milliseconds since the epoch, by the crawler's clock. */
export function pageOf(
  answered: { answer: Answer; durationMs: number } | PageResult,
  request: ReadRequest & Pick<PageRequest, "capture" | "validators">,
  date: number,
): PageResult {
  if ("kind" in answered) return answered;
  const { answer, durationMs } = answered;
  const { url, search, asset, assets, capture, validators, topic } = request;
  if (answer.kind !== "page") throw new Error(`${url} is no page`);
  const etag = answer.etag ?? null;
  const headers: [string, string][] = etag === null ? [] : [["etag", etag]];
  if (etag !== null && validators?.etag === etag) {
    const head = { statusText: "Not Modified", date, headers, requestHeaders: [], status: 304, durationMs };
    const known =
      capture === null ? {} : { capture: captureAnswer(url, { ...head, payload: new Uint8Array() }, capture) };
    const facts = { httpStatus: 304, detail: "304", retryable: false, ...known };
    return { ...rejected("not-modified", durationMs, false), ...facts };
  }
  const body = new TextEncoder().encode(answer.body ?? url);
  const page = {
    kind: "page" as const,
    httpStatus: 200,
    durationMs,
    retryAfterMs: null,
    body,
    headers,
    content: null,
    text: search && !asset ? (answer.text ?? "") : null,
    version: request.version === null ? null : versionOf(body),
    said: request.said ? { title: null, text: versionOf(body).blocks.join("\n"), pictures: [] } : null,
    bytes: body.byteLength,
    capture: null,
    // A real digest, because readers compare the payload with it.
    sha256: sha256Of(body),
    contentType: answer.type ?? "text/html",
    encoding: "utf-8",
    title: url,
    links: asset ? [] : answer.links,
    assets: assets || asset ? (answer.assets ?? []) : [],
    nofollow: { count: 0, examples: [] },
    linksOnly: request.linksOnly,
    noindex: answer.noindex ?? null,
    notModified: null,
    ...(request.hook ? { hookText: answer.text ?? "" } : {}),
    sitemaps: [],
    feeds: [],
    truncated: null,
    leftOut: { links: NONE, requisites: NONE, problem: null },
    ...(asset ? {} : { pageLinks: linesOf(url, answer.links) }),
    ...modelTopic(topic, { title: url, text: answer.text ?? "", links: asset ? [] : answer.links }),
  };
  if (capture === null || reasonToLeave(page) !== null) return captureContent(url, page, date);
  return capturePage(url, page, { statusText: "OK", date, headers, requestHeaders: [] }, capture);
}
