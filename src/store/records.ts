import type { CrawlUrl } from "../crawl/crawl.ts";
import type { PackedPage } from "../crawl/outcome.ts";
import type { RecordDetail } from "../crawl/record-detail.ts";
import type { RecordsQuery } from "../crawl/records-query.ts";
import type { UrlStatus } from "../crawl/status.ts";
import type { TreeLevel } from "../crawl/url-tree.ts";
import { readRecordDetail } from "./record-details.ts";
import { listRecords } from "./record-listing.ts";
import { URL_COLUMNS } from "./url-columns.ts";
import { readTreeLevel } from "./url-trees.ts";

/** Reads the rows of a crawl's URLs, as records. */

/** A page of records, in the order of their URLs. */
interface RecordsPage {
  /** It begins after this URL. */
  cursor: string;
  /** It ends with this URL at the latest. */
  until?: string | null;
  limit: number;
  /** `queued` takes in the pending ones. */
  status?: UrlStatus;
  /** Leaves out assets. */
  pagesAlone?: boolean;
}

const WITHIN = `crawl = ?1 AND url > ?2 AND url <= ?3
  AND (?4 IS NULL OR status = ?4 OR (?4 = 'queued' AND status = 'pending'))`;
const PAGES = " AND kind = 'page'";
/**
 * Canonical URLs are ASCII. A bound that SQLite always has keeps a search for the last of a page from reading on to the
 * end of the crawl.
 */
const AFTER_ALL = "\x7f";

export class Records {
  readonly #db: D1Database;

  constructor(db: D1Database) {
    this.#db = db;
  }

  /** Records, in the order of their URLs unless another is asked for, from after `cursor`. Throws BadCursor. */
  async list(crawl: string, page: Pick<RecordsQuery, "cursor" | "limit"> & Partial<RecordsQuery>): Promise<CrawlUrl[]> {
    return listRecords(this.#db, crawl, { sort: "url", order: "asc", ...page });
  }

  /** A part of an export: records in the order of their URLs, up to one of them. */
  async listUntil(crawl: string, { cursor, until, limit, status, pagesAlone }: RecordsPage): Promise<CrawlUrl[]> {
    const { results } = await this.#db
      .prepare(`SELECT ${URL_COLUMNS} FROM urls WHERE ${WITHIN}${pagesAlone ? PAGES : ""} ORDER BY url LIMIT ?5`)
      .bind(crawl, cursor, until ?? AFTER_ALL, status ?? null, limit)
      .all<CrawlUrl>();
    return results;
  }

  /** The URL that such a page ends with, where more records come after it; null where the page takes in the last. */
  async endOfPage(crawl: string, { cursor, until, limit, status, pagesAlone }: RecordsPage): Promise<string | null> {
    const { results } = await this.#db
      .prepare(`SELECT url FROM urls WHERE ${WITHIN}${pagesAlone ? PAGES : ""} ORDER BY url LIMIT 2 OFFSET ?5`)
      .bind(crawl, cursor, until ?? AFTER_ALL, status ?? null, limit - 1)
      .all<{ url: string }>();
    return results.length < 2 ? null : (results[0]?.url ?? null);
  }

  /** A number that stands for this URL of the crawl; null where it is none. */
  async numberOf(crawl: string, url: string): Promise<number | null> {
    return this.#db.prepare("SELECT seq FROM urls WHERE crawl = ?1 AND url = ?2").bind(crawl, url).first("seq");
  }

  /**
   * The URL that a number stands for. Reads as many rows as come before it: an index would cost one more row written
   * for each URL.
   */
  async urlOf(crawl: string, number: number): Promise<string | null> {
    return this.#db
      .prepare("SELECT url FROM urls WHERE crawl = ?1 AND seq = ?2 LIMIT 1")
      .bind(crawl, number)
      .first("url");
  }

  /** Null where the crawl has no row for it. */
  async get(crawl: string, url: string): Promise<CrawlUrl | null> {
    return this.#db.prepare(`SELECT ${URL_COLUMNS} FROM urls WHERE crawl = ?1 AND url = ?2`).bind(crawl, url).first();
  }

  /** A record with what is known around it; null where the crawl has no row for it. */
  async detail(crawl: string, url: string): Promise<RecordDetail | null> {
    return readRecordDetail(this.#db, crawl, url);
  }

  /** One level of the tree of a crawl's URLs. `path`: empty, or a URL up to and with one of its slashes. */
  async treeLevel(crawl: string, path: string): Promise<TreeLevel> {
    return readTreeLevel(this.#db, crawl, path);
  }

  /** The place of a page in its pack, and its media type; null where no pack holds any of it. */
  async packed(crawl: string, url: string): Promise<(PackedPage & { contentType: string }) | null> {
    return this.#db
      .prepare(
        `SELECT pack, pack_offset AS offset, pack_length AS length, revisits, content_offset AS contentOffset,
           content_length AS contentLength, coalesce(content_type, 'text/html') AS contentType
         FROM urls WHERE crawl = ?1 AND url = ?2 AND pack IS NOT NULL`,
      )
      .bind(crawl, url)
      .first();
  }
}
