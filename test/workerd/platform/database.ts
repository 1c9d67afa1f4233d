import { DATABASE_LIMIT_BYTES } from "../../../src/crawl/bounds/database-room.ts";
import { isOverHostLimit } from "../../../src/store/ledger/host-pages.ts";
import { isClaimRefused } from "../../../src/store/shards/shard-intents.ts";
import type { Invocation } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";

/**
 * A model of D1 over the SQLite of a Durable Object, on which D1 itself is built.
 *
 * - One query or batch at a time: https://developers.cloudflare.com/d1/platform/limits/#frequently-asked-questions
 * - A batch is a transaction: https://developers.cloudflare.com/d1/worker-api/d1-database/#batch
 * - Errors that pass, and overload: https://developers.cloudflare.com/d1/observability/debug-d1/#error-list
 * - Reads alone are retried by D1, up to two times: https://developers.cloudflare.com/d1/best-practices/retry-queries/
 * - Limits of a statement, of its parameters and of the database: https://developers.cloudflare.com/d1/platform/limits/
 */

const LATENCY_MS = 30;
/** The time that a statement keeps the database busy. */
const STATEMENT_MS = 0.3;
const MAX_PARAMETERS = 100;
const MAX_STATEMENT_BYTES = 100_000;
const MAX_VALUE_BYTES = 2_000_000;
/** From here on, a parameter may make a row that is too big. */
const SUSPICIOUS_BYTES = 200_000;
/** The length of the queue at which D1 refuses is not documented. */
const MAX_WAITING = 300;
const READ_RETRIES = 2;

/** Errors after which the page says "Retry the operation". */
const TRANSIENT = [
  "D1 DB reset because its code was updated.",
  "Internal error while starting up D1 DB storage caused object to be reset.",
  "Network connection lost.",
  "Internal error in D1 DB storage caused object to be reset.",
  "Cannot resolve D1 DB due to transient issue on remote node.",
];
const OVERLOADED = [
  "D1 DB is overloaded. Requests queued for too long.",
  "D1 DB is overloaded. Too many requests queued.",
];

interface Query {
  sql: string;
  values: SqlStorageValue[];
}

export class ModelDatabase {
  /** Rows that all statements read and wrote. */
  readonly counts = { calls: 0, rowsRead: 0, rowsWritten: 0, refused: 0 };
  /** Rows written, with those of indexes, by the table that a statement changes. */
  readonly writtenTo = new Map<string, number>();
  /** Until then each call fails. */
  outageUntil = 0;
  /** Until then the database is full: each call that writes fails. */
  fullUntil = 0;
  /** A transaction that would make the database larger fails, as with SQLite's `max_page_count`. In bytes. */
  limitBytes = DATABASE_LIMIT_BYTES;
  /** What SQLite itself refused, which no fault of the model explains. */
  readonly violations: string[] = [];
  /** Called after each transaction. */
  readonly onRun = new Set<() => void>();
  readonly #storage: DurableObjectStorage;
  readonly #around: Surroundings;
  readonly #network: Network;
  /** After the last transaction, in bytes. */
  #size = 0;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Milliseconds that each call takes longer. */
  readonly #moreMs: number;

  constructor(storage: DurableObjectStorage, around: Surroundings, moreMs = 0) {
    this.#moreMs = moreMs;
    this.#storage = storage;
    this.#around = around;
    this.#network = new Network(around);
  }

