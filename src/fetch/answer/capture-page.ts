import { gzipMember, storedMember } from "../../archive/gzip-member.ts";
import { sha256Of } from "../../archive/sha256.ts";
import {
  metadataRecord,
  requestRecord,
  resourceRecord,
  responseRecord,
  type Truncated,
} from "../../archive/warc-record.ts";
import { joinBytes } from "../../core/join-bytes.ts";
import type { Capture, PageFetched, PageHeaders } from "../../crawl/page/outcome.ts";

/**
 * Turns an answer, and the content of a page, into the records of a WARC file. They are compressed in the URL's own
 * invocation, which bears the cost.
 */

/** What the crawler knows of a URL, for the records of its answer. */
export interface CaptureRequest {
  /** The UUID of the warcinfo record that describes the records: the crawl's id. */
  warcinfoId: string;
  /** The URL of the page on which it was found; null for a seed. */
  via: string | null;
  /** Heritrix writes a letter for each hop: `L` a link, `E` a requisite, `M` a sitemap, `P` a robots.txt. */
  hops: string;
}

/** The head of an answer, and the request for it. */
export interface AnswerHead {
  statusText: string;
  /** All response headers. */
  headers: PageHeaders;
  /** When the request began: milliseconds since the epoch. */
  date: number;
  /** The headers sent, without the crawl's own headers, which may be a password; null if no request was sent. */
  requestHeaders: PageHeaders | null;
}

interface Answer extends AnswerHead {
  status: number;
  payload: Uint8Array;
  /** The digest of `payload`, if the caller has it. */
  sha256?: string;
  /** Why `payload` is incomplete; absent if it is complete. */
  truncated?: Truncated;
  durationMs: number;
  /** The name of the encoding of a page. */
  encoding?: string;
  /** Whether the payload is compressed already, as most documents are. */
  isCompressed?: boolean;
}

/** Further letters tell nothing. */
const MAX_HOPS = 1_000;
const EMPTY = new Uint8Array(0);

/** `embeds`: how many of the hops lead from a page to a requisite. */
export function hopsFromSeed(depth: number, embeds: number): string {
  return "L".repeat(Math.min(depth - embeds, MAX_HOPS)) + "E".repeat(embeds);
}

/** Makes the records of an answer: the response, the request, and what the crawler knows. */
export function captureAnswer(url: string, answer: Answer, { warcinfoId, via, hops }: CaptureRequest): Capture {
  const id = crypto.randomUUID();
  const { status, statusText, headers, date, requestHeaders, payload, truncated, durationMs, encoding = "" } = answer;
  const { sha256 = sha256Of(payload) } = answer;
  const common = { date, url, warcinfoId };
  const whole = { ...common, id, status, statusText, headers, payload, sha256 };
  const response = responseRecord(truncated === undefined ? whole : { ...whole, truncated });
  const request =
    requestHeaders === null
      ? []
      : [gzipMember(requestRecord({ ...common, concurrentTo: id, method: "GET", headers: requestHeaders }))];
  const metadata = metadataRecord({
    ...common,
    concurrentTo: id,
    fields: [
      ...(via === null ? [] : [["via", via] as const]),
      ["hopsFromSeed", hops],
      ["fetchTimeMs", String(durationMs)],
      ...(encoding === "" ? [] : [["charset", encoding] as const]),
    ],
  });
  const others = joinBytes([...request, gzipMember(metadata)]);
  return {
    answer: {
      id,
      response: answer.isCompressed ? storedMember(response) : [gzipMember(response)],
      others,
      status,
      statusText,
      headers,
      date,
    },
    content: null,
    links: null,
  };
}

/** Returns the page with records instead of its body. */
export function capturePage(url: string, page: PageFetched, head: AnswerHead, request: CaptureRequest): PageFetched {
  const { body: payload, sha256, durationMs, encoding, truncated } = page;
  const broken = truncated === null ? {} : { truncated };
  const digest = sha256 === null ? {} : { sha256 };
  const facts = { status: page.httpStatus ?? 200, payload, ...digest, durationMs, encoding, ...broken };
  const { answer } = captureAnswer(url, { ...head, ...facts }, request);
  const { capture, ...others } = captureContent(url, page, head.date);
  return { ...others, body: EMPTY, capture: { content: null, links: null, ...capture, answer } };
}

/**
 * Returns the page with its links and a record of its content, instead of the content's JSON; the body stays, and so do
 * the records of what a rendered page asked for.
 */
export function captureContent(url: string, { pageLinks, ...page }: PageFetched, date: number): PageFetched {
  const { content, capture: before } = page;
  if (content === null && pageLinks === undefined) return page;
  const made = content === null ? null : contentRecord(url, content, date);
  return { ...page, content: null, capture: { ...before, answer: null, content: made, links: pageLinks ?? null } };
}

/**
 * The record has a name like those of Browsertrix Crawler (`urn:text:URL`): it is a resource of its own, which no
 * reader mistakes for the page. Exports leave it out.
 */
export function contentRecord(url: string, content: Uint8Array, date: number): Uint8Array {
  const record = resourceRecord({
    url: `urn:content:${url}`,
    date,
    sha256: sha256Of(content),
    payload: content,
    contentType: "application/json",
  });
  return gzipMember(record);
}
