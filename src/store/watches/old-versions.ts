import { noteRemoved } from "../ledger/crawl-notes.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * Removes changes and versions that a watch keeps no longer, and the packs that nothing needs any more. All go in
 * chunks, in order, from a place that stands in the crawl's row. The transaction that removes something counts it in
 * the crawl's notes: `changes()` of SQLite has the number of rows that the statement before has removed.
 */

/** Where the heartbeat goes on. */
export interface KeepPlace {
  /** The last version that was looked at; empty and 0 at the beginning. */
  url: string;
  fetchedAt: number;
  /** The last pack that was looked at; null while versions are looked at. */
  pack: string | null;
  /** When the last lap ended, in milliseconds since the epoch; 0 while a lap runs. */
  endedAt: number;
}

export interface KeepingWatch {
  id: string;
  keepDays: number;
  /** Null before the first lap. */
  place: KeepPlace | null;
}

const CHUNK = `FROM versions WHERE crawl = ?1 AND (url, fetched_at) > (?2, ?3) ORDER BY url, fetched_at LIMIT ?4`;

/**
 * A version goes if the one that replaced it is older than ?5: so the newest stays, and what was shown at a time that
 * is kept can be shown. A version stays while another page, or a version of one, has its content: their records refer
 * to it.
 */
const REMOVABLE = `
  SELECT v.url, v.fetched_at FROM (SELECT url, fetched_at, sha256 ${CHUNK}) v
  WHERE (EXISTS (SELECT 1 FROM versions newer WHERE newer.crawl = ?1 AND newer.url = v.url AND newer.fetched_at > v.fetched_at
      AND newer.fetched_at < ?5)
    OR EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = v.url AND u.status = 'completed' AND u.fetched_at < ?5))
  AND NOT EXISTS (SELECT 1 FROM urls copy INDEXED BY urls_sha256
    WHERE copy.crawl = ?1 AND copy.sha256 = v.sha256 AND copy.revisits = v.url)
  AND NOT EXISTS (SELECT 1 FROM versions copy INDEXED BY versions_revisits
    WHERE copy.crawl = ?1 AND copy.revisits = v.url AND copy.sha256 IS v.sha256)`;

const REMOVE = `DELETE FROM versions WHERE crawl = ?1 AND (url, fetched_at) IN (${REMOVABLE})`;

/** Runs right after the statement that removes. ?2: what is older went. */
const countRemoved = (what: "versions" | "changes") => `
UPDATE crawls SET ${noteRemoved("r", [what], "?2")}
FROM (SELECT changes() AS ${what}) r WHERE id = ?1 AND r.${what} > 0`;

const COUNT_VERSIONS = countRemoved("versions");
const COUNT_CHANGES = countRemoved("changes");

/**
 * The oldest ?2 changes, as far as they are older than ?3. Numbers without a gap remain, so that a cursor knows whether
 * all changes after it are there. A webhook that waits for changes, or gathers a digest, has them until they are told.
 */
const OLD_CHANGES = `
crawl = ?1 AND seq < (
  SELECT min(coalesce(min(seq) FILTER (WHERE at >= ?3), max(seq) + 1),
    1 + coalesce((SELECT min(told_seq) FROM webhooks WHERE crawl = ?1 AND (changes_at IS NOT NULL OR digest_at IS NOT NULL)), max(seq)))
  FROM (SELECT seq, at FROM changes WHERE crawl = ?1 ORDER BY seq LIMIT ?2))`;

const REMOVE_CHANGES = `DELETE FROM changes WHERE ${OLD_CHANGES}`;

const THESE_PACKS = "crawl = ?1 AND name IN (SELECT value FROM json_each(?2))";

const COUNT_PACKS = `
UPDATE crawls SET ${noteRemoved("r", ["packs", "visits", "bytes"], "?3")}
FROM (SELECT count(*) AS packs, sum(visits) AS visits, sum(bytes) AS bytes FROM packs WHERE ${THESE_PACKS}) r
WHERE id = ?1 AND r.packs > 0`;

/**
 * The next packs before ?3, which nothing names. This reads all rows of the crawl, so a chunk is large. No row gets the
 * name of an old pack later.
 */
