import type { CrawlUrl } from "../../crawl/crawl.ts";
import type { LinkTarget } from "../../crawl/page/link-target.ts";
import type { PackedAnswer, PackedPage } from "../../crawl/page/outcome.ts";
import type { RecordDetail } from "../../crawl/page/record-detail.ts";
import type { RecordsQuery } from "../../crawl/page/records-query.ts";
import type { UrlStatus } from "../../crawl/page/status.ts";
import type { TreeLevel } from "../../crawl/page/url-tree.ts";
import type { RelevantPage } from "../../crawl/subject/topic-report.ts";
import type { LinkScore } from "../../topic/course/score-link.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";
import { hasLargeFields, URL_COLUMNS } from "../ledger/fact-columns.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { fitting } from "./fitting.ts";
import { readRecordDetail } from "./record-details.ts";
import { listRecords } from "./record-listing.ts";
import { readTreeLevel } from "./url-trees.ts";

/** Reads the rows of a crawl's URLs, as records. */

/** A page of records, in the order of their URLs. */
interface RecordsPage {
  /** The page starts after this URL. */
  cursor: string;
  /** The page ends with this URL or earlier. */
  until?: string | null;
  limit: number;
  /** `queued` includes `pending`. */
  status?: UrlStatus | undefined;
  only?: RecordsPart;
  /** Only pages with this label of a classification. */
  label?: string | undefined;
  /** Only pages at least so relevant to the crawl's subject. */
  minRelevance?: number | undefined;
  /** Only pages with fields in a pack. */
  hasLargeFields?: boolean;
}

/** All URLs; pages; or of the pages those whose path has at most one segment, or those whose path has more. */
export type RecordsPart = "all" | "pages" | "pages-at-root" | "pages-below";

const WITHIN = `crawl = ?1 AND url > ?2 AND url <= ?3
  AND (?4 IS NULL OR status = ?4 OR (?4 = 'queued' AND status = 'pending'))`;
/** These read all rows within the bounds. */
const ONLY: Record<RecordsPart, string> = {
  all: "",
  pages: " AND kind = 'page'",
  "pages-at-root": " AND kind = 'page' AND url NOT GLOB '*/*/*/*/*'",
  "pages-below": " AND kind = 'page' AND url GLOB '*/*/*/*/*'",
};
/** ?6: the label. ?7: the least relevance. */
const conditions = ({
  only = "all",
  hasLargeFields: isOfLarge = false,
}: Pick<RecordsPage, "only" | "hasLargeFields">) =>
  `${ONLY[only]}${isOfLarge ? ` AND ${hasLargeFields("fields")}` : ""} AND (?6 IS NULL OR label = ?6) AND (?7 IS NULL OR relevance >= ?7)`;
/**
 * Greater than all canonical URLs, which are ASCII. With an upper bound, SQLite does not read on to the end of the
 * crawl.
 */
const AFTER_ALL = "\x7f";

const PLACE = `pack, pack_offset AS offset, pack_length AS length, revisits, content_offset AS contentOffset,
  content_length AS contentLength, coalesce(content_type, 'text/html') AS contentType, sha256`;

const LINKS_PLACE = "links_offset AS linksOffset, links_length AS linksLength";

/** What ?2 to ?6 stand for. */
function valuesOf(page: RecordsPage, rows: number): (string | number | null)[] {
  const { cursor, until, status, label, minRelevance } = page;
  return [cursor, until ?? AFTER_ALL, status ?? null, rows, label ?? null, minRelevance ?? null];
}

type PackedVersion = PackedPage & { contentType: string; sha256: string | null };

export class Records extends LedgerStore {
  /** Records after `cursor`, in the order of their URLs unless the query has another. Throws BadCursor. */
  async list(crawl: string, page: Pick<RecordsQuery, "cursor" | "limit"> & Partial<RecordsQuery>): Promise<CrawlUrl[]> {
    return listRecords(this.db, crawl, { sort: "url", order: "asc", ...page });
  }

  /** A part of an export: records in the order of their URLs, up to a given URL. */
  async listUntil(crawl: string, page: RecordsPage): Promise<CrawlUrl[]> {
    return this.all<CrawlUrl>(
      `SELECT ${URL_COLUMNS} FROM urls WHERE ${WITHIN}${conditions(page)} ORDER BY url LIMIT ?5`,
      [crawl, ...valuesOf(page, page.limit)],
    );
  }

