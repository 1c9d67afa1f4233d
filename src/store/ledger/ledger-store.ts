/** A store of rows in the ledger's database. The parameters of a statement are ?1, ?2 and so on. */
export class LedgerStore {
  protected readonly db: D1Database;

  constructor(db: D1Database) {
    this.db = db;
  }

  /** All rows of a query. */
  protected async all<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { results } = await this.statement(sql, values).all<Row>();
    return results;
  }

  /** Its first row; null if there is none. */
  protected async first<Row>(sql: string, values: readonly unknown[] = []): Promise<Row | null> {
    return this.statement(sql, values).first<Row>();
  }

  /** A column of its first row; null if there is none. */
  protected async value<Value>(column: string, sql: string, values: readonly unknown[] = []): Promise<Value | null> {
    return this.statement(sql, values).first<Value>(column);
  }

  protected async run(sql: string, values: readonly unknown[] = []): Promise<D1Result> {
    return this.statement(sql, values).run();
  }

  /** For a batch. */
  protected statement(sql: string, values: readonly unknown[]): D1PreparedStatement {
    const statement = this.db.prepare(sql);
    return values.length === 0 ? statement : statement.bind(...values);
  }
}