const UNNEEDED = `
WITH c AS MATERIALIZED (SELECT name FROM packs WHERE crawl = ?1 AND name > ?2 AND name < ?3 ORDER BY name LIMIT ?4)
SELECT c.name, c.name NOT IN (SELECT pack FROM urls WHERE crawl = ?1 AND pack > ?2 AND pack <= (SELECT max(name) FROM c))
  AND c.name NOT IN (SELECT pack FROM versions WHERE crawl = ?1 AND pack > ?2 AND pack <= (SELECT max(name) FROM c))
  AND c.name NOT IN (SELECT links_pack FROM sitemaps WHERE crawl = ?1 AND links_pack > ?2 AND links_pack <= (SELECT max(name) FROM c))
  AND c.name NOT IN (SELECT pack FROM answers WHERE crawl = ?1 AND pack > ?2 AND pack <= (SELECT max(name) FROM c)) AS isUnneeded
FROM c ORDER BY c.name`;

export class OldVersions extends LedgerStore {
  /** The watches that keep versions for some days. */
  async watches(): Promise<KeepingWatch[]> {
    const results = await this.all<{
      id: string;
      keepDays: number;
      place: string | null;
    }>(`SELECT id, options ->> '$.watch.keepDays' AS keepDays, keep_place AS place FROM crawls
         WHERE every_s IS NOT NULL AND options ->> '$.watch.keepDays' > 0 AND watching_since IS NOT NULL AND deleting_at IS NULL`);
    return results.map(({ place, ...watch }) => ({
      ...watch,
      place: place === null ? null : (JSON.parse(place) as KeepPlace),
    }));
  }

  /**
   * Looks at the next `most` versions after this place, and removes those that were replaced before `cutoff`. `last`:
   * the place where to go on; null at the end.
   */
  async removeOld(
    crawl: string,
    { url, fetchedAt }: Pick<KeepPlace, "url" | "fetchedAt">,
    cutoff: number,
    most: number,
  ): Promise<{ removed: number; last: { url: string; fetchedAt: number } | null }> {
    const values = [crawl, url, fetchedAt, most, cutoff];
    const [last, removed] = await this.db.batch<{ url: string; fetchedAt: number }>([
      this.statement(`SELECT url, fetched_at AS fetchedAt ${CHUNK} OFFSET ?5`, [crawl, url, fetchedAt, 1, most - 1]),
      this.statement(REMOVE, values),
      this.statement(COUNT_VERSIONS, [crawl, cutoff]),
    ]);
    return { removed: removed?.meta.changes ?? 0, last: last?.results[0] ?? null };
  }

  /**
   * Of the next `most` packs between these names, those that nothing needs. `last`: where to go on; null at the end.
   */
  async unneededPacks(
    crawl: string,
    after: string,
    before: string,
    most: number,
  ): Promise<{ names: string[]; last: string | null }> {
    const results = await this.all<{ name: string; isUnneeded: number }>(UNNEEDED, [crawl, after, before, most]);
    const names = results.filter(({ isUnneeded }) => isUnneeded === 1).map(({ name }) => name);
    return { names, last: results.length < most ? null : (results.at(-1)?.name ?? null) };
  }

  /** Their objects must be removed first. `cutoff`: what is older goes. */
  async forgetPacks(crawl: string, names: readonly string[], cutoff: number): Promise<void> {
    const list = JSON.stringify(names);
    await this.db.batch([
      this.statement(COUNT_PACKS, [crawl, list, cutoff]),
      this.statement(`DELETE FROM packs WHERE ${THESE_PACKS}`, [crawl, list]),
    ]);
  }

  /** Removes up to `most` of the oldest changes, as far as they are older than `cutoff`. Returns how many. */
  async removeChanges(crawl: string, cutoff: number, most: number): Promise<number> {
    const [removed] = await this.db.batch([
      this.statement(REMOVE_CHANGES, [crawl, most, cutoff]),
      this.statement(COUNT_CHANGES, [crawl, cutoff]),
    ]);
    return removed?.meta.changes ?? 0;
  }

  async notePlace(crawl: string, place: KeepPlace): Promise<void> {
    await this.run("UPDATE crawls SET keep_place = ?2 WHERE id = ?1", [crawl, JSON.stringify(place)]);
  }
}
