/** A store of rows in the ledger's database. */
export class LedgerStore {
  protected readonly db: D1Database;

  constructor(db: D1Database) {
    this.db = db;
  }
}
