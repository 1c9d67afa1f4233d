import type { SitemapDiscovery, SitemapReport } from "../../crawl/crawl.ts";
import type { SitemapOutcome, SitemapReading } from "../../crawl/page/outcome.ts";
import type { UrlStatus } from "../../crawl/page/status.ts";
import { hostKey } from "../../url/host-key.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import type { Plan } from "../ledger/plan.ts";
import { fitting } from "./fitting.ts";
import { toStoredJson } from "./stored-text.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";

/** Sitemaps in D1. No counter of the crawl counts them, and a crawl does not end while a sitemap is open. */

/** One full index (https://www.sitemaps.org/protocol.html#index). */
const MAX_SITEMAPS = 50_000;
/** A site has a few feeds. A blog may have one of comments for each of its pages, and those are left out. */
const MAX_FEEDS = 20;

/** The sitemaps of a commit. */
export interface SitemapCommit {
  crawl: string;
  sitemapOutcomes: SitemapOutcome[];
  /** Of sitemaps that were read before. */
  readings: SitemapReading[];
  sitemaps: SitemapDiscovery[];
  /** The last change of URLs, in milliseconds since the Unix epoch. Existing rows get it. */
  dated: { url: string; lastmod: number }[];
}

/** Whether crawl ?1 has a sitemap that is not read yet. */
export const SITEMAPS_OPEN = `(EXISTS (SELECT 1 FROM sitemaps WHERE crawl = ?1 AND status = 'pending')
  OR EXISTS (SELECT 1 FROM sitemaps WHERE crawl = ?1 AND status = 'queued'))`;

/** Whether crawl ?1 wants more URLs than it knows. A crawl of ten pages does not read all sitemaps of an index. */
export const WANTS_SITEMAPS = `EXISTS (
  SELECT 1 FROM crawls WHERE id = ?1 AND status = 'running' AND taken_pages + pages_queued + pages_pending < page_limit)`;

/** Counts an attempt once, as SETTLE in ledger-commit.ts does. */
const SETTLE = `
WITH o AS MATERIALIZED (
  SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'status' AS status, value ->> 'reason' AS reason, value ->> 'detail' AS detail,
    value ->> 'httpStatus' AS http_status, value ->> 'listed' AS listed, value ->> 'fetchedAt' AS fetched_at,
    value ->> 'etag' AS etag, value ->> 'lastModified' AS last_modified,
    value -> 'packed' AS packed
  FROM json_each(?2)
)
UPDATE sitemaps SET status = o.status, reason = o.reason, detail = o.detail, attempts = attempts + 1, http_status = o.http_status,
  listed = o.listed, fetched_at = o.fetched_at, etag = o.etag, last_modified = o.last_modified, due_at = NULL, tx = NULL,
  links_pack = iif(o.packed ->> 'linksOffset' IS NULL, NULL, o.packed ->> 'pack'), links_offset = o.packed ->> 'linksOffset',
  links_length = o.packed ->> 'linksLength'
FROM o WHERE sitemaps.crawl = o.crawl AND sitemaps.url = o.url AND sitemaps.status = 'queued'
  AND (o.status <> 'queued' OR sitemaps.fetched_at IS NOT o.fetched_at)`;

/**
 * Lists that are guessed go out together with this transaction, ?3, unless one of their host is out: a row that waits
 * first is written twice, and each list would have a lane of its own. Null for a transaction that sends nothing.
 */
const IS_SENT = `value ->> 'guessed' AND ?3 IS NOT NULL AND ${WANTS_SITEMAPS}
  AND NOT EXISTS (SELECT 1 FROM sitemaps q INDEXED BY sitemaps_host WHERE q.crawl = ?1 AND q.status = 'queued' AND q.host = value ->> 'host')`;

const DISCOVER = `
INSERT INTO sitemaps (crawl, url, status, host, guessed, depth, via, seq, redirects, feed, tx)
SELECT ?1, url, iif(is_sent, 'queued', 'pending'), host, guessed, depth, via,
  (SELECT coalesce(max(seq), 0) FROM sitemaps WHERE crawl = ?1) + key + 1, redirects, feed, iif(is_sent, ?3, NULL)
FROM (
  SELECT key, value ->> 'url' AS url, value ->> 'host' AS host, value ->> 'guessed' AS guessed, value ->> 'depth' AS depth,
    value ->> 'via' AS via, value ->> 'redirects' AS redirects, coalesce(value ->> 'feed', 0) AS feed, ${IS_SENT} AS is_sent
  FROM json_each(?2) WHERE (SELECT status FROM crawls WHERE id = ?1) ${IN_OPEN}
)
WHERE true
ON CONFLICT DO NOTHING
RETURNING url, tx`;

/** A watch with a sitemap that is not read yet crawls again, until it is. */
const CRAWL_AGAIN = `UPDATE crawls SET status = 'running' WHERE id = ?1 AND status = 'watching' AND ${SITEMAPS_OPEN}`;

