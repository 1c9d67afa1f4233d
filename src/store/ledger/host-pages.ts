/** The completed pages of each host, in a crawl that limits them. */

/** A page that counts towards the page limit of its host. */
export interface HostPage {
  url: string;
  /** `URL.host`. */
  host: string;
}

/** The name under which `variants` counts the completed pages of a host. No pattern of URLs begins so. */
const hostPattern = (host: string) => `'host ' || (${host})`;

/** SQL for a count of pages within the limit ?3. A count above it is NULL, which the column refuses. */
const within = (count: string) => `iif(${count} > ?3, NULL, ${count})`;

const COUNT_HOST_PAGES = `
INSERT INTO variants (crawl, pattern, count)
SELECT ?1, ${hostPattern("j.value ->> 'host'")}, ${within("count(*)")} FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value ->> 'url'
WHERE u.status = 'queued'
GROUP BY j.value ->> 'host'
ON CONFLICT (crawl, pattern) DO UPDATE SET count = ${within("count + excluded.count")}`;

/**
 * Counts the pages that a transaction completes. Runs before they settle, while their rows are still queued. If a host
 * would have more than `limit` pages, the transaction fails as a whole (`isOverHostLimit`). `limit`: null for none.
 */
export function planHostPages(
  db: D1Database,
  crawl: string,
  pages: readonly HostPage[],
  limit: number | null,
): D1PreparedStatement[] {
  return pages.length === 0 ? [] : [db.prepare(COUNT_HOST_PAGES).bind(crawl, JSON.stringify(pages), limit)];
}

/** Whether a transaction failed because a host would have had more pages than its limit. */
export function isOverHostLimit(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: variants.count");
}

/** The completed pages of these hosts (?2). */
export const HOST_PAGES = `
SELECT j.value AS host, v.count FROM json_each(?2) j CROSS JOIN variants v
ON v.crawl = ?1 AND v.pattern = ${hostPattern("j.value")}`;

/** Hosts that have given ?2 pages or more, at most ?3, in order. */
export const FULL_HOSTS = `
SELECT substr(pattern, 6) AS host FROM variants
WHERE crawl = ?1 AND pattern >= 'host ' AND pattern < 'host!' AND count >= ?2 ORDER BY pattern LIMIT ?3`;

/** Those of these URLs (?2) that ended because their host had its pages. */
export const OVER_HOST_LIMIT = `
SELECT u.url FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
WHERE u.status = 'skipped' AND u.reason = 'host-limit'`;