  /** All records of such a part, `limit` rows of a query in memory at a time. */
  async *walk(crawl: string, part: RecordsPage): AsyncGenerator<CrawlUrl, void> {
    for (let { cursor } = part; cursor !== part.until; ) {
      const rows = await this.listUntil(crawl, { ...part, cursor });
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < part.limit) return;
      cursor = last.url;
    }
  }

  /** The last URL of such a page; null if no records come after the page. */
  async endOfPage(crawl: string, page: RecordsPage): Promise<string | null> {
    const results = await this.all<{ url: string }>(
      `SELECT url FROM urls WHERE ${WITHIN}${conditions(page)} ORDER BY url LIMIT 2 OFFSET ?5`,
      [crawl, ...valuesOf(page, page.limit - 1)],
    );
    return results.length < 2 ? null : (results[0]?.url ?? null);
  }

  /** The number of this URL in the crawl; null if the crawl does not have it. */
  async numberOf(crawl: string, url: string): Promise<number | null> {
    return this.value("seq", "SELECT seq FROM urls WHERE crawl = ?1 AND url = ?2", [crawl, url]);
  }

  /** The URL with this number. Reads all rows before it: an index would cost one more written row for each URL. */
  async urlOf(crawl: string, number: number): Promise<string | null> {
    return this.value("url", "SELECT url FROM urls WHERE crawl = ?1 AND seq = ?2 LIMIT 1", [crawl, number]);
  }

  /** Null if the crawl has no row for it. */
  async get(crawl: string, url: string): Promise<CrawlUrl | null> {
    return this.first(`SELECT ${URL_COLUMNS} FROM urls WHERE crawl = ?1 AND url = ?2`, [crawl, url]);
  }

  /** Why the link to it was put where it was; null without a subject, and for a seed. */
  async foundBy(crawl: string, url: string): Promise<LinkScore | null> {
    const query = this.statement("SELECT found FROM urls WHERE crawl = ?1 AND url = ?2", [crawl, url]);
    const found = await query.first<string>("found");
    return found === null ? null : (JSON.parse(found) as LinkScore);
  }

  /**
   * The most relevant pages, or those of whose relevance is least sure, for people. It reads all rows of the crawl, as
   * other orders do.
   */
  async byRelevance(crawl: string, which: "best" | "doubtful", most: number): Promise<RelevantPage[]> {
    const order = which === "best" ? "relevance DESC" : `abs(relevance - ${RELEVANT})`;
    return this.all<RelevantPage>(
      `SELECT url, title, relevance FROM urls WHERE crawl = ?1 AND status = 'completed' AND relevance IS NOT NULL
         ORDER BY ${order}, url LIMIT ?2`,
      [crawl, most],
    );
  }

  /** Those of these URLs for which the crawl has a row. */
  async among(crawl: string, urls: string[]): Promise<LinkTarget[]> {
    const query = this.db.prepare(
      `SELECT u.url, u.status, u.reason, u.detail, u.content_type AS contentType, u.sha256
       FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value`,
    );
    const found: LinkTarget[] = [];
    for (const part of fitting(urls)) {
      found.push(...(await query.bind(crawl, JSON.stringify(part)).all<LinkTarget>()).results);
    }
    return found;
  }

  /** A record with the path to it and the URLs found on it; null if the crawl has no row for it. */
  async detail(crawl: string, url: string): Promise<RecordDetail | null> {
    return readRecordDetail(this.db, crawl, url);
  }

  /** One level of the tree of a crawl's URLs. `path`: empty, or a URL up to and with one of its slashes. */
  async treeLevel(crawl: string, path: string): Promise<TreeLevel> {
    return readTreeLevel(this.db, crawl, path);
  }

  /** The place of a completed page in its pack, and its media type; null if no pack holds any of it. */
  async packed(crawl: string, url: string): Promise<(PackedVersion & PackedAnswer) | null> {
    return this.first(
      `SELECT ${PLACE}, ${LINKS_PLACE} FROM urls WHERE crawl = ?1 AND url = ?2 AND pack IS NOT NULL AND status = 'completed'`,
      [crawl, url],
    );
  }

  /** Like `packed`, of the page's version with this digest. */
  async packedAs(crawl: string, url: string, sha256: string | null): Promise<PackedVersion | null> {
    return this.first(
      `SELECT ${PLACE} FROM urls WHERE crawl = ?1 AND url = ?2 AND pack IS NOT NULL AND status = 'completed' AND sha256 IS ?3
         UNION ALL SELECT ${PLACE} FROM versions WHERE crawl = ?1 AND url = ?2 AND pack_offset IS NOT NULL AND sha256 IS ?3 LIMIT 1`,
      [crawl, url, sha256],
    );
  }
}
