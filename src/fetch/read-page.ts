import { sha256Of } from "../archive/sha256.ts";
import { essenceOf } from "../core/media-type.ts";
import { keepShapesOf } from "../core/shapes.ts";
import type { KeptPage, PageFetched, PageHeaders, PageRejected } from "../crawl/outcome.ts";
import type { KeptContent, Part } from "../crawl/page-format.ts";
import { decodeHtml } from "../media/charset.ts";
import { makeContent, makeTextContent } from "../media/html/content.ts";
import type { OutLink } from "../media/html/links.ts";
import { extractPage, type Page } from "../media/html/page.ts";
import { decidePageRobots, headerDirectives } from "../media/html/page-robots.ts";
import { type HtmlDocument, keepParserShapes, parseHtml } from "../media/html/parse-html.ts";
import { pageRequisites } from "../media/html/requisites.ts";
import { binaryType, sniffType } from "../media/sniff.ts";
import { memoizeCanonicalize } from "../url/canonical-memo.ts";
import { reject } from "./answer.ts";
import { parseHttpDate } from "./http-date.ts";
import { SAMPLE_PAGE, SAMPLE_URL } from "./sample-page.ts";

/** What the bytes of a page hold, whether a server has just sent them or the mirror has kept them. */

export interface ReadRequest {
  /** Canonical. */
  url: string;
  /** Our name to robots: a product token. */
  agent: string;
  /** Whether the page's own robots directives are obeyed. */
  pageRobots: boolean;
  /** Whether URLs in its scripts count as links. */
  scriptLinks: boolean;
  /** Whether what it needs to be shown is wanted. */
  assets: boolean;
  /** What is to be made of it, to be kept beside it. */
  parts: Part[];
  /** Whether its text is wanted for the search index. */
  search: boolean;
  /** Pages that have not changed since are not kept: seconds since the Unix epoch; null is none. */
  modifiedSince: number | null;
}

export type ContentRequest = Omit<ReadRequest, "pageRobots" | "search" | "modifiedSince" | "assets">;

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);
/** Kept as they are: a browser shows them as text, whatever they hold, so there is nothing in them to follow. */
const TEXT_TYPES = new Set(["text/plain", "text/markdown"]);
const EXAMPLES = 3;
/** Characters of a page that can be searched: 25 of them fill a tenth of what a batch may have in memory. */
const MAX_SEARCH_TEXT = 100_000;
/** Content that is larger is made when it is asked for: with the page's body it would be too much to hand over (32 MiB). */
const MAX_CONTENT_BYTES = 16 * 1024 * 1024;

/** Shared by the invocations of an isolate: a few megabytes at the most. */
const canonicalizeLink = memoizeCanonicalize(20_000);

export function isKept(type: string): boolean {
  return HTML_TYPES.has(type) || TEXT_TYPES.has(type);
}

let isSampleRead = false;

/** What reading a page leaves behind of the shapes of its objects, which make later pages faster. */
function readSample(): void {
  isSampleRead = true;
  const body = new TextEncoder().encode(SAMPLE_PAGE);
  const page = { body, contentType: "text/html; charset=utf-8", headers: [], httpStatus: 200 };
  const asked = {
    agent: "orbweaver",
    pageRobots: true,
    scriptLinks: true,
    search: true,
    assets: true,
    modifiedSince: null,
  };
  keepShapesOf(() => {
    keepParserShapes(SAMPLE_PAGE);
    readPage(page, { ...asked, url: SAMPLE_URL, parts: ["html", "markdown", "text", "links"] }, 0);
  });
}

