import type { PageVersion } from "../../changes/page-version.ts";
import type { LeftOut, LinkSample } from "../../media/document.ts";
import type { FieldValues } from "../../media/html/fields/field-rule.ts";
import type { TermSample } from "../../topic/term-sample.ts";
import type { Truncation } from "../truncation.ts";
import type { OutcomeFacts, PageFacts } from "../url-facts.ts";
import type { ActionsDone } from "./page-actions.ts";
import type { Reason } from "./reason.ts";
import type { FinalStatus } from "./status.ts";

/** The result of one attempt at a URL, as the ledger stores it. `queued` means that there will be another attempt. */
export interface Outcome extends Validators, OutcomeFacts {
  url: string;
  status: FinalStatus | "queued";
  fetchedAt: number;
  /** Of its main text; absent if none was made. */
  print?: PagePrint;
  /** The place of the answer and of its content in a pack; null if no pack holds them. */
  packed: PackedAnswer | null;
  /** The crawl has no page with its content yet, so that a list leads to it and no index (store/ledger/contents.ts). */
  isListed?: true;
}

/** What is kept in the row of a page's main text. */
export interface PagePrint {
  /** 16 hex digits (twins/text-print.ts); null for a text without words. */
  fingerprint: string | null;
  words: number;
}

/**
 * The place of an answer in a pack: its response or revisit record unless a page is stored as a file, and what was made
 * of a page.
 */
export interface PackedPage {
  pack: string;
  offset: number | null;
  length: number | null;
  /** The URL of the page with the same body; null if its own record holds the body. */
  revisits: string | null;
  contentOffset: number | null;
  contentLength: number | null;
}

/** With the place of the links of its batch's pages in the same pack; null if the links of this page are not kept. */
export interface PackedAnswer extends PackedPage {
  linksOffset: number | null;
  linksLength: number | null;
}

/** Like `Outcome`, for a sitemap. */
export type SitemapOutcome = Pick<
  Outcome,
  "url" | "status" | "reason" | "detail" | "httpStatus" | "fetchedAt" | "etag" | "lastModified" | "packed"
> & {
  /** The number of URLs that it lists; null if it could not be read. */
  listed: number | null;
};

/** The result of reading a sitemap again. */
export type SitemapReading = Pick<SitemapOutcome, "url" | "detail" | "httpStatus" | "listed"> &
  Validators & {
    /** The number of settled readings when this one began. */
    reading: number;
    /** Whether there was a new answer, and it could be read. Otherwise what is known stays. */
    isRead: boolean;
    readAt: number;
  };

/** The validators of an answer, as received; null where it has none (RFC 9110, section 8.8). */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** The result of a page fetch: plain data, because it goes from one Worker invocation to another. */
export type PageResult = PageFetched | PageRedirected | PageRejected;
/** Only a request with a place for a document has one as its result. */
export type FetchResult = PageResult | DocumentFetched | FetchGivenBack;

export interface Answered {
  /** Milliseconds from the request to the last byte. The pace depends on it. */
  durationMs: number;
  /** Bytes of the body that came, decompressed, for the bandwidth limit; absent if none was read. */
  bodyBytes?: number;
  /** What violates HTTP in the answer, which was read nevertheless; null or absent if nothing is known. */
  fault?: string | null;
  httpStatus: number | null;
  /** The Retry-After header in milliseconds. */
  retryAfterMs: number | null;
  /** The Set-Cookie headers, as received. Absent if there are none. */
  setCookies?: string[];
  /** Time of a browser to be paid for, in milliseconds; absent if it needed none. */
  billedMs?: number;
}

/** How a browser drew a page. */
export interface Rendering {
  /** Why the page was drawn, for people. */
  why: string;
  /** Time that it held a browser, in milliseconds. */
  browserMs: number;
  /** Requests of the page that were sent, beside the one for the page itself. */
  sent: number;
  /** Bytes of their bodies, decompressed. */
  bytes: number;
  /** Requests that an earlier page of the crawl had sent: their answers were used again. */
  cached: number;
  /** Requests that were not sent, by kind of request or reason. */
  refused: Record<string, number>;
  /** Answers that are not in the archive because they would have been too many bytes; absent if there are none. */
  unkept?: number;
  /** Why there is no picture of the page, for people; absent if there is one, or if none was asked for. */
  noPicture?: string;
  /** Whether the page still changed, or waited for answers, when its time was up. */
  isUnfinished: boolean;
  /** Absent if nothing was to be done on it. */
  done?: ActionsDone;
}

/** What one page has shown of its URL pattern. */
export interface RenderLesson {
  /** Characters of its text before a browser drew it. */
  plainText: number;
  hasGained: boolean;
}

/** Why a page is not stored although its links count. `detail`: for people. */
export interface Leave {
  reason: Reason;
  detail: string;
}

