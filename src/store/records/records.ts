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
import { AFTER_ALL, ALL_URLS, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";
import { type FinishedQuery, type FinishedUrls, listFinished } from "./finished-urls.ts";
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
  /** Only pages whose pack has no content of theirs. */
  lacksContent?: boolean;
}

/** All URLs; pages; or of the pages those whose path has at most one segment, or those whose path has more. */
export type RecordsPart = "all" | "pages" | "pages-at-root" | "pages-below";

/** These read all rows within the bounds. */
const ONLY: Record<RecordsPart, string> = {
  all: "",
  pages: "kind = 'page'",
  "pages-at-root": "kind = 'page' AND url NOT GLOB '*/*/*/*/*'",
  "pages-below": "kind = 'page' AND url GLOB '*/*/*/*/*'",
};

/** The conditions of a part within a window, and the values of their parameters, from ?5 on. */
function choose({ status, only = "all", label, minRelevance, ...page }: RecordsPage) {
  const where = [IN_WINDOW, ...(ONLY[only] === "" ? [] : [ONLY[only]])];
  const values: (string | number)[] = [];
  const value = (given: string | number) => `?${4 + values.push(given)}`;
  if (page.hasLargeFields === true) where.push(hasLargeFields("fields"));
  if (page.lacksContent === true) where.push("content_length IS NULL");
  if (status === "queued") where.push("status IN ('queued', 'pending')");
  else if (status !== undefined) where.push(`status = ${value(status)}`);
  if (label !== undefined) where.push(`label = ${value(label)}`);
  if (minRelevance !== undefined) where.push(`relevance >= ${value(minRelevance)}`);
  return { where: where.join(" AND "), values, isFiltered: where.length > 1 };
}

/** `digest`: the column of the table that has it. */
const placeIn = (
  digest: "body_sha256" | "sha256",
) => `pack, pack_offset AS offset, pack_length AS length, revisits, content_offset AS contentOffset,
  content_length AS contentLength, coalesce(content_type, 'text/html') AS contentType, ${digest} AS sha256`;
const OF_ROW = placeIn("body_sha256");

const LINKS_PLACE = "links_offset AS linksOffset, links_length AS linksLength";

type PackedVersion = PackedPage & { contentType: string; sha256: string | null };

export class Records extends LedgerStore {
  /** Records after `cursor`, in the order of their URLs unless the query has another. Throws BadCursor. */
  async list(crawl: string, page: Pick<RecordsQuery, "cursor" | "limit"> & Partial<RecordsQuery>): Promise<CrawlUrl[]> {
    return listRecords(this.db, crawl, { sort: "url", order: "asc", ...page });
  }

  /**
   * Records in the order in which their URLs finished. `hasEnded`: whether no URL of the crawl was open before. Throws
   * BadCursor.
   */
  async finished(crawl: string, query: FinishedQuery, hasEnded: boolean): Promise<FinishedUrls> {
    return listFinished(this.db, crawl, query, hasEnded);
  }

  /** A part of an export: records in the order of their URLs, up to a given URL. */
  async listUntil(crawl: string, page: RecordsPage): Promise<CrawlUrl[]> {
    const { where, values, isFiltered } = choose(page);
    const sql = `SELECT ${URL_COLUMNS} FROM urls WHERE ${where} ORDER BY url LIMIT ?4`;
    const rows: CrawlUrl[] = [];
    const read = ({ above, upTo }: UrlRange) =>
      this.all<CrawlUrl>(sql, [crawl, above, upTo, page.limit - rows.length, ...values]);
    for await (const found of this.#read(crawl, page, isFiltered, read)) if (rows.push(...found) === page.limit) break;
    return rows;
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
    const { where, values, isFiltered } = choose(page);
    const sql = `
SELECT count(*) AS n, max(CASE i WHEN ?4 THEN url END) AS last FROM (
  SELECT url, row_number() OVER (ORDER BY url) AS i FROM urls WHERE ${where} ORDER BY url LIMIT ?4 + 1)`;
    let left = page.limit;
    let end: string | null = null;
    const read = ({ above, upTo }: UrlRange) =>
      this.first<{ n: number; last: string | null }>(sql, [crawl, above, upTo, left, ...values]);
    for await (const found of this.#read(crawl, page, isFiltered, read)) {
      const { n, last } = found ?? { n: 0, last: null };
      end ??= last;
      // One more comes after the page.
      if (n > left) return end;
      left -= n;
    }
    return null;
  }

  /** A part without conditions needs no windows: its rows follow each other. */
  async *#read<T>(crawl: string, page: RecordsPage, isFiltered: boolean, read: (range: UrlRange) => Promise<T>) {
    const range = { above: page.cursor, upTo: page.until ?? AFTER_ALL };
    if (isFiltered) yield* readInWindows(this.db, crawl, range, read);
    else yield await read(range);
  }