/** Adds the date to pages that links found first, too. */
const DATE = `
WITH d AS MATERIALIZED (SELECT ?1 AS crawl, value ->> 'url' AS url, value ->> 'lastmod' AS lastmod FROM json_each(?2))
UPDATE urls SET lastmod = d.lastmod FROM d WHERE urls.crawl = d.crawl AND urls.url = d.url AND urls.lastmod IS NULL`;

/**
 * Plans the sitemaps of a commit, and reads which of them it has queued. `tx`: the name of the transaction; null if it
 * sends nothing.
 */
export function planSitemaps(db: D1Database, commit: SitemapCommit, tx: number | null): Plan<string[]> {
  const each = (sql: string, items: unknown[], ...more: unknown[]) =>
    items.length === 0
      ? []
      : fitting(items).map((part) => db.prepare(sql).bind(commit.crawl, toStoredJson(part), ...more));
  const settling = each(SETTLE, commit.sitemapOutcomes);
  const found = commit.sitemaps.map((sitemap) => ({ ...sitemap, host: hostKey(sitemap.url) }));
  const discovering = each(DISCOVER, found, tx);
  return {
    statements: [
      ...settling,
      ...discovering,
      ...(commit.sitemaps.length > 0 ? [db.prepare(CRAWL_AGAIN).bind(commit.crawl)] : []),
      ...each(DATE, commit.dated),
    ],
    read(results) {
      const added = results.slice(settling.length, settling.length + discovering.length);
      const rows = added.flatMap((result) => result.results as { url: string; tx: number | null }[]);
      return rows.filter((row) => row.tx !== null).map(({ url }) => url);
    },
  };
}

export class Sitemaps extends LedgerStore {
  /** Sitemaps to send, at most one per host. The heartbeat sends those that are due later. */
  async queued(crawl: string, now: number): Promise<string[]> {
    const results = await this.all<{ url: string }>(
      "SELECT url FROM sitemaps INDEXED BY sitemaps_host WHERE crawl = ?1 AND status = 'queued' AND (due_at IS NULL OR due_at <= ?2) ORDER BY seq",
      [crawl, now],
    );
    return results.map((row) => row.url);
  }

  /** Those of the URLs that are sitemaps or feeds of the crawl. */
  async among(crawl: string, urls: readonly string[]): Promise<Set<string>> {
    if (urls.length === 0) return new Set();
    const rows = await this.all<{ url: string }>(
      "SELECT s.url FROM json_each(?2) j CROSS JOIN sitemaps s ON s.crawl = ?1 AND s.url = j.value",
      [crawl, JSON.stringify(urls)],
    );
    return new Set(rows.map(({ url }) => url));
  }

  /** The numbers of sitemaps and of feeds that the crawl can still accept. */
  async room(crawl: string): Promise<{ sitemaps: number; feeds: number }> {
    const row = await this.first<{ n: number; feeds: number }>(
      "SELECT count(*) AS n, coalesce(sum(feed), 0) AS feeds FROM sitemaps WHERE crawl = ?1",
      [crawl],
    );
    const { n, feeds } = row ?? { n: 0, feeds: 0 };
    return { sitemaps: Math.max(0, MAX_SITEMAPS - n), feeds: Math.max(0, MAX_FEEDS - feeds) };
  }

  /** Counts the crawl's sitemaps by outcome. `problems`: up to `most` listed sitemaps that could not be read. */
  async report(crawl: string, most: number): Promise<SitemapReport> {
    const [counts, problems] = (await this.db.batch([
      this.statement(
        `SELECT iif(reason IS 'country', 'disallowed', status) AS state, count(*) AS n, coalesce(sum(listed), 0) AS listed
           FROM sitemaps WHERE crawl = ?1 AND reason IS NOT 'no-sitemap' AND NOT (reason IS 'country' AND guessed) GROUP BY state`,
        [crawl],
      ),
      this.statement(
        `SELECT url, status, reason, detail FROM sitemaps
           WHERE crawl = ?1 AND (status IN ('errored', 'disallowed') OR status = 'completed' AND detail IS NOT NULL OR reason = 'country' AND NOT guessed) ORDER BY seq LIMIT ?2`,
        [crawl, most],
      ),
    ])) as [D1Result<{ state: UrlStatus; n: number; listed: number }>, D1Result<SitemapReport["problems"][number]>];
    const of = (...statuses: UrlStatus[]) =>
      counts.results.filter(({ state }) => statuses.includes(state)).reduce((sum, { n }) => sum + n, 0);
    return {
      read: of("completed"),
      open: of("pending", "queued"),
      failed: of("errored", "disallowed"),
      listed: counts.results.reduce((sum, { listed }) => sum + listed, 0),
      problems: problems.results,
    };
  }
}
