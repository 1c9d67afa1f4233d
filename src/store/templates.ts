import type { HostTemplate } from "../changes/host-template.ts";

/** The templates of a watch's hosts: one row each. */
export class Templates {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Null if nothing is known of the host. */
  async read(crawl: string, host: string): Promise<HostTemplate | null> {
    const template = await this.#db
      .prepare("SELECT template FROM templates WHERE crawl = ?1 AND host = ?2")
      .bind(crawl, host)
      .first<string>("template");
    return template === null ? null : (JSON.parse(template) as HostTemplate);
  }

  /** Writes nothing for a crawl that is deleted or is being deleted. */
  async write(crawl: string, host: string, template: HostTemplate): Promise<void> {
    await this.#db
      .prepare(
        `INSERT OR REPLACE INTO templates (crawl, host, template)
         SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND deleting_at IS NULL`,
      )
      .bind(crawl, host, JSON.stringify(template))
      .run();
  }
}