export type PageHeaders = [name: string, value: string][];

export interface PageFetched extends Answered, PageFacts {
  kind: "page";
  /** Empty if it is in `capture`. */
  body: Uint8Array;
  /** Length of the body; of a media file that is not stored, the size that the server names, if it does. */
  bytes: number | null;
  /** Null for a media file that is not stored. */
  sha256: string | null;
  contentType: string;
  /** How the body is broken; null if it is whole. */
  truncated: Truncation | null;
  encoding: string;
  title: string | null;
  /** Canonical outlinks that may be followed, each once. */
  links: string[];
  /** Canonical URLs of the sitemaps that it names. */
  sitemaps: string[];
  /** Canonical URLs of its RSS and Atom feeds. */
  feeds: string[];
  /** Canonical URL of the same page as Markdown. Absent if it names none. */
  markdownUrl?: string;
  /** Outlinks that the page asks not to follow: their number and some examples. */
  nofollow: LinkSample;
  /** Outlinks that a crawl with a session does not follow; absent if there are none. */
  actions?: LinkSample;
  /** Canonical URLs of its requisites, if the crawl keeps them. */
  assets: string[];
  /** Canonical URLs of the sounds, films and pictures that it shows, if the crawl describes them. */
  embedded?: string[];
  /** What a limit drops of its links and of its requisites, and why it has no content. */
  leftOut: Pick<LeftOut, "links" | "requisites" | "postForms" | "problem">;
  /** The response headers that the mirror keeps, in their order, names in lower case. */
  headers: PageHeaders;
  /** A `StoredContent` in JSON. Null if no format was requested, and once it is in `capture`. */
  content: Uint8Array | null;
  /** The line of its links (graph/page-links.ts). Absent for an asset, and once it is in `capture`. */
  pageLinks?: Uint8Array;
  /** Its text for the search index, cut to the limit of the index; null if it was not requested. */
  text: string | null;
  /** Of its main text; absent if none was made. */
  print?: PagePrint;
  /** What it says, to compare it with an earlier version; null if it was not requested, or it has no content. */
  version: PageVersion | null;
  /** What is stored of it says: null if nothing is; absent if it was not asked, or not read with the answer. */
  storedVersion?: PageVersion | null;
  /** What the whole page says; null if it was not requested. */
  said: PageSaid | null;
  /** Whether it looks as with the session that asked for it, if that was asked; null for what cannot be told. */
  signedIn?: { marked: boolean | null; asks: "password" | "human" | null };
  /** Why the crawl reads it for its links alone; null or absent if it does not. */
  linksOnly?: Leave | null;
  /** The directive that forbids keeping the page; null if there is none. */
  noindex: string | null;
  /** Why it counts as unchanged since `modifiedSince`; null if it does not. */
  notModified: string | null;
  /** Its language as a canonical tag (BCP 47); null or absent if it is not known. */
  language?: string | null;
  /** The language for which it is not stored; null or absent if it is. */
  otherLanguage?: string | null;
  /** The page in other languages, if the crawl prefers languages. */
  alternates?: { url: string; language: string }[];
  /** Its records for a pack; null if there are none. */
  capture: Capture | null;
  /** Whether the page says that there is none. */
  looksMissing?: boolean;
  /** Present if everything but its body is that of the drawn page. */
  rendering?: Rendering;
  /** Why it looks as if scripts made what it shows, for people; null or absent if it does not. */
  shell?: string | null;
  /** Why it may be so nevertheless, likewise. */
  shellDoubt?: string | null;
  /** Characters of its whole text; null or absent if they are not known. */
  textLength?: number | null;
  /** What rules read from it; absent if there are none. */
  fields?: FieldValues;
  /** The main text, for the installation's hook (crawl/subject/hook.ts); absent if there is none. */
  hookText?: string;
  /** What drawing it has taught of its URL pattern; absent if it was not drawn, or taught nothing. */
  lesson?: RenderLesson;
  /** What it says about the crawl's subject; absent without a subject. */
  topic?: PageTopic;
}

/** What a whole page says, with what surrounds its main text. */
export interface PageSaid {
  title: string | null;
  /** A line per block. */
  text: string;
  /** The URLs of what it is shown with. */
  pictures: string[];
}

/** What a page and its links say about the crawl's subject. */
export interface PageTopic {
  /** 0 to 1: 0.5 is relevant. */
  relevance: number;
  /** Its strongest terms. */
  sample: TermSample;
  /** What the words of each of `PageFetched.links` say, 0 to 1, in the same order. */
  linkScores: number[];
  /** The beginning of its text, for a page that is an example of the subject. */
  example?: string;
}

