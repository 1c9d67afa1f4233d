/**
 * Bindings whose n-th call fails, before or after it takes effect. To the database and the bucket, a killed invocation
 * looks the same.
 */

export class Faults {
  /** Calls so far. */
  calls = 0;
  readonly #at: number;
  readonly #when: "before" | "after";

  constructor(at: number, when: "before" | "after") {
    this.#at = at;
    this.#when = when;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    this.calls += 1;
    const fails = this.calls === this.#at;
    if (fails && this.#when === "before") throw new Error("the call was not made");
    const result = await work();
    if (fails) throw new Error("the answer was lost");
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
