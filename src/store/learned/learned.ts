import { LedgerStore } from "../ledger/ledger-store.ts";
import { LearnedMemory, type Stored } from "./learned-memory.ts";

/**
 * What crawls have learned, as JSON: a row for each crawl, or for each of its hosts, in a table of its own for each
 * kind of knowledge. Batches learn at the same time, so each write counts a version.
 */

/** How often a write is tried that others come before. */
const TRIES = 5;
/** Hosts of a crawl that are listed for people. */
const MAX_LISTED = 100;

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
    return row === null ? null : readRow<Learned>(row.learned, row.version);
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
      const json = JSON.stringify(learned);
      const store = this.statement(
        `INSERT INTO ${this.table} (crawl, ${this.#host}learned, version)
           SELECT id, ${this.#host && "?2, "}?3, 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
           ON CONFLICT DO UPDATE SET learned = excluded.learned, version = version + 1 WHERE version = ?4`,
        [crawl, host, json, before.version],
      );
      const [stored] = await this.db.batch([store, ...this.planAlso(crawl, host, before.learned, learned)]);
      const after = { learned, version: before.version + 1, length: json.length };
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

  /**
   * The hosts among these (`URL.host`) of which something is known. A row that has not changed since `memory` had it is
   * not read again.
   */
  async read(
    crawl: string,
    hosts: readonly string[],
    memory: LearnedMemory = new LearnedMemory(),
  ): Promise<Map<string, Learned>> {
    const key = (host: string) => `${this.table} ${crawl} ${host}`;
    const remembered = hosts.map((host) => [host, memory.get<Learned>(key(host))] as const);
    const asked = remembered.map(([host, stored]) => [host, stored?.version ?? 0]);
    const rows = await this.all<{ host: string; version: number; learned: string | null }>(
      `SELECT s.host, s.version, iif(s.version = j.value ->> 1, NULL, s.learned) AS learned
         FROM json_each(?2) j CROSS JOIN ${this.table} s ON s.crawl = ?1 AND s.host = j.value ->> 0`,
      [crawl, JSON.stringify(asked)],
    );
    const known = new Map(remembered);
    return new Map(
      rows.map(({ host, version, learned }) => {
        const stored = learned === null ? known.get(host) : readRow<Learned>(learned, version);
        if (stored === undefined) throw new Error(`${this.table} has no row of ${host}`);
        memory.set(key(host), stored);
        return [host, stored.learned];
      }),
    );
  }

  /** By host, in order, at most 100 hosts. */
  async list(crawl: string): Promise<Map<string, Learned>> {
    const rows = await this.all<{ host: string; learned: string }>(
      `SELECT host, learned FROM ${this.table} WHERE crawl = ?1 ORDER BY host LIMIT ?2`,
      [crawl, MAX_LISTED],
    );
    return new Map(rows.map(({ host, learned }) => [host, JSON.parse(learned) as Learned]));
  }

  /** Like `learnFrom`, beginning with what `memory` has of the host. */
  async learn(
    crawl: string,
    host: string,
    learn: (known: Learned) => Learned,
    memory: LearnedMemory = new LearnedMemory(),
  ): Promise<void> {
    const key = `${this.table} ${crawl} ${host}`;
    const known = memory.get<Learned>(key) ?? (await this.find(crawl, host));
    const before = known ?? { learned: this.empty, version: 0, length: 0 };
    const after = await this.learnFrom(before, crawl, learn, host);
    if (after.version > 0) memory.set(key, after);
  }
}

function readRow<Learned>(json: string, version: number): Stored<Learned> {
  return { learned: JSON.parse(json) as Learned, version, length: json.length };
}
