import type { CrawlView } from "../api/views.ts";
import type { RecordFilters } from "./record-filters.tsx";

/** Where the pages of a crawl are, for those that lead to them. */

/** Its records, those that these filters leave. */
export function recordsAddress({ id }: Pick<CrawlView, "id">, filters: RecordFilters & { cursor?: string }): string {
  const query = new URLSearchParams(Object.entries(filters)).toString();
  return `/crawls/${id}/records${query === "" ? "" : `?${query}`}`;
}

export function recordAddress(crawl: string, url: string, tab?: string): string {
  return `/crawls/${crawl}/record?${new URLSearchParams({ url, ...(tab === undefined ? {} : { tab }) })}`;
}

/** `path` as the API's tree has it. */
export function mapAddress(crawl: string, path: string, by?: string): string {
  return `/crawls/${crawl}/map?${new URLSearchParams({ path, ...(by === "bytes" ? { by } : {}) })}`;
}

/** Its page as it looked. */
export function replayAddress(crawl: string, url: string): string {
  return `/replay/${crawl}/${url}`;
}