  /** The number of this URL in the crawl; null if the crawl does not have it. */
  async numberOf(crawl: string, url: string): Promise<number | null> {
    return this.value("seq", "SELECT seq FROM urls WHERE crawl = ?1 AND url = ?2", [crawl, url]);
  }

  /** The URL with this number. Reads all rows before it: an index would cost one more written row for each URL. */
  async urlOf(crawl: string, number: number): Promise<string | null> {
    const sql = `SELECT url FROM urls WHERE ${IN_WINDOW} AND seq = ?4 LIMIT 1`;
    const read = ({ above, upTo }: UrlRange) => this.value<string>("url", sql, [crawl, above, upTo, number]);
    for await (const url of readInWindows(this.db, crawl, ALL_URLS, read)) if (url !== null) return url;
    return null;
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
    const key = which === "best" ? "-relevance" : `abs(relevance - ${RELEVANT})`;
    const sql = `SELECT url, title, relevance, ${key} AS key FROM urls
      WHERE ${IN_WINDOW} AND status = 'completed' AND relevance IS NOT NULL ORDER BY key, url LIMIT ?4`;
    const read = ({ above, upTo }: UrlRange) =>
      this.all<RelevantPage & { key: number }>(sql, [crawl, above, upTo, most]);
    let best: (RelevantPage & { key: number })[] = [];
    for await (const found of readInWindows(this.db, crawl, ALL_URLS, read))
      best = [...best, ...found].toSorted((a, b) => a.key - b.key).slice(0, most);
    return best.map(({ key: _, ...page }) => page);
  }

  /** Those of these URLs for which the crawl has a row. */
  async among(crawl: string, urls: string[]): Promise<LinkTarget[]> {
    const query = this.db.prepare(
      `SELECT u.url, u.status, u.reason, u.detail, u.content_type AS contentType, u.body_sha256 AS sha256
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
      `SELECT ${OF_ROW}, ${LINKS_PLACE} FROM urls WHERE crawl = ?1 AND url = ?2 AND pack IS NOT NULL AND status = 'completed'`,
      [crawl, url],
    );
  }

  /** Those of the completed pages among these URLs. */
  async allPacked(crawl: string, urls: readonly string[]): Promise<Map<string, PackedVersion & PackedAnswer>> {
    const query = this.db.prepare(
      `SELECT u.url, ${OF_ROW}, ${LINKS_PLACE} FROM json_each(?2) j CROSS JOIN urls u ON u.crawl = ?1 AND u.url = j.value
       WHERE pack IS NOT NULL AND status = 'completed'`,
    );
    const found = new Map<string, PackedVersion & PackedAnswer>();
    for (const part of fitting(urls)) {
      const { results } = await query
        .bind(crawl, JSON.stringify(part))
        .all<PackedVersion & PackedAnswer & { url: string }>();
      for (const { url, ...packed } of results) found.set(url, packed);
    }
    return found;
  }

  /** Like `packed`, of the page's version with this digest. */
  async packedAs(crawl: string, url: string, sha256: string | null): Promise<PackedVersion | null> {
    return this.first(
      `SELECT ${OF_ROW} FROM urls WHERE crawl = ?1 AND url = ?2 AND pack IS NOT NULL AND status = 'completed' AND body_sha256 IS ?3
         UNION ALL SELECT ${placeIn("sha256")} FROM versions WHERE crawl = ?1 AND url = ?2 AND pack_offset IS NOT NULL AND sha256 IS ?3 LIMIT 1`,
      [crawl, url, sha256],
    );
  }
}
