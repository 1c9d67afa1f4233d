import { type Clock, systemClock } from "../../core/clock.ts";
import { addUsage, type Usage } from "../../crawl/bounds/usage.ts";
import { retryTransient } from "../ledger/transient.ts";
import type { DatabaseSize } from "./database-size.ts";

/**
 * Bindings that count their usage in the units that Cloudflare bills. If a binding reports its own usage, that counts.
 */

export class Meter {
  #usage: Usage = {};

  add(usage: Usage): void {
    addUsage(this.#usage, usage);
  }

  /** Usage since it was last taken. */
  get usage(): Readonly<Usage> {
    return this.#usage;
  }

  /** Returns that usage, and resets it. */
  take(): Usage {
    const usage = this.#usage;
    this.#usage = {};
    return usage;
  }
}

/**
 * Counts the rows that each statement read and wrote, which its result says. Calls that fail for a moment are retried.
 * `clock` measures the waits between two tries: by default real time, because the database recovers in real time. After
 * a retry, `meta.total_attempts` of the results is the number of tries. `size` gets the size of the database.
 */
export function meteredDatabase(
  db: D1Database,
  meter: Meter,
  clock: Pick<Clock, "sleep"> = systemClock,
  size?: Pick<DatabaseSize, "note">,
): D1Database {
  const count = <T extends D1Result>(result: T, tries: number): T => {
    const { meta } = result;
    meter.add({ ledgerRowsRead: meta.rows_read ?? 0, ledgerRowsWritten: meta.rows_written ?? 0 });
    size?.note(meta);
    return tries === 1 ? result : { ...result, meta: { ...meta, total_attempts: tries } };
  };
  const call = async <T extends D1Result>(work: () => Promise<T>): Promise<T> => {
    const { result, tries } = await retryTransient(work, clock);
    return count(result, tries);
  };
  const statement = (inner: D1PreparedStatement): D1PreparedStatement =>
    ({
      inner,
      bind: (...values: unknown[]) => statement(inner.bind(...values)),
      // Only `first` does not report its cost.
      first: async (column?: string) => {
        const row = (await call(() => inner.all<Record<string, unknown>>())).results[0] ?? null;
        return column === undefined ? row : (row?.[column] ?? null);
      },
      all: () => call(() => inner.all()),
      run: () => call(() => inner.run()),
      raw: inner.raw.bind(inner),
    }) as unknown as D1PreparedStatement;
  return {
    prepare: (sql: string) => statement(db.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      const inner = statements.map((one) => (one as unknown as { inner: D1PreparedStatement }).inner);
      const { result, tries } = await retryTransient(() => db.batch(inner), clock);
      return result.map((one) => count(one, tries));
    },
  } as unknown as D1Database;
}

/**
 * Class A changes or lists, class B reads, and deleting costs nothing:
 * https://developers.cloudflare.com/r2/pricing/#class-a-operations
 */
export function meteredBucket(bucket: R2Bucket, meter: Meter): R2Bucket {
  const counted =
    (method: "put" | "list" | "get" | "head", usage: Usage) =>
    (...args: unknown[]) => {
      meter.add(usage);
      return (bucket[method] as (...args: unknown[]) => unknown).apply(bucket, args);
    };
  return {
    put: counted("put", { mirrorWrites: 1 }),
    list: counted("list", { mirrorWrites: 1 }),
    get: counted("get", { mirrorReads: 1 }),
    head: counted("head", { mirrorReads: 1 }),
    delete: (keys: string | string[]) => bucket.delete(keys),
  } as unknown as R2Bucket;
}

/** A message is far below 64 KB, so sending it is one operation. */
export function meteredQueue<T>(queue: Queue<T>, meter: Meter): Queue<T> {
  return {
    sendBatch: async (messages: Iterable<MessageSendRequest<T>>) => {
      const all = [...messages];
      meter.add({ queueOperations: all.length });
      await queue.sendBatch(all);
    },
  } as unknown as Queue<T>;
}
