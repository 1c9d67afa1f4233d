import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * A text for each crawl and host, replaced as a whole: the jars of crawls that keep cookies, and the templates of
 * watches. They are deleted with their crawl.
 */
export class HostTexts extends LedgerStore {
  readonly #table: "cookies" | "templates";
  readonly #column: "jar" | "template";

  constructor(db: D1Database, table: "cookies" | "templates", column: "jar" | "template") {
    super(db);
    this.#table = table;
    this.#column = column;
  }

  /** The stored texts of a host, by crawl. */
  async read(crawls: readonly string[], host: string): Promise<Map<string, string>> {
    const results = await this.all<{ crawl: string; text: string }>(
      `SELECT k.crawl, k.${this.#column} AS text FROM json_each(?1) j CROSS JOIN ${this.#table} k ON k.crawl = j.value AND k.host = ?2`,
      [JSON.stringify(crawls), host],
    );
    return new Map(results.map(({ crawl, text }) => [crawl, text]));
  }

  /** Replaces the text of a host. A crawl that is deleted or is being deleted gets none. */
  async write(crawl: string, host: string, text: string): Promise<void> {
    await this.run(
      `INSERT INTO ${this.#table} (crawl, host, ${this.#column}) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
         ON CONFLICT (crawl, host) DO UPDATE SET ${this.#column} = excluded.${this.#column}`,
      [crawl, host, text],
    );
  }
}
