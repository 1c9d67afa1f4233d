import type { Sitemap } from "../media/sitemap/sitemap.ts";
import type { Reason } from "./reason.ts";
import type { FinalStatus } from "./status.ts";

/** How one try of a URL ended, as the ledger keeps it. `queued` means that it will be tried again. */
export interface Outcome {
  url: string;
  status: FinalStatus | "queued";
  /** Null for `completed` alone. */
  reason: Reason | null;
  detail: string | null;
  httpStatus: number | null;
  title: string | null;
  contentType: string | null;
  /** Length of the body, decompressed. */
  bytes: number | null;
  /** Hex SHA-256 of the body, decompressed. */
  sha256: string | null;
  fetchedAt: number;
  /** Where in a pack its page lies, and what was made of it; null where none holds any of it. */
  packed: PackedPage | null;
}

/** What a pack holds of a page: its response record, or the revisit that stands for one, unless it is kept as a file; and what was made of it. */
export interface PackedPage {
  pack: string;
  offset: number | null;
  length: number | null;
  /** The page whose content it has; null where its own record holds it. */
  revisits: string | null;
  contentOffset: number | null;
  contentLength: number | null;
}

/** As `Outcome`, for a sitemap. */
export type SitemapOutcome = Pick<Outcome, "url" | "status" | "reason" | "detail" | "httpStatus" | "fetchedAt"> & {
  /** URLs that it lists; null where it could not be read. */
  listed: number | null;
};

/** What a page fetch brought back: plain data, for it crosses from one Worker invocation to another. */
export type PageResult = PageFetched | PageRedirected | PageRejected;

interface Answered {
  /** From the request to the last byte, in milliseconds: what the pace is reckoned from. */
  durationMs: number;
  httpStatus: number | null;
  /** What Retry-After asks for, in milliseconds. */
  retryAfterMs: number | null;
}

export type PageHeaders = [name: string, value: string][];

export interface PageFetched extends Answered {
  kind: "page";
  /** Empty where it is in `capture`. */
  body: Uint8Array;
  /** Of the body. */
  bytes: number;
  sha256: string;
  contentType: string;
  encoding: string;
  title: string | null;
  /** Canonical outlinks that may be followed, each once. */
  links: string[];
  /** Outlinks that the page asks not to follow: how many, and a few of them. */
  nofollow: { count: number; examples: string[] };
  /** Canonical URLs of what it needs to be shown, where the crawl keeps that. */
  assets: string[];
  /** Of the answer, in its order, names in lower case; as far as the mirror keeps them. */
  headers: PageHeaders;
  /** What was made of it: a `KeptContent` in JSON. Null where nothing was asked for, and once it is in `capture`. */
  content: Uint8Array | null;
  /** Its text for the search index, cut to what that takes; null where none was asked for. */
  text: string | null;
  /** What asks for the page not to be kept; null where nothing does. */
  noindex: string | null;
  /** What says that it has not changed since the time that the crawl asks for; null where nothing does. */
  notModified: string | null;
  /** What a pack is to hold of it; null where there is nothing for one. */
  capture: Capture | null;
}

/** What a pack is to hold, each record a gzip member. */
export interface Capture {
  /** The page; null where it is kept as a file. */
  page: {
    response: Uint8Array;
    /** The request and what the crawler knows of it. */
    others: Uint8Array;
    statusText: string;
    /** All that came. */
    headers: PageHeaders;
    /** When the request began. */
    date: number;
  } | null;
  /** What was made of it; null where nothing was. */
  content: Uint8Array | null;
}

/** What the fetch of a sitemap brought back. */
export type SitemapResult = SitemapFetched | PageRedirected | PageRejected;

export interface SitemapFetched extends Answered {
  kind: "sitemap";
  sitemap: Sitemap;
}

/** A page as the mirror holds it. */
export type KeptPage = Pick<PageFetched, "body" | "contentType" | "headers"> & { httpStatus: number };

export interface PageRedirected extends Answered {
  kind: "redirect";
  /** Canonical target, or null where there is none that can be fetched. */
  target: string | null;
  /** The Location header as it came. */
  location: string;
}

export interface PageRejected extends Answered {
  kind: "rejected";
  reason: Reason;
  detail: string;
  contentType: string | null;
  /** Whether another try may end otherwise. */
  retryable: boolean;
  /** The host failed (refused, timed out, 429, 503), not this page alone: it gets a rest. */
  hostFailed: boolean;
}
