import type { CrawlView } from "../../api/views.ts";
import type { RecordFilters } from "../records/record-filters.tsx";

/** Addresses of a crawl's pages. */

/** `open`: the tab at which records open, where it is not their first one. */
export type RecordsQuery = RecordFilters & { cursor?: string; open?: "markdown" };

/** The crawl's records that match the filters. */
export function recordsAddress({ id }: Pick<CrawlView, "id">, filters: RecordsQuery): string {
  const query = new URLSearchParams(Object.entries(filters)).toString();
  return `/crawls/${id}/records${query === "" ? "" : `?${query}`}`;
}

/** `isRaw`: with what pages have in common. */
export function recordAddress(crawl: string, url: string, tab?: string, isRaw = false): string {
  const query = { url, ...(tab === undefined ? {} : { tab }), ...(isRaw ? { rawText: "true" } : {}) };
  return `/crawls/${crawl}/record?${new URLSearchParams(query)}`;
}

/** `path` is a path of the API's tree. */
export function mapAddress(crawl: string, path: string, by?: string): string {
  return `/crawls/${crawl}/map?${new URLSearchParams({ path, ...(by === "bytes" ? { by } : {}) })}`;
}

/** The stored page with its styles and images. */
export function replayAddress(crawl: string, url: string): string {
  return `/replay/${crawl}/${url}`;
}

/** The difference of the version in force at `to` and the one before. `full`: of the entire main content. */
export function diffAddress(crawl: string, url: string, to: string, full: boolean): string {
  return `/crawls/${crawl}/diff?${new URLSearchParams({ url, to, ...(full ? { full: "true" } : {}) })}`;
}
