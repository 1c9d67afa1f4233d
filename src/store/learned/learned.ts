import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * What crawls have learned, as JSON: a row for each crawl, or for each of its hosts, in a table of its own for each
 * kind of knowledge. Batches learn at the same time, so each write counts a version.
 */

/** How often a write is tried that others come before. */
const TRIES = 5;
/** Hosts of a crawl that are listed for people. */
const MAX_LISTED = 100;

/** `version` is 0 before the first write. */
export interface Stored<Learned> {
  learned: Learned;
  version: number;
}

/** One row for each crawl. */
export class LearnedByCrawl<Learned> extends LedgerStore {
  protected readonly table: string;
  /** The columns of a row's key beside its crawl. */
  readonly #host: "" | "host, ";

  constructor(db: D1Database, table: string, key: "crawl" | "host" = "crawl") {
    super(db);
    this.table = table;
    this.#host = key === "host" ? "host, " : "";
  }

  /** Null if nothing is learned yet. */
  async find(crawl: string, host = ""): Promise<Stored<Learned> | null> {
    const row = await this.first<{ learned: string; version: number }>(
      `SELECT learned, version FROM ${this.table} WHERE crawl = ?1${this.#host && " AND host = ?2"}`,
      this.#host ? [crawl, host] : [crawl],
    );
    return row === null ? null : { learned: JSON.parse(row.learned) as Learned, version: row.version };
  }

  /**
   * Applies what a batch has learned to `known`, or to what is stored if another batch came before. `learn` may be
   * called more than once. Nothing is written for a crawl that is deleted or is being deleted, or if `learn` changes
   * nothing. Returns what is stored then, or would be. Throws if others always come before.
   */
  async learnFrom(
    known: Stored<Learned>,
    crawl: string,
    learn: (known: Learned) => Learned,
    host = "",
  ): Promise<Stored<Learned>> {
    let before = known;
    for (let tries = 0; tries < TRIES; tries++) {
      const learned = learn(before.learned);
      if (learned === before.learned) return before;
      const store = this.statement(
        `INSERT INTO ${this.table} (crawl, ${this.#host}learned, version)
           SELECT id, ${this.#host && "?2, "}?3, 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
           ON CONFLICT DO UPDATE SET learned = excluded.learned, version = version + 1 WHERE version = ?4`,
        [crawl, host, JSON.stringify(learned), before.version],
      );
      const [stored] = await this.db.batch([store, ...this.planAlso(crawl, host, before.learned, learned)]);
      const after = { learned, version: before.version + 1 };
      if ((stored?.meta.changes ?? 0) > 0) return after;
      const now = await this.find(crawl, host);
      // Nobody else has written, so the crawl is gone.
      if ((now?.version ?? 0) === before.version || now === null) return after;
      before = now;
    }
    throw new Error(`others wrote to ${this.table} ${TRIES} times`);
  }

  /** Changes what is stored, if anything is. */
  async change(crawl: string, change: (learned: Learned) => Learned): Promise<void> {
    const stored = await this.find(crawl);
    if (stored !== null) await this.learnFrom(stored, crawl, change);
  }

  /** Statements of the same transaction. They also run if another write comes before, and `learn` is called again. */
  protected planAlso(_crawl: string, _host: string, _before: Learned, _after: Learned): D1PreparedStatement[] {
    return [];
  }
}

/** At most one row for each host of a crawl. */
export class LearnedByHost<Learned> extends LearnedByCrawl<Learned> {
  /** What is known of a host of which nothing is learned yet. */
  readonly empty: Learned;

  constructor(db: D1Database, table: string, empty: Learned) {
    super(db, table, "host");
    this.empty = empty;
  }

  /** The hosts among these (`URL.host`) of which something is known. */
  async read(crawl: string, hosts: readonly string[]): Promise<Map<string, Learned>> {
    return this.#hosts(`json_each(?2) j CROSS JOIN ${this.table} s ON s.crawl = ?1 AND s.host = j.value`, [
      crawl,
      JSON.stringify(hosts),
    ]);
  }

  /** By host, in order, at most 100 hosts. */
  async list(crawl: string): Promise<Map<string, Learned>> {
    return this.#hosts(`${this.table} s WHERE s.crawl = ?1 ORDER BY s.host LIMIT ?2`, [crawl, MAX_LISTED]);
  }

  async learn(crawl: string, host: string, learn: (known: Learned) => Learned): Promise<void> {
    const known = (await this.find(crawl, host)) ?? { learned: this.empty, version: 0 };
    await this.learnFrom(known, crawl, learn, host);
  }

  async #hosts(from: string, values: readonly (string | number)[]): Promise<Map<string, Learned>> {
    const results = await this.all<{ host: string; learned: string }>(`SELECT s.host, s.learned FROM ${from}`, values);
    return new Map(results.map(({ host, learned }) => [host, JSON.parse(learned) as Learned]));
  }
}
