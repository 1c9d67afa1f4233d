import { toShownText } from "../../search/index-text.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { ALL_URLS, IN_WINDOW, readInWindows, type UrlRange } from "../ledger/row-windows.ts";
import { fitting } from "../records/fitting.ts";
import { toStoredJson } from "../records/stored-text.ts";

/** The sources of a packed crawl's archive: its packs in order, and the place of each record in them. */

/** What an export takes of a pack. */
export interface PackSlice {
  name: string;
  /** In bytes. */
  start: number;
  bytes: number;
}

/** A pack of a commit. Sizes are in bytes. */
export interface PackRow {
  name: string;
  bytes: number;
  /** Its warcinfo record, at its beginning. An export has one of its own. */
  infoBytes: number;
  /** The records of what was made of pages, at its end. An export leaves them out. */
  contentBytes: number;
  /** Its records of visits without a change. */
  visits: number;
  /** Its answers that have no row of their own. */
  answers: ArchivedAnswer[];
}

/** A robots.txt, a sitemap, or what a rendered page asked for, in a pack. */
export interface ArchivedAnswer extends Place {
  /** Of what a rendered page asked for. */
  sha256?: string;
  url: string;
  status: number;
  contentType: string | null;
  fetchedAt: number;
}

interface Place {
  offset: number;
  length: number;
}

/** The response or revisit record of an answer. */
interface ArchivedRecord extends Omit<ArchivedAnswer, "sha256"> {
  pack: string;
  revisits: string | null;
  /** Null unless it is a stored page or asset, or a rendered page asked for it. */
  sha256: string | null;
  /** Null unless it is a stored page. */
  page: { title: string | null; depth: number } | null;
}

type RecordRow = Omit<ArchivedRecord, "page"> & { isPage: number; title: string | null; depth: number };

/** Rows read at a time. */
const CHUNK = 2_000;

const TAKE_PACKS = `
INSERT OR IGNORE INTO packs (crawl, name, bytes, info_bytes, content_bytes, visits)
SELECT ?1, value ->> 'name', value ->> 'bytes', value ->> 'infoBytes', value ->> 'contentBytes', value ->> 'visits'
FROM json_each(?2)`;

/** An answer that came again replaces the row; the earlier record stays in its pack. */
const TAKE_ANSWERS = `
INSERT OR REPLACE INTO answers (crawl, url, pack, pack_offset, pack_length, http_status, content_type, fetched_at, sha256)
SELECT ?1, value ->> 'url', value ->> 'pack', value ->> 'offset', value ->> 'length', value ->> 'status', value ->> 'contentType',
  value ->> 'fetchedAt', value ->> 'sha256'
FROM json_each(?2)`;

/** Rows with an answer in a pack. Earlier versions left the place, and no status, in rows that they opened again. */
const IS_ARCHIVED = `pack_offset IS NOT NULL AND http_status IS NOT NULL AND fetched_at IS NOT NULL
  AND status NOT IN ('pending', 'queued')`;

const PAGES = `
SELECT url, pack, pack_offset AS offset, pack_length AS length, revisits, http_status AS status, content_type AS contentType,
  body_sha256 AS sha256, title, depth, status = 'completed' AND kind = 'page' AS isPage, fetched_at AS fetchedAt
FROM urls
WHERE crawl = ?1 AND url > ?2 AND ${IS_ARCHIVED} ORDER BY url LIMIT ?3`;

const ANSWERS = `
SELECT url, pack, pack_offset AS offset, pack_length AS length, NULL AS revisits, http_status AS status,
  content_type AS contentType, sha256, NULL AS title, 0 AS depth, 0 AS isPage, fetched_at AS fetchedAt
FROM answers WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3`;

/** Those of ?2, by URL and digest, that no record of the crawl has. A page or an asset has a row of its own. */
const UNARCHIVED = `
SELECT j.value ->> 'url' AS url, j.value ->> 'sha256' AS sha256 FROM json_each(?2) j
WHERE NOT EXISTS (SELECT 1 FROM answers a WHERE a.crawl = ?1 AND a.url = j.value ->> 'url' AND a.sha256 = j.value ->> 'sha256')
  AND NOT EXISTS (SELECT 1 FROM urls u WHERE u.crawl = ?1 AND u.url = j.value ->> 'url' AND u.body_sha256 = j.value ->> 'sha256'
    AND u.status = 'completed' AND u.pack_offset IS NOT NULL)`;

/** Rows of the search index read at a time, and the bytes of their texts. */
const TEXT_CHUNK = { rows: 500, bytes: 2_000_000 };