/** A document that waits in R2 for the reader Worker (store/mirror/documents.ts). */
export interface DocumentFetched extends Answered, FetchedHead {
  kind: "document";
  httpStatus: number;
  /** Writes of the mirror that it took. */
  writes: number;
  /** For a page of a kind that this Worker reads itself if it is small. Absent for a kind that is heavy. */
  large?: LargePage;
}

/** What its lane knows of a page that the reader Worker reads because of its size. */
export interface LargePage {
  /** How its body is broken; null if it is whole. */
  truncated: Truncation | null;
  /** Whether a browser may draw it. */
  mayDraw: boolean;
}

/** What is known of the answer of a document that waits. */
export type DocumentAnswer = Omit<DocumentFetched, "kind" | "writes" | "retryAfterMs" | "setCookies">;

/**
 * A fetch that failed for want of something of our own: neither the host's failure nor an attempt of its URL, which is
 * sent again later.
 */
export interface FetchGivenBack extends Answered {
  kind: "given-back";
  /**
   * `room`: in memory, beside other bodies. `browser`: a place in it, beside other pages. `mirror`: it did not take the
   * document.
   */
  lacks: "room" | "browser" | "mirror";
}

/** What is known of an answer before its body is read. */
export interface FetchedHead {
  statusText: string;
  contentType: string | null;
  /** The response headers, names in lower case, as many as a message holds. */
  headers: PageHeaders;
  /**
   * The headers sent, without the crawl's own; null for an answer that was not asked for, because an archive had it.
   */
  requestHeaders: PageHeaders | null;
  /** When the request began: milliseconds since the epoch. */
  date: number;
}

/** The records of an answer for a pack. Each record is a gzip member. */
export interface Capture {
  /** The answer itself; null for a page that is stored as a file. */
  answer: CapturedAnswer | null;
  /** What was made of a page; null if nothing was made. */
  content: Uint8Array | null;
  /** The line of a page's links (graph/page-links.ts), not compressed; null if the URL was not read as a page. */
  links: Uint8Array | null;
  /** The record of a media file that is described and not stored; absent for all others. */
  description?: Uint8Array;
  /** The answers to the requests of a rendered page that the archive lacks; absent if there are none. */
  resources?: CapturedResource[];
}

export interface CapturedAnswer {
  /** The UUID of the response record. The other records name it. */
  id: string;
  /** In pieces, so that a large body is not copied. */
  response: readonly Uint8Array[];
  /** The request record and the metadata record. */
  others: Uint8Array;
  status: number;
  statusText: string;
  /** All response headers. */
  headers: PageHeaders;
  /** When the request began: milliseconds since the epoch. */
  date: number;
}

/** The answer to a request of a rendered page. */
export interface CapturedResource extends CapturedAnswer {
  /** Canonical. */
  url: string;
  /** Hex SHA-256 of the body. */
  sha256: string;
}

/** The result of a sitemap fetch. */
export type SitemapResult = SitemapFetched | PageRedirected | PageRejected;

export interface SitemapFetched extends Answered {
  kind: "sitemap";
  sitemap: Sitemap;
  validators: Validators;
  /** Its records for a pack; absent if there are none. */
  capture?: Capture;
}

/** The entries of a sitemap, canonical URLs, each once. */
export interface Sitemap extends Pick<LeftOut, "truncated" | "problem" | "invalid"> {
  pages: SitemapEntry[];
  /** The sitemaps of an index. */
  sitemaps: SitemapEntry[];
  /** Entries beyond a limit. */
  dropped: LinkSample;
}

interface SitemapEntry {
  url: string;
  /** Milliseconds since the epoch. */
  lastmod: number | null;
}

/** A page as the mirror stores it. */
export type StoredPage = Pick<PageFetched, "body" | "contentType" | "headers"> & {
  httpStatus: number;
  /** How the body is broken. Absent if it is whole, and for a page in a pack. */
  truncated?: Truncation;
};

export interface PageRedirected extends Answered {
  kind: "redirect";
  /** The canonical target; null if it cannot be fetched. */
  target: string | null;
  /** The Location header as received. */
  location: string;
  /** Its records for a pack; absent if there are none. */
  capture?: Capture;
}

export interface PageRejected extends Answered {
  kind: "rejected";
  reason: Reason;
  detail: string;
  contentType: string | null;
  /** Whether another attempt may succeed. */
  retryable: boolean;
  /** Whether the host failed (refused, timed out, 429, 503), not this page alone. Then the host rests. */
  hostFailed: boolean;
  /**
   * Whether the host broke the connection off before its answer, or its answer was malformed. That is a trouble of this
   * URL, until several in a row have it.
   */
  dropped?: boolean;
  /** The records of the answer for a pack; absent if there are none. */
  capture?: Capture;
  /** The runtime does not say why it is dropped: a lenient request may tell (`Request.isLenient`). */
  unexplained?: boolean;
}
