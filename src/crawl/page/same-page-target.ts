import type { CrawlUrl } from "../crawl.ts";

/**
 * The canonical URL that stands for a record that was refused as the same page; null for any other record. Parses the
 * detail that frontier/features/same-pages/skip-same-pages.ts writes.
 */
export function samePageTarget(record: Pick<CrawlUrl, "reason" | "detail">): string | null {
  if (record.reason !== "same-page") return null;
  return /^without .+ it is (\S+)$/s.exec(record.detail ?? "")?.[1] ?? null;
}
