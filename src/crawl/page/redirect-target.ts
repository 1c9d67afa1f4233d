import type { CrawlUrl } from "../crawl.ts";

/** A browser follows this many redirects. */
export const MAX_FOLLOWED_REDIRECTS = 20;

/**
 * The canonical URL to which a record redirects; null if it does not. Parses the detail that frontier/attempt.ts
 * writes, and to which frontier/commit/gather-page.ts may add.
 */
export function redirectTarget(record: Pick<CrawlUrl, "reason" | "detail"> | null): string | null {
  if (record?.reason !== "redirected") return null;
  return /^to (\S+?)(?:, which scope refuses: .*)?$/s.exec(record.detail ?? "")?.[1] ?? null;
}
