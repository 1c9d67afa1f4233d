/** What crawls have learned of hosts: at most one row each, in a table of its own for each kind of knowledge. */

/** How often a write is tried that others come before. */
const TRIES = 5;
/** Hosts of a crawl that are listed for people. */
const MAX_LISTED = 100;

type LearnedTable = "same_pages" | "render_memory" | "endless_hosts";

export class LearnedHosts<Learned> {
  readonly #db: D1Database;
  readonly #table: LearnedTable;
  readonly #empty: Learned;

  constructor(db: D1Database, table: LearnedTable, empty: Learned) {
    this.#db = db;
    this.#table = table;
    this.#empty = empty;
  }

  /** The hosts among these (`URL.host`) of which something is known. */
  async read(crawl: string, hosts: readonly string[]): Promise<Map<string, Learned>> {
    const { results } = await this.#db
      .prepare(
        `SELECT s.host, s.learned FROM json_each(?2) j CROSS JOIN ${this.#table} s ON s.crawl = ?1 AND s.host = j.value`,
      )
      .bind(crawl, JSON.stringify(hosts))
      .all<{ host: string; learned: string }>();
    return new Map(results.map(({ host, learned }) => [host, JSON.parse(learned) as Learned]));
  }

  /** By host, in order, at most 100 hosts. */
  async list(crawl: string): Promise<Map<string, Learned>> {
    const { results } = await this.#db
      .prepare(`SELECT host, learned FROM ${this.#table} WHERE crawl = ?1 ORDER BY host LIMIT ${MAX_LISTED}`)
      .bind(crawl)
      .all<{ host: string; learned: string }>();
    return new Map(results.map(({ host, learned }) => [host, JSON.parse(learned) as Learned]));
  }

  /**
   * Applies what a batch has learned to what is stored by now. `learn` may be called more than once. Nothing is written
   * for a crawl that is deleted or is being deleted, or if `learn` changes nothing. Throws if others always come
   * before.
   */
  async learn(crawl: string, host: string, learn: (known: Learned) => Learned): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await this.#db
        .prepare(`SELECT learned, version FROM ${this.#table} WHERE crawl = ?1 AND host = ?2`)
        .bind(crawl, host)
        .first<{ learned: string; version: number }>();
      const known = row === null ? this.#empty : (JSON.parse(row.learned) as Learned);
      const learned = learn(known);
      if (learned === known) return;
      const store = this.#db
        .prepare(
          `INSERT INTO ${this.#table} (crawl, host, learned, version)
           SELECT id, ?2, ?3, 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
           ON CONFLICT DO UPDATE SET learned = excluded.learned, version = version + 1 WHERE version = ?4`,
        )
        .bind(crawl, host, JSON.stringify(learned), row?.version ?? 0);
      const [stored] = await this.#db.batch([store, ...this.planAlso(crawl, host, known, learned)]);
      if ((stored?.meta.changes ?? 0) > 0 || (await this.#isGone(crawl))) return;
    }
    throw new Error(`others wrote to ${this.#table} ${TRIES} times`);
  }

  /** Statements of the same transaction. They also run if another write comes before, and `learn` is called again. */
  protected planAlso(_crawl: string, _host: string, _before: Learned, _after: Learned): D1PreparedStatement[] {
    return [];
  }

  async #isGone(crawl: string): Promise<boolean> {
    const query = "SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL";
    return (await this.#db.prepare(query).bind(crawl).first()) === null;
  }
}
