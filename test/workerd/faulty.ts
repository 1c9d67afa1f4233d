/**
 * Bindings of which some calls in a row fail, before or after they take effect. To the database and the bucket, a
 * killed invocation looks the same.
 */

export class Faults {
  /** Calls so far. */
  calls = 0;
  readonly #at: number;
  readonly #when: "before" | "after";
  readonly #message: string | undefined;
  readonly #times: number;

  /** `at`: the first call that fails, from 1. `times`: the number of calls that fail. */
  constructor(at: number, when: "before" | "after", message?: string, times = 1) {
    this.#at = at;
    this.#when = when;
    this.#message = message;
    this.#times = times;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    this.calls += 1;
    const fails = this.calls >= this.#at && this.calls < this.#at + this.#times;
    if (fails && this.#when === "before") throw new Error(this.#message ?? "the call was not made");
    const result = await work();
    if (fails) throw new Error(this.#message ?? "the answer was lost");
    return result;
  }
}

/** The real statement of each wrapped one, for `batch`. */
const realStatements = new WeakMap<object, D1PreparedStatement>();

export function faultyDatabase(db: D1Database, faults: Faults): D1Database {
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: () => faults.call(() => statement.all()),
      first: () => faults.call(() => statement.first()),
      run: () => faults.call(() => statement.run()),
      raw: () => faults.call(() => statement.raw()),
    } as unknown as D1PreparedStatement;
    realStatements.set(wrapped, statement);
    return wrapped;
  };
  return {
    prepare: (sql: string) => wrap(db.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      faults.call(() => db.batch(statements.map((statement) => realStatements.get(statement) ?? statement))),
  } as unknown as D1Database;
}

export function faultyBucket(bucket: R2Bucket, faults: Faults): R2Bucket {
  return { delete: (keys: string[]) => faults.call(() => bucket.delete(keys)) } as unknown as R2Bucket;
}