/** Up to ?3 bytes of text, and at least one page. A text's size is known without reading it. */
const TEXTS = `
SELECT url, text, octet_length(text) AS bytes FROM (
  SELECT url, text, sum(octet_length(text)) OVER (ORDER BY url ROWS UNBOUNDED PRECEDING) - octet_length(text) AS before
  FROM (SELECT url, text FROM search_pages WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ${TEXT_CHUNK.rows}))
WHERE before < ?3 ORDER BY url`;

/** Plans the packs of a commit, and the answers in them. */
export function planPacks(db: D1Database, crawl: string, packs: readonly PackRow[]): D1PreparedStatement[] {
  const answers = packs.flatMap(({ name, answers }) => answers.map((answer) => ({ ...answer, pack: name })));
  const each = (sql: string, items: readonly unknown[]) =>
    items.length === 0 ? [] : fitting(items).map((part) => db.prepare(sql).bind(crawl, toStoredJson(part)));
  return [
    ...each(
      TAKE_PACKS,
      packs.map(({ answers: _, ...pack }) => pack),
    ),
    ...each(TAKE_ANSWERS, answers),
  ];
}

export class ArchiveIndex extends LedgerStore {
  /** What an export takes of the packs after `cursor`, in the order of their names, which is that of their creation. */
  async packs(crawl: string, cursor = "", most = -1): Promise<PackSlice[]> {
    return this.all<PackSlice>(
      `SELECT name, info_bytes AS start, bytes - info_bytes - content_bytes AS bytes FROM packs
         WHERE crawl = ?1 AND name > ?2 ORDER BY name LIMIT ?3`,
      [crawl, cursor, most],
    );
  }

  /** The robots.txt files and sitemaps among these URLs that the crawl's archive has. */
  async answered(crawl: string, urls: string[]): Promise<Set<string>> {
    const results = await this.all<{ url: string }>(
      "SELECT a.url FROM json_each(?2) j CROSS JOIN answers a ON a.crawl = ?1 AND a.url = j.value",
      [crawl, JSON.stringify(urls)],
    );
    return new Set(results.map(({ url }) => url));
  }

  /** The place of an answer that has no row of its own; null if there is none. */
  async answer(crawl: string, url: string): Promise<(Place & { pack: string }) | null> {
    return this.first(
      "SELECT pack, pack_offset AS offset, pack_length AS length FROM answers WHERE crawl = ?1 AND url = ?2",
      [crawl, url],
    );
  }

  /** The answers among these of which the crawl's archive has no record. */
  async unarchived<Name extends { url: string; sha256: string }>(crawl: string, names: Name[]): Promise<Name[]> {
    return this.all<Name>(UNARCHIVED, [crawl, JSON.stringify(names)]);
  }

  /** The records of all answers: pages, redirects and errors in the order of their URLs, then the others. */
  async *records(crawl: string): AsyncGenerator<ArchivedRecord> {
    yield* this.#rows(PAGES, crawl);
    yield* this.#rows(ANSWERS, crawl);
  }

  async *#rows(sql: string, crawl: string): AsyncGenerator<ArchivedRecord> {
    for (let after = ""; ; ) {
      const results = await this.all<RecordRow>(sql, [crawl, after, CHUNK]);
      for (const { isPage, title, depth, ...record } of results)
        yield { ...record, page: isPage === 1 ? { title, depth } : null };
      const last = results.at(-1);
      if (last === undefined || results.length < CHUNK) return;
      after = last.url;
    }
  }

  /** The texts that the search index has of the crawl's first pages: about `most` bytes. */
  async texts(crawl: string, most: number): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    let room = most;
    for (let after = ""; room > 0; ) {
      const results = await this.all<{ url: string; text: string; bytes: number }>(TEXTS, [
        crawl,
        after,
        Math.min(room, TEXT_CHUNK.bytes),
      ]);
      for (const { url, text, bytes } of results) {
        texts.set(url, toShownText(text).trim());
        room -= bytes;
      }
      const last = results.at(-1);
      if (last === undefined) break;
      after = last.url;
    }
    return texts;
  }

  /** The number of `records`. */
  async count(crawl: string): Promise<number> {
    const sql = `SELECT count(*) AS n FROM urls WHERE ${IN_WINDOW} AND ${IS_ARCHIVED}`;
    const read = ({ above, upTo }: UrlRange) => this.value<number>("n", sql, [crawl, above, upTo]);
    let pages = 0;
    for await (const n of readInWindows(this.db, crawl, ALL_URLS, read)) pages += n ?? 0;
    return (
      pages + ((await this.value<number>("n", "SELECT count(*) AS n FROM answers WHERE crawl = ?1", [crawl])) ?? 0)
    );
  }
}
