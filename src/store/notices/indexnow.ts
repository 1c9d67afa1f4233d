import type { Submission } from "../../crawl/watch/submission.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { IS_WATCH_OF_HOST } from "../watches/watch-hosts.ts";

/** IndexNow in the catalogue: the keys of hosts, and the URLs that wait until their key has been checked. */

/** `left-out`: no watch has the host, or too much of it waits already. */
export type KeyState = "valid" | "refused" | "pending" | "left-out";

/** A valid key is checked again after a day, and a refused one may be sent again after ten minutes. */
const VALID_MS = 86_400_000;
const KEY_REFUSED_MS = 600_000;
/** A host that does not answer for so long does not get its URLs visited. */
const PENDING_MS = 86_400_000;
/** For so long, a key that was valid waits for its next check beside the keys that strangers send. */
const KNOWN_MS = 30 * 86_400_000;
/**
 * What strangers may cause: files of one host that are asked for in ten minutes, keys of all hosts that wait, and bytes
 * of URLs that wait for one key. A request has at most 128 KiB, and escaping makes three bytes of one.
 */
const MAX_UNPROVEN_KEYS = 5;
const MAX_PENDING_KEYS = 200;
const MAX_PENDING_BYTES = 400_000;
/** Answers that may be better the next time, before the key is refused. */
const MAX_TRIES = 10;

/** The rows of other keys. */
const OTHERS = "FROM indexnow_keys WHERE NOT (host = ?1 AND location = ?2 AND key = ?3)";

/**
 * Adds the URLs to those that wait for the key, if a watch has the host, unless the key is known. ?4 are the URLs, ?5
 * is the time, and ?6 says that a watch of another ledger has it.
 */
const SUBMIT = `
INSERT INTO indexnow_keys (host, location, key, status, at, urls)
SELECT ?1, ?2, ?3, 'pending', ?5, ?4
WHERE (?6 OR EXISTS (SELECT 1 FROM crawls WHERE ${IS_WATCH_OF_HOST})) AND length(?4) <= ${MAX_PENDING_BYTES}
  AND (EXISTS (SELECT 1 FROM indexnow_keys WHERE host = ?1 AND location = ?2 AND key = ?3 AND status = 'valid')
    OR (SELECT count(*) ${OTHERS} AND host = ?1 AND status <> 'valid') < ${MAX_UNPROVEN_KEYS}
    AND (SELECT count(*) ${OTHERS} AND status = 'pending') < ${MAX_PENDING_KEYS})
ON CONFLICT DO UPDATE SET status = 'pending',
  urls = CASE status WHEN 'pending'
    THEN (SELECT json_group_array(value) FROM (SELECT value FROM json_each(urls) UNION SELECT value FROM json_each(?4))) ELSE ?4 END,
  at = CASE status WHEN 'pending' THEN at ELSE ?5 END,
  tries = CASE status WHEN 'pending' THEN tries ELSE 0 END
WHERE CASE status WHEN 'pending' THEN length(urls) + length(?4) < ${MAX_PENDING_BYTES}
  WHEN 'valid' THEN at < ?5 - ${VALID_MS} ELSE at < ?5 - ${KEY_REFUSED_MS} END`;

export class IndexNow extends LedgerStore {
  /**
   * Notes a submission whose key must be checked first. The others leave no trace. For every host and key it is the
   * same one batch, so that the time of an answer says nothing. `isWatchedElsewhere`: in another ledger.
   */
  async submit({ host, location, key, urls }: Submission, now: number, isWatchedElsewhere = false): Promise<KeyState> {
    const [submitted, known] = await this.db.batch<{ status: "valid" | "refused" | "pending" }>([
      this.statement(SUBMIT, [...[host, location, key, JSON.stringify(urls)], ...[now, isWatchedElsewhere ? 1 : 0]]),
      this.statement("SELECT status FROM indexnow_keys WHERE host = ?1 AND location = ?2 AND key = ?3", [
        host,
        location,
        key,
      ]),
    ]);
    if ((submitted?.meta.changes ?? 0) > 0) return "pending";
    const status = known?.results[0]?.status ?? "pending";
    return status === "pending" ? "left-out" : status;
  }

  /**
   * The key of each host whose turn it is: the one that has waited longest since it came or was tried. Up to `most`.
   */
  async pending(most: number): Promise<Submission[]> {
    const results = await this.all<Omit<Submission, "urls"> & { urls: string }>(
      `SELECT host, location, key, urls, min(max(at, tried_at)) AS turn FROM indexnow_keys WHERE status = 'pending'
         GROUP BY host ORDER BY turn LIMIT ?1`,
      [most],
    );
    return results.map(({ host, location, key, urls }) => ({
      host,
      location,
      key,
      urls: JSON.parse(urls) as string[],
    }));
  }

  /** Notes that keys are about to be checked, so that others have their turn before they have it again. */
  async noteTries(keys: readonly Submission[], now: number): Promise<void> {
    if (keys.length === 0) return;
    const statement = this.db.prepare(
      "UPDATE indexnow_keys SET tried_at = ?4 WHERE host = ?1 AND location = ?2 AND key = ?3",
    );
    await this.db.batch(keys.map(({ host, location, key }) => statement.bind(host, location, key, now)));
  }

  /** Counts an answer that may be better the next time. After the last of these, the key is refused. */
  async countFailure({ host, location, key }: Submission, now: number): Promise<void> {
    await this.run(
      `UPDATE indexnow_keys SET tries = tries + 1, status = iif(tries + 1 < ${MAX_TRIES}, status, 'refused'),
           urls = iif(tries + 1 < ${MAX_TRIES}, urls, '[]'), at = iif(tries + 1 < ${MAX_TRIES}, at, ?4)
         WHERE host = ?1 AND location = ?2 AND key = ?3 AND status = 'pending'`,
      [host, location, key, now],
    );
  }

  /**
   * Sets the result of a check. If URLs were added meanwhile, a valid key waits for another check, for they must be
   * taken up.
   */
  async settle({ host, location, key, urls }: Submission, state: "valid" | "refused", now: number): Promise<void> {
    await this.run(
      "UPDATE indexnow_keys SET status = ?4, at = ?5, tries = 0, urls = '[]' WHERE host = ?1 AND location = ?2 AND key = ?3 AND status = 'pending' AND (?4 = 'refused' OR json_array_length(urls) = ?6)",
      [host, location, key, state, now, urls.length],
    );
  }

  /** Removes the keys that say nothing any more. */
  async forget(now: number): Promise<void> {
    await this.run(
      "DELETE FROM indexnow_keys WHERE at < ?1 - CASE status WHEN 'refused' THEN ?2 WHEN 'valid' THEN ?3 ELSE ?4 END",
      [now, KEY_REFUSED_MS, KNOWN_MS, PENDING_MS],
    );
  }
}
