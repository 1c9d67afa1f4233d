import { WorkerEntrypoint } from "cloudflare:workers";
import type { PageRejected, PageResult } from "../crawl/outcome.ts";
import type { Reason } from "../crawl/reason.ts";
import type { OutLink } from "../extract/links.ts";
import { extractPage, type Page } from "../extract/page.ts";
import { decidePageRobots, headerDirectives } from "../extract/page-robots.ts";
import { parseHtml } from "../extract/parse-html.ts";
import { memoizeCanonicalize } from "../url/canonical-memo.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { decodeHtml } from "./charset.ts";
import { get, HEADERS_TIMEOUT_MS, NetworkFailure, readBody, retryAfterMs, unknownCoding } from "./http.ts";
import { sniffType } from "./sniff.ts";

/**
 * The page fetcher: one URL per invocation, called through a service binding to this same Worker. It fetches, decodes and parses, and
 * returns what the page holds. A page that throws or overruns fails this invocation, and so itself alone.
 */

export interface PageRequest {
  /** Canonical. */
  url: string;
  userAgent: string;
  /** The crawl's own, for its seeds' origins alone. */
  headers: Record<string, string>;
  /** For the whole answer. */
  timeoutMs: number;
  /** Until its headers are there: HEADERS_TIMEOUT_MS where left out, and never more than `timeoutMs`. */
  headersTimeoutMs?: number;
  /** After decompression. */
  maxBodyBytes: number;
  /** Our name to robots: a product token. */
  agent: string;
  /** Whether the page's own robots directives are obeyed. */
  pageRobots: boolean;
}

const ACCEPT = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1";
const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);
/** Kept as they are: a browser shows them as text, whatever they hold, so there is nothing in them to follow. */
const TEXT_TYPES = new Set(["text/plain", "text/markdown"]);
/** RFC 6585 and RFC 9110: the server asks to be left alone for a while. */
const OVERLOAD = new Set([429, 503]);
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

const EXAMPLES = 3;

/** Shared by the invocations of an isolate: a few megabytes at the most. */
const canonicalizeLink = memoizeCanonicalize(20_000);

export class PageFetcher extends WorkerEntrypoint<Env> {
  /** Returns an answer for whatever a server does; throws only where something of ours is broken. */
  async fetchPage(request: PageRequest): Promise<PageResult> {
    const startedAt = Date.now();
    const elapsed = () => Date.now() - startedAt;
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), request.headersTimeoutMs ?? HEADERS_TIMEOUT_MS);
    const signal = AbortSignal.any([AbortSignal.timeout(request.timeoutMs), silence.signal]);
    try {
      const headers = { accept: ACCEPT, ...request.headers, "user-agent": request.userAgent };
      const response = await get(request.url, headers, signal, this.env);
      clearTimeout(timer);
      const result = await read(response, request, signal, elapsed);
      // A body that was not wanted is not left to trickle in.
      if (!response.bodyUsed) await response.body?.cancel();
      return result;
    } catch (error) {
      if (!(error instanceof NetworkFailure)) throw error;
      if (error.reason === "private-address") return reject(error.reason, error.message, { durationMs: 0 });
      return reject(error.reason, error.message, { durationMs: elapsed(), retryable: true, hostFailed: true });
    } finally {
      clearTimeout(timer);
    }
  }
}

async function read(
  response: Response,
  request: PageRequest,
  signal: AbortSignal,
  elapsed: () => number,
): Promise<PageResult> {
  const { status } = response;
  const contentType = response.headers.get("content-type");
  const base = { httpStatus: status, contentType, durationMs: elapsed() };

  const location = response.headers.get("location");
  if (status >= 300 && status < 400 && location !== null) {
    const target = canonicalize(location, request.url);
    return { kind: "redirect", target, location, httpStatus: status, durationMs: base.durationMs, retryAfterMs: null };
  }
  if (status < 200 || status >= 300) {
    return reject("http-status", `${status} ${response.statusText}`.trim(), {
      ...base,
      retryAfterMs: retryAfterMs(response.headers.get("retry-after"), Date.now()),
      retryable: RETRYABLE.has(status),
      hostFailed: OVERLOAD.has(status),
    });
  }
  const called = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (called !== "" && !isKept(called)) return reject("content-type", called, base);
  const coding = unknownCoding(response);
  if (coding !== null) return reject("content-type", `its content-encoding is ${coding}, which nobody asked for`, base);
  const tooLarge = `more than ${request.maxBodyBytes.toLocaleString("en")} bytes`;
  const declared = Number(response.headers.get("content-length"));
  if (declared > request.maxBodyBytes)
    return reject("too-large", `${tooLarge}: ${declared.toLocaleString("en")}`, base);

  const { bytes: body, complete } = await readBody(response, request.maxBodyBytes, signal);
  const durationMs = elapsed();
  if (!complete) return reject("too-large", tooLarge, { ...base, durationMs });
  if (body.byteLength === 0) return reject("empty", `${status} ${response.statusText}`.trim(), { ...base, durationMs });
  const { text, encoding } = decodeHtml(body, contentType);
  if (!encoding.startsWith("utf-16") && isBinary(body))
    return reject("content-type", `binary data${called === "" ? "" : ` that is called ${called}`}`, {
      ...base,
      durationMs,
    });
  const type = called === "" ? sniffType(text) : called;
  if (!isKept(type)) return reject("content-type", `no type is given; it looks like ${type}`, { ...base, durationMs });

  const digest = await crypto.subtle.digest("SHA-256", body);
  const page = readPage(TEXT_TYPES.has(type) ? "" : text, request);
  if (page instanceof Error) return reject("parse", page.message, { ...base, durationMs });
  const { noindex, nofollow } = request.pageRobots
    ? decidePageRobots(page.robots, headerDirectives(response.headers.get("x-robots-tag"), request.agent))
    : { noindex: null, nofollow: null };
  const mayFollow = (link: OutLink) => !request.pageRobots || (nofollow === null && !link.nofollow);
  const { follow = [], leave = [] } = Object.groupBy(page.links, (link) => (mayFollow(link) ? "follow" : "leave"));
  return {
    kind: "page",
    body,
    sha256: hex(digest),
    contentType: called === "" || contentType === null ? `${type}; charset=${encoding}` : contentType,
    encoding,
    title: page.title,
    links: follow.map((link) => link.url),
    nofollow: { count: leave.length, examples: leave.slice(0, EXAMPLES).map((link) => link.url) },
    noindex,
    httpStatus: status,
    retryAfterMs: null,
    durationMs,
  };
}

function isKept(type: string): boolean {
  return HTML_TYPES.has(type) || TEXT_TYPES.has(type);
}

/** What a parser throws at is the page's fault, and its own end. */
function readPage(text: string, { url, agent }: PageRequest): Page | Error {
  try {
    return extractPage(parseHtml(text), url, canonicalizeLink, { agent });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** NUL bytes near the start: text has none (https://mimesniff.spec.whatwg.org/#binary-data-byte), but for a slip or two. */
function isBinary(body: Uint8Array): boolean {
  let nuls = 0;
  for (const byte of body.subarray(0, 1024)) if (byte === 0) nuls += 1;
  return nuls > 8;
}

function reject(reason: Reason, detail: string, facts: Partial<PageRejected> & { durationMs: number }): PageRejected {
  return {
    kind: "rejected",
    httpStatus: null,
    contentType: null,
    retryAfterMs: null,
    retryable: false,
    hostFailed: false,
    ...facts,
    reason,
    detail,
  };
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
