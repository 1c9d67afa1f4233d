import type { Crawl } from "../crawl/crawl.ts";
import type { Submission } from "../crawl/submission.ts";
import { type CrawlRow, toCrawl } from "./crawl-row.ts";

/** IndexNow in D1: the keys of hosts, and the URLs that wait until their key has been checked. */

/** `full`: too many URLs or keys of the host wait already. */
export type KeyState = "valid" | "refused" | "pending" | "full";

/** A valid key is checked again after a day, and a refused one may be sent again after ten minutes. */
const VALID_MS = 86_400_000;
const REFUSED_MS = 600_000;
/** A host that does not answer for so long does not get its URLs visited. */
const PENDING_MS = 86_400_000;
const MAX_PENDING_KEYS = 5;
/** Of one key. A request has at most 10,000. Their JSON is far below D1's limit of 2 MB for a row. */
const MAX_PENDING_BYTES = 1_000_000;

/** Adds the URLs to those that wait for the key, unless the key is known. ?4 are the URLs, and ?5 is the time. */
const SUBMIT = `
INSERT INTO indexnow_keys (host, location, key, status, at, urls)
SELECT ?1, ?2, ?3, 'pending', ?5, ?4
WHERE (SELECT count(*) FROM indexnow_keys WHERE host = ?1 AND status = 'pending' AND NOT (location = ?2 AND key = ?3)) < ${MAX_PENDING_KEYS}
ON CONFLICT DO UPDATE SET status = 'pending',
  urls = CASE status WHEN 'pending'
    THEN (SELECT json_group_array(value) FROM (SELECT value FROM json_each(urls) UNION SELECT value FROM json_each(?4))) ELSE ?4 END,
  at = CASE status WHEN 'pending' THEN at ELSE ?5 END
WHERE CASE status WHEN 'pending' THEN length(urls) + length(?4) < ${MAX_PENDING_BYTES}
  WHEN 'valid' THEN at < ?5 - ${VALID_MS} ELSE at < ?5 - ${REFUSED_MS} END`;

export class IndexNow {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The watches that visit pages of this `URL.host`. */
  async watchesOf(host: string): Promise<Crawl[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT * FROM crawls WHERE every_s IS NOT NULL AND watching_since IS NOT NULL AND status IN ('running', 'paused', 'watching')
           AND deleting_at IS NULL AND EXISTS (SELECT 1 FROM json_each(hosts) WHERE value = ?1)`,
      )
      .bind(host)
      .all<CrawlRow>();
    return results.map(toCrawl);
  }

  /** Notes a submission whose key must be checked first. The others leave no trace. */
  async submit({ host, location, key, urls }: Submission, now: number): Promise<KeyState> {
    const [submitted, known] = await this.#db.batch<{ status: "valid" | "refused" | "pending" }>([
      this.#db.prepare(SUBMIT).bind(host, location, key, JSON.stringify(urls), now),
      this.#db
        .prepare("SELECT status FROM indexnow_keys WHERE host = ?1 AND location = ?2 AND key = ?3")
        .bind(host, location, key),
    ]);
    if ((submitted?.meta.changes ?? 0) > 0) return "pending";
    const { status = "pending" } = known?.results[0] ?? {};
    return status === "pending" ? "full" : status;
  }

  /** The key of each host that has waited longest, up to `most`. */
  async pending(most: number): Promise<Submission[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT host, location, key, urls, min(at) AS at FROM indexnow_keys WHERE status = 'pending' GROUP BY host
         ORDER BY at LIMIT ?1`,
      )
      .bind(most)
      .all<Omit<Submission, "urls"> & { urls: string }>();
    return results.map(({ host, location, key, urls }) => ({
      host,
      location,
      key,
      urls: JSON.parse(urls) as string[],
    }));
  }

  /**
   * Sets the result of a check. If URLs were added meanwhile, the key waits for another check, for they must be taken
   * up.
   */
  async settle({ host, location, key, urls }: Submission, state: "valid" | "refused", now: number): Promise<void> {
    await this.#db
      .prepare(
        "UPDATE indexnow_keys SET status = ?4, at = ?5, urls = '[]' WHERE host = ?1 AND location = ?2 AND key = ?3 AND status = 'pending' AND json_array_length(urls) = ?6",
      )
      .bind(host, location, key, state, now, urls.length)
      .run();
  }

  /** Removes the keys that say nothing any more. */
  async forget(now: number): Promise<void> {
    await this.#db
      .prepare("DELETE FROM indexnow_keys WHERE at < ?1 - iif(status = 'refused', ?2, ?3)")
      .bind(now, REFUSED_MS, Math.max(VALID_MS, PENDING_MS))
      .run();
  }
}