  /** For so long the database has its limit where it is now, which the program knows; then it has room again. */
  fillFor(ms: number): void {
    this.limitBytes = this.#storage.sql.databaseSize;
    this.#around.time.after(ms, () => {
      this.limitBytes = DATABASE_LIMIT_BYTES;
    });
  }

  /** The binding of an invocation; null for a reader beside the model, who waits for nothing and is never refused. */
  bindingOf(invocation: Invocation | null): D1Database {
    const run = (queries: Query[]) =>
      invocation === null ? Promise.resolve(this.#run(queries)) : this.#call(invocation, queries);
    const statement = (query: Query): D1PreparedStatement => {
      const all = async () => (await run([query]))[0] as D1Result;
      return {
        query,
        bind: (...values: unknown[]) => statement({ ...query, values: values.map(toValue) }),
        all,
        run: all,
        first: async (column?: string) => {
          const row = ((await all()).results[0] ?? null) as Record<string, unknown> | null;
          return column === undefined ? row : (row?.[column] ?? null);
        },
        raw: async () => (await all()).results.map((row) => Object.values(row as object)),
      } as unknown as D1PreparedStatement;
    };
    return {
      prepare: (sql: string) => statement({ sql, values: [] }),
      batch: (statements: D1PreparedStatement[]) =>
        run(statements.map((one) => (one as unknown as { query: Query }).query)),
    } as unknown as D1Database;
  }

  /** Rows as they are now, for a reader beside the model. */
  rows<T extends Record<string, SqlStorageValue>>(sql: string, ...values: SqlStorageValue[]): T[] {
    return this.#storage.sql.exec<T>(sql, ...values).toArray();
  }

  async #call(invocation: Invocation, queries: Query[]): Promise<D1Result[]> {
    await invocation.alive();
    invocation.countQueries(queries.length);
    const isRead = queries.every(reads);
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#network.call(invocation, {
          name: "database",
          latencyMs: LATENCY_MS + this.#moreMs,
          effect: () => this.#inTurn(queries),
          error: () => new Error(`D1_ERROR: ${this.#around.random.oneOf(TRANSIENT)}`),
        });
      } catch (error) {
        const isTransient = TRANSIENT.some((text) => String(error).includes(text));
        if (!isRead || !isTransient || attempt === READ_RETRIES) throw error;
      }
    }
  }

  /** Runs the queries when those before have ended. */
  async #inTurn(queries: Query[]): Promise<D1Result[]> {
    const { time, random } = this.#around;
    if (time.now() < this.outageUntil) {
      this.counts.refused += 1;
      throw new Error(`D1_ERROR: ${random.oneOf([...TRANSIENT, ...OVERLOADED])}`);
    }
    if (time.now() < this.fullUntil && !queries.every(reads)) {
      this.counts.refused += 1;
      throw new Error("D1_ERROR: Exceeded maximum DB size");
    }
    if (this.#waiting >= MAX_WAITING) {
      this.counts.refused += 1;
      throw new Error(`D1_ERROR: ${OVERLOADED[1]}`);
    }
    this.#waiting += 1;
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    try {
      await before;
      await time.sleep(Math.ceil(queries.length * STATEMENT_MS));
      return this.#run(queries);
    } finally {
      this.#waiting -= 1;
      resolve();
    }
  }

  #run(queries: Query[]): D1Result[] {
    this.counts.calls += 1;
    const results = this.#storage.transactionSync(() => {
      const results = queries.map((query) => this.#execute(query));
      this.#measure(results);
      return results;
    });
    for (const tell of this.onRun) tell();
    return results;
  }

  /** Asking for the size takes as long as a small statement, so it is asked when something was written. */
  #measure(results: readonly D1Result[]): void {
    const hasWritten = results.some(({ meta }) => (meta.rows_written ?? 0) > 0);
    const size = hasWritten || this.#size === 0 ? this.#storage.sql.databaseSize : this.#size;
    if (size > this.limitBytes && size > this.#size) throw new Error("D1_ERROR: Exceeded maximum DB size");
    this.#size = size;
    for (const { meta } of results) Object.assign(meta, { size_after: size });
  }

  #execute({ sql, values }: Query): D1Result {
    if (values.length > MAX_PARAMETERS) throw new Error(`D1_ERROR: ${values.length} parameters, limit is 100`);
    if (sql.length > MAX_STATEMENT_BYTES) throw new Error("D1_ERROR: statement too long: SQLITE_TOOBIG");
    if (values.some(isTooBig)) throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
    const before = this.#changes();
    try {
      const cursor = this.#storage.sql.exec(sql, ...values);
      const results = cursor.toArray();
      const { rowsRead, rowsWritten } = cursor;
      if (rowsWritten > 0 && values.some((value) => leastBytesOf(value) > SUSPICIOUS_BYTES)) this.#expectSmallRows(sql);
      this.counts.rowsRead += rowsRead;
      this.counts.rowsWritten += rowsWritten;
      if (rowsWritten > 0) {
        const table = tableOf(sql);
        this.writtenTo.set(table, (this.writtenTo.get(table) ?? 0) + rowsWritten);
      }
      const meta = { changes: this.#changes() - before, rows_read: rowsRead, rows_written: rowsWritten };
      return { success: true, results, meta } as unknown as D1Result;
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      // A commit asks by it whether hosts have room, and an intent whether it was applied: what comes second begins
      // again.
      if (!isOverHostLimit(what) && !isClaimRefused(what)) this.violations.push(`${what}: ${sql}`);
      throw new Error(`D1_ERROR: ${what}`);
    }
  }

  /** As D1 has a smaller limit of rows than a Durable Object. */
  #expectSmallRows(sql: string): void {
    const table = tableOf(sql);
    const columns = this.rows<{ name: string }>("SELECT name FROM pragma_table_info(?1)", table);
    const bytes = columns.map(({ name }) => `coalesce(length(CAST("${name}" AS BLOB)), 0)`).join(" + ");
    const [row] = this.rows<{ bytes: number | null }>(`SELECT max(${bytes}) AS bytes FROM ${table}`);
    if ((row?.bytes ?? 0) > MAX_VALUE_BYTES) throw new Error("string or blob too big: SQLITE_TOOBIG");
  }

  #changes(): number {
    return Number(this.#storage.sql.exec("SELECT total_changes() AS n").one().n);
  }
}

/** The table that a statement changes; empty for one that only reads. */
function tableOf(sql: string): string {
  return /\b(?:INTO|UPDATE|DELETE FROM)\s+(\w+)/.exec(sql)?.[1] ?? "";
}

function reads({ sql }: Query): boolean {
  return /^\s*(SELECT|WITH|EXPLAIN)\b/i.test(sql) && !/\b(UPDATE|INSERT|DELETE)\b/.test(sql);
}

/** The size of a parameter: of a string at least, because a unit of UTF-16 has up to three bytes. */
function leastBytesOf(value: SqlStorageValue): number {
  if (typeof value === "string") return value.length;
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 0;
}

function isTooBig(value: SqlStorageValue): boolean {
  const least = leastBytesOf(value);
  if (typeof value !== "string" || 3 * least <= MAX_VALUE_BYTES) return least > MAX_VALUE_BYTES;
  return new TextEncoder().encode(value).byteLength > MAX_VALUE_BYTES;
}

/** https://developers.cloudflare.com/d1/worker-api/#type-conversion */
function toValue(value: unknown): SqlStorageValue {
  if (value === undefined) throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'");
  return typeof value === "boolean" ? Number(value) : (value as SqlStorageValue);
}
