import type { Reason } from "./reason.ts";
import type { UrlStatus } from "./status.ts";

/** Which of a crawl's records somebody wants, and in what order. */
export interface RecordsQuery extends RecordsFilter {
  sort: RecordsSort;
  order: "asc" | "desc";
  /** Where to go on, as `cursorAfter` made it; empty at the beginning. */
  cursor: string;
  limit: number;
}

export interface RecordsFilter {
  /** `queued` takes in the pending ones. */
  status?: UrlStatus | undefined;
  reason?: Reason | undefined;
  /** `URL.host`. */
  host?: string | undefined;
  /** An HTTP status, or a class of them such as `4xx`. */
  code?: string | undefined;
  /** How the content type begins. */
  type?: string | undefined;
  /** What its URL or title contains. */
  q?: string | undefined;
}

/** What records are sorted by. Those that have no such value come last. */
export const RECORD_SORTS = ["url", "fetchedAt", "bytes", "depth", "code", "status", "title"] as const;
export type RecordsSort = (typeof RECORD_SORTS)[number];
