import type { LearnedTopic } from "../crawl/learned-topic.ts";

/** What crawls with a subject have learned: one row each (crawl/learned-topic.ts). */

/** How often a write is tried that others come before. */
const TRIES = 5;

/** `version` is 0 before the first write. */
export interface StoredTopic {
  learned: LearnedTopic;
  version: number;
}

export class Topics {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Null if the crawl has learned nothing yet. */
  async read(crawl: string): Promise<StoredTopic | null> {
    const row = await this.#db
      .prepare("SELECT learned, version FROM topics WHERE crawl = ?1")
      .bind(crawl)
      .first<{ learned: string; version: number }>();
    return row === null ? null : { learned: JSON.parse(row.learned) as LearnedTopic, version: row.version };
  }

  /** Changes what is stored, if anything is. */
  async change(crawl: string, change: (learned: LearnedTopic) => LearnedTopic): Promise<void> {
    const stored = await this.read(crawl);
    if (stored !== null) await this.learn(crawl, stored, change);
  }

  /**
   * Applies what a batch has learned to `known`, or to what is stored if another batch came before. `learn` may be
   * called more than once. Nothing is written for a crawl that is deleted or is being deleted, or if `learn` changes
   * nothing. Returns what is stored then, or would be.
   */
  async learn(crawl: string, known: StoredTopic, learn: (learned: LearnedTopic) => LearnedTopic): Promise<StoredTopic> {
    let before = known;
    for (let tries = 1; ; tries++) {
      const learned = learn(before.learned);
      if (learned === before.learned) return before;
      const { meta } = await this.#db
        .prepare(
          `INSERT INTO topics (crawl, learned, version) SELECT id, ?2, 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
           ON CONFLICT DO UPDATE SET learned = excluded.learned, version = version + 1 WHERE version = ?3`,
        )
        .bind(crawl, JSON.stringify(learned), before.version)
        .run();
      const after = { learned, version: before.version + 1 };
      if (meta.changes > 0 || tries === TRIES) return after;
      const stored = await this.read(crawl);
      if (stored === null) return after;
      before = stored;
    }
  }
}
