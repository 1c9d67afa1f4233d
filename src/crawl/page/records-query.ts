import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import type { Reason } from "./reason.ts";
import type { UrlStatus } from "./status.ts";

/** Selects and orders a crawl's records. */
export interface RecordsQuery extends RecordsFilter {
  sort: RecordsSort;
  order: "asc" | "desc";
  /** The cursor that `cursorAfter` made; empty at the beginning. */
  cursor: string;
  limit: number;
}

export const BROWSER_FILTERS = ["needed", "used"] as const;
type BrowserFilter = (typeof BROWSER_FILTERS)[number];

export interface RecordsFilter {
  /** `queued` includes `pending`. */
  status?: UrlStatus | undefined;
  reason?: Reason | undefined;
  /** `URL.host`. */
  host?: string | undefined;
  /** An HTTP status, or a class of them such as `4xx`. */
  code?: string | undefined;
  /** Pages that need a browser and were not drawn, or pages that a browser drew. */
  browser?: BrowserFilter | undefined;
  /** Only pages at least so relevant to the crawl's subject, 0 to 1. */
  minRelevance?: number | undefined;
  /** Prefix of the content type. */
  type?: string | undefined;
  /** Only pages of this kind of documents. */
  document?: DocumentKind | undefined;
  /** A canonical language tag: only pages in this language, or in a variety of it. */
  language?: string | undefined;
  /** Only pages to which a classification gave this label. */
  label?: string | undefined;
  /** Text that its URL or title contains. */
  q?: string | undefined;
}

/** The keys to sort records by. Records without a value come last. */
export const RECORD_SORTS = [
  "url",
  "fetchedAt",
  "bytes",
  "depth",
  "code",
  "status",
  "title",
  "rank",
  "inLinks",
  "relevance",
  "priority",
] as const;
export type RecordsSort = (typeof RECORD_SORTS)[number];

/**
 * What follows a part of the records in the order in which they finished. `more`: more of them, at once. `later`: what
 * finishes from now on. `nothing`: the crawl has ended, and goes on only if somebody retries its URLs.
 */
export const FOLLOWS = ["more", "later", "nothing"] as const;
export type Follows = (typeof FOLLOWS)[number];
