import { WorkerEntrypoint } from "cloudflare:workers";
import type { KeptPage, PageFetched, PageRejected, PageResult, SitemapResult } from "../crawl/outcome.ts";
import type { OutLink } from "../extract/links.ts";
import { extractPage, type Page } from "../extract/page.ts";
import { decidePageRobots, headerDirectives } from "../extract/page-robots.ts";
import { parseHtml } from "../extract/parse-html.ts";
import { memoizeCanonicalize } from "../url/canonical-memo.ts";
import { ask, type Readable, type Request, reject } from "./answer.ts";
import { decodeHtml } from "./charset.ts";
import { readBody, unknownCoding } from "./http.ts";
import { fetchSitemap, type SitemapRequest } from "./sitemap-fetcher.ts";
import { binaryType, sniffType } from "./sniff.ts";

/**
 * The page fetcher: one URL per invocation, called through a service binding to this same Worker. It fetches, decodes and parses, and
 * returns what the page holds. A page that throws or overruns fails this invocation, and so itself alone.
 */

export interface PageRequest extends Request {
  /** After decompression. */
  maxBodyBytes: number;
  /** Our name to robots: a product token. */
  agent: string;
  /** Whether the page's own robots directives are obeyed. */
  pageRobots: boolean;
  /** Whether URLs in its scripts count as links. */
  scriptLinks: boolean;
}

const ACCEPT = "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1";
const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);
/** Kept as they are: a browser shows them as text, whatever they hold, so there is nothing in them to follow. */
const TEXT_TYPES = new Set(["text/plain", "text/markdown"]);

const EXAMPLES = 3;
/** Of headers that are kept: the mirror has 8,192 bytes for all that it says of a page. */
const MAX_HEADER = 1_000;

/** Shared by the invocations of an isolate: a few megabytes at the most. */
const canonicalizeLink = memoizeCanonicalize(20_000);

export class PageFetcher extends WorkerEntrypoint<Env> {
  /** Returns an answer for whatever a server does; throws only where something of ours is broken. */
  async fetchPage(request: PageRequest): Promise<PageResult> {
    return ask(request, ACCEPT, this.env, (readable) => read(readable, request));
  }

  /** A page out of the mirror, read anew: as when it was fetched, but for a request. */
  async readPage(kept: KeptPage, request: PageRequest): Promise<PageResult> {
    return toPage(kept, request, 0);
  }

  /** As `fetchPage`, for a sitemap. */
  async fetchSitemap(request: SitemapRequest): Promise<SitemapResult> {
    return fetchSitemap(request, this.env);
  }
}

async function read({ response, signal, elapsed }: Readable, request: PageRequest): Promise<PageResult> {
  const { status } = response;
  const contentType = response.headers.get("content-type")?.slice(0, MAX_HEADER) ?? null;
  const xRobotsTag = response.headers.get("x-robots-tag")?.slice(0, MAX_HEADER) ?? null;
  const base = { httpStatus: status, contentType, durationMs: elapsed() };

  const called = essenceOf(contentType);
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
  return toPage({ body, contentType, xRobotsTag, httpStatus: status }, request, durationMs);
}

async function toPage(
  { body, contentType, xRobotsTag, httpStatus }: Omit<KeptPage, "contentType"> & { contentType: string | null },
  request: PageRequest,
  durationMs: number,
): Promise<PageFetched | PageRejected> {
  const base = { httpStatus, contentType, durationMs };
  const called = essenceOf(contentType);
  const { text, encoding } = decodeHtml(body, contentType);
  const binary = binaryType(body, encoding);
  if (binary !== null) {
    const detail = called === "" ? `no type is given; it is ${binary}` : `${binary} that is called ${called}`;
    return reject("content-type", detail, base);
  }
  const type = called === "" ? sniffType(text) : called;
  if (!isKept(type)) return reject("content-type", `no type is given; it looks like ${type}`, base);

  const digest = await crypto.subtle.digest("SHA-256", body);
  const page = readPage(TEXT_TYPES.has(type) ? "" : text, request);
  if (page instanceof Error) return reject("parse", page.message, base);
  const { noindex, nofollow } = request.pageRobots
    ? decidePageRobots(page.robots, headerDirectives(xRobotsTag, request.agent))
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
    xRobotsTag,
    noindex,
    httpStatus,
    retryAfterMs: null,
    durationMs,
  };
}

/** The type without its parameters, lower case; empty where there is none. */
function essenceOf(contentType: string | null): string {
  return contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
}

function isKept(type: string): boolean {
  return HTML_TYPES.has(type) || TEXT_TYPES.has(type);
}

/** What a parser throws at is the page's fault, and its own end. */
function readPage(text: string, { url, agent, scriptLinks }: PageRequest): Page | Error {
  try {
    return extractPage(parseHtml(text), url, canonicalizeLink, { agent, scriptLinks });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function hex(digest: ArrayBuffer): string {
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
