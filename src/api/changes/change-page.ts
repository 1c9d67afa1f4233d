import type { ChangeKind } from "../../crawl/watch/watch.ts";

/**
 * The path of the console's page that shows a change: the difference where there is one, else the record. `at`: when it
 * was told, in milliseconds since the Unix epoch or ISO 8601.
 */
export function changePath(crawl: string, { kind, url, at }: { kind: ChangeKind; url: string; at: number | string }) {
  const query = new URLSearchParams({ url });
  if (kind !== "changed") return `/crawls/${crawl}/record?${query}`;
  query.set("to", new Date(at).toISOString());
  return `/crawls/${crawl}/diff?${query}`;
}
