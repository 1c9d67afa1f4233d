/** The cookies of crawls that keep them: one stored jar for each crawl and host. They are deleted with their crawl. */
export class Cookies {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The stored jars of a host, by crawl. */
  async read(crawls: readonly string[], host: string): Promise<Map<string, string>> {
    const { results } = await this.#db
      .prepare(`SELECT k.crawl, k.jar FROM json_each(?1) j CROSS JOIN cookies k ON k.crawl = j.value AND k.host = ?2`)
      .bind(JSON.stringify(crawls), host)
      .all<{ crawl: string; jar: string }>();
    return new Map(results.map(({ crawl, jar }) => [crawl, jar]));
  }

  /** Replaces the jar of a host. A crawl that is deleted or is being deleted gets none. */
  async write(crawl: string, host: string, jar: string): Promise<void> {
    await this.#db
      .prepare(
        `INSERT INTO cookies (crawl, host, jar) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
         ON CONFLICT (crawl, host) DO UPDATE SET jar = excluded.jar`,
      )
      .bind(crawl, host, jar)
      .run();
  }
}