/** Returns a rejection for whatever is wrong with the page; throws only where something of ours is broken. */
export function readPage(
  { body, contentType, headers, httpStatus }: Omit<KeptPage, "contentType"> & { contentType: string | null },
  request: ReadRequest,
  durationMs: number,
): PageFetched | PageRejected {
  if (!isSampleRead) readSample();
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

  const sha256 = sha256Of(body);
  const parsed = parse(text, type, request);
  if (parsed instanceof Error) return reject("parse", parsed.message, base);
  const { page } = parsed;
  const xRobotsTag = headers.find(([name]) => name === "x-robots-tag")?.[1] ?? null;
  const { noindex, nofollow } = request.pageRobots
    ? decidePageRobots(page.robots, headerDirectives(xRobotsTag, request.agent))
    : { noindex: null, nofollow: null };
  const mayFollow = (link: OutLink) => !request.pageRobots || (nofollow === null && !link.nofollow);
  const { follow = [], leave = [] } = Object.groupBy(page.links, (link) => (mayFollow(link) ? "follow" : "leave"));
  // Before content is made, which takes the document apart.
  const assets = request.assets ? pageRequisites(parsed.document, request.url, page.base, canonicalizeLink) : [];
  const notModified = unchangedBy(headers, request.modifiedSince);
  const parts: readonly Part[] = request.search ? [...request.parts, "text"] : request.parts;
  const isWanted = noindex === null && notModified === null && parts.length > 0;
  const content = isWanted ? contentOf(parsed, parts) : null;
  return {
    kind: "page",
    body,
    bytes: body.byteLength,
    sha256,
    contentType: called === "" || contentType === null ? `${type}; charset=${encoding}` : contentType,
    encoding,
    title: page.title,
    links: follow.map((link) => link.url),
    nofollow: { count: leave.length, examples: leave.slice(0, EXAMPLES).map((link) => link.url) },
    assets,
    headers,
    content: content === null ? null : keptOf(content, request.parts),
    text: request.search ? (content?.text ?? "").slice(0, MAX_SEARCH_TEXT) : null,
    noindex,
    notModified,
    capture: null,
    httpStatus,
    retryAfterMs: null,
    durationMs,
  };
}

/** What the server says of the page's last change, where that was not after `modifiedSince`. */
function unchangedBy(headers: PageHeaders, modifiedSince: number | null): string | null {
  const written = headers.find(([name]) => name === "last-modified")?.[1] ?? "";
  const isUnchanged = modifiedSince !== null && parseHttpDate(written) <= modifiedSince * 1000;
  return isUnchanged ? `the server says that it last changed ${written}` : null;
}

/** What a kept page can be made into, in JSON. */
export function readContent({ body, contentType }: KeptPage, request: ContentRequest): Uint8Array {
  const { text } = decodeHtml(body, contentType);
  const parsed = parse(text, essenceOf(contentType), request);
  if (parsed instanceof Error) throw parsed;
  return toJson(contentOf(parsed, request.parts));
}

interface Parsed {
  text: string;
  /** `text/html` and the like, or one of the text types. */
  type: string;
  page: Page;
  document: HtmlDocument;
}

/** What a parser throws at is the page's fault, and its own end. */
function parse(text: string, type: string, { url, agent, scriptLinks }: ContentRequest): Parsed | Error {
  try {
    const document = parseHtml(TEXT_TYPES.has(type) ? "" : text);
    return { text, type, document, page: extractPage(document, url, canonicalizeLink, { agent, scriptLinks }) };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The last thing that is read out of a document: it is taken apart. */
function contentOf({ text, type, page, document }: Parsed, parts: readonly Part[]): KeptContent {
  const formats = parts.filter((part) => part !== "links");
  const content = TEXT_TYPES.has(type)
    ? makeTextContent(text, type, page, formats)
    : makeContent(document, page, formats);
  return parts.includes("links") ? { ...content, links: page.links } : content;
}

/** In JSON, as far as it is to be kept: what the index alone takes is not kept twice. */
function keptOf(content: KeptContent, parts: readonly Part[]): Uint8Array | null {
  if (parts.length === 0) return null;
  const { text, ...others } = content;
  const json = toJson(parts.includes("text") ? content : others);
  return json.byteLength <= MAX_CONTENT_BYTES ? json : null;
}

function toJson(content: KeptContent): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}
