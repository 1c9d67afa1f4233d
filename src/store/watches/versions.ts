import { readPair } from "../../crawl/list-cursor.ts";
import type { UrlVersion } from "../../crawl/page/url-version.ts";
import { IS_SHARED } from "../ledger/ledger.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** Reads the versions of a URL over all crawls. */

interface VersionsRequest {
  /** Null for all crawls. */
  crawl: string | null;
  /** Empty, or the cursor of a `VersionsPage`. */
  cursor: string;
  limit: number;
}

/**
 * Newest first. It looks into each crawl by the primary key of `urls`: an index by URL would be one more written row
 * for each URL.
 */
const versionsIn = (crawls: string) => `
SELECT u.crawl, u.fetched_at AS time, u.status, u.reason, u.detail, u.http_status AS httpStatus,
  u.content_type AS contentType, u.bytes, u.body_sha256 AS sha256
FROM crawls c CROSS JOIN urls u ON u.crawl = c.id AND u.url = ?1
WHERE ${crawls} AND c.deleting_at IS NULL AND u.status NOT IN ('pending', 'queued')
  AND u.http_status IS NOT NULL AND u.fetched_at IS NOT NULL AND (u.fetched_at, u.crawl) < (?2, ?3)
UNION ALL
SELECT v.crawl, v.fetched_at, 'completed', NULL, NULL, coalesce(v.http_status, 200), v.content_type, v.bytes, v.sha256
FROM crawls c CROSS JOIN versions v ON v.crawl = c.id AND v.url = ?1
WHERE ${crawls} AND c.deleting_at IS NULL AND (v.fetched_at, v.crawl) < (?2, ?3)
ORDER BY time DESC, crawl DESC LIMIT ?4`;

export class Versions extends LedgerStore {
  /** As of the ledger. */
  seesPrivate = true;

  /** Newest first. `url`: canonical. */
  async list(url: string, { crawl, cursor, limit }: VersionsRequest): Promise<UrlVersion[]> {
    const [time, id] = readPair(cursor) ?? [Number.MAX_SAFE_INTEGER, ""];
    const seen = this.seesPrivate ? "" : ` AND ${IS_SHARED.replaceAll("crawls.", "c.")}`;
    return this.all<UrlVersion>(versionsIn(`${crawl === null ? "?5 IS NULL" : "c.id = ?5"}${seen}`), [
      url,
      Number(time),
      id,
      limit,
      crawl,
    ]);
  }
}
