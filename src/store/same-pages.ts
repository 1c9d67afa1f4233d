import { EMPTY_SAME_PAGES, type HostSamePages } from "../scope/same-page-rules.ts";

/** What crawls have learned of hosts about parts of URLs that never change the page: at most one row each. */

/** How often a write is tried that others come before. */
const TRIES = 5;
/** Hosts of a crawl that are listed for people. */
const MAX_LISTED = 100;

export class SamePages {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The hosts among these (`URL.host`) of which something is known. */
  async read(crawl: string, hosts: readonly string[]): Promise<Map<string, HostSamePages>> {
    const { results } = await this.#db
      .prepare(
        `SELECT s.host, s.learned FROM json_each(?2) j CROSS JOIN same_pages s ON s.crawl = ?1 AND s.host = j.value`,
      )
      .bind(crawl, JSON.stringify(hosts))
      .all<{ host: string; learned: string }>();
    return new Map(results.map(({ host, learned }) => [host, JSON.parse(learned) as HostSamePages]));
  }

  /** By host, in order, at most 100 hosts. */
  async list(crawl: string): Promise<Map<string, HostSamePages>> {
    const { results } = await this.#db
      .prepare(`SELECT host, learned FROM same_pages WHERE crawl = ?1 ORDER BY host LIMIT ${MAX_LISTED}`)
      .bind(crawl)
      .all<{ host: string; learned: string }>();
    return new Map(results.map(({ host, learned }) => [host, JSON.parse(learned) as HostSamePages]));
  }

  /**
   * Applies what a batch has learned to what is stored by now. `learn` may be called more than once. Nothing is written
   * for a crawl that is deleted or is being deleted, or if `learn` changes nothing.
   */
  async learn(crawl: string, host: string, learn: (known: HostSamePages) => HostSamePages): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await this.#db
        .prepare("SELECT learned, version FROM same_pages WHERE crawl = ?1 AND host = ?2")
        .bind(crawl, host)
        .first<{ learned: string; version: number }>();
      const known = row === null ? EMPTY_SAME_PAGES : (JSON.parse(row.learned) as HostSamePages);
      const learned = learn(known);
      if (learned === known) return;
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO same_pages (crawl, host, learned, version)
           SELECT id, ?2, ?3, 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
           ON CONFLICT DO UPDATE SET learned = excluded.learned, version = version + 1 WHERE version = ?4`,
        )
        .bind(crawl, host, JSON.stringify(learned), row?.version ?? 0)
        .run();
      if (meta.changes > 0) return;
    }
  }
}
