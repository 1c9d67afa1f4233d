import type { UrlKind } from "../crawl/url-kind.ts";

/** The sources of a packed crawl's archive: its packs in order, and the place of each page in them. */

export interface PackSize {
  name: string;
  bytes: number;
}

interface ArchivedPage {
  url: string;
  pack: string;
  offset: number;
  length: number;
  revisits: string | null;
  status: number;
  contentType: string | null;
  sha256: string;
  title: string | null;
  depth: number;
  kind: UrlKind;
  fetchedAt: number;
}

/** Rows read at a time. */
const CHUNK = 2_000;

export class ArchiveIndex {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** The packs after `cursor`, in the order of their names, which is the order of their creation. */
  async packs(crawl: string, cursor = "", most = -1): Promise<PackSize[]> {
    const { results } = await this.#db
      .prepare("SELECT name, bytes FROM packs WHERE crawl = ?1 AND name > ?2 ORDER BY name LIMIT ?3")
      .bind(crawl, cursor, most)
      .all<PackSize>();
    return results;
  }

  /** Pages in the order of their URLs. */
  async *pages(crawl: string): AsyncGenerator<ArchivedPage> {
    for (let after = ""; ; ) {
      const { results } = await this.#db
        .prepare(
          `SELECT url, pack, pack_offset AS offset, pack_length AS length, revisits, http_status AS status, content_type AS contentType,
             sha256, title, depth, kind, fetched_at AS fetchedAt
           FROM urls WHERE crawl = ?1 AND url > ?2 AND pack_offset IS NOT NULL AND status = 'completed' ORDER BY url LIMIT ?3`,
        )
        .bind(crawl, after, CHUNK)
        .all<ArchivedPage>();
      yield* results;
      const last = results.at(-1);
      if (last === undefined || results.length < CHUNK) return;
      after = last.url;
    }
  }

  async countPages(crawl: string): Promise<number> {
    const row = await this.#db
      .prepare("SELECT count(*) AS n FROM urls WHERE crawl = ?1 AND pack_offset IS NOT NULL AND status = 'completed'")
      .bind(crawl)
      .first<{ n: number }>();
    return row?.n ?? 0;
  }
}
