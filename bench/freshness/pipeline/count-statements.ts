/** Counts what each statement reads and writes: a D1 binding beside the meter, which adds up what is billed. */
import type { StatementUse } from "./order.ts";

export class StatementCounts {
  #uses = new Map<string, StatementUse>();

  /** The binding, counted. */
  counted(db: D1Database): D1Database {
    const statement = (sql: string, inner: D1PreparedStatement): D1PreparedStatement => {
      const all = async () => this.#count(sql, await inner.all());
      const first = async (column?: string) => {
        const row = ((await all()).results[0] ?? null) as Record<string, unknown> | null;
        return column === undefined ? row : (row?.[column] ?? null);
      };
      const bind = (...values: unknown[]) => statement(sql, inner.bind(...values));
      return { sql, inner, bind, all, run: all, first, raw: inner.raw.bind(inner) } as unknown as D1PreparedStatement;
    };
    return {
      prepare: (sql: string) => statement(sql, db.prepare(sql)),
      batch: async (statements: D1PreparedStatement[]) => {
        const known = statements as unknown as { sql: string; inner: D1PreparedStatement }[];
        const results = await db.batch(known.map(({ inner }) => inner));
        return results.map((result, i) => this.#count(known[i]?.sql ?? "", result));
      },
    } as unknown as D1Database;
  }

  /** What was counted since it was last taken, and forgets it. */
  take(): StatementUse[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  #count<T extends D1Result>(sql: string, result: T): T {
    const use = this.#uses.get(sql) ?? { sql: sql.replace(/\s+/g, " ").trim(), calls: 0, read: 0, written: 0 };
    this.#uses.set(sql, use);
    use.calls += 1;
    use.read += result.meta.rows_read ?? 0;
    use.written += result.meta.rows_written ?? 0;
    return result;
  }
}
