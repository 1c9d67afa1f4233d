import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { type CrawlTemplate, isFixed, OpenTemplate } from "../../crawl/page/crawl-template.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * The templates of crawls: an object in R2 for each, which the crawl's row names once it is complete. What was learned
 * so far is another object. Both lie with the packs, so a deletion of the crawl finds them.
 */

/** Crawls of ten pages or more that have ended and have no template of that end, the newest first. */
const DUE = `
SELECT id FROM crawls
WHERE coalesce(watching_since, finished_at) IS NOT NULL AND template_end IS NOT coalesce(watching_since, finished_at)
  AND completed - assets_completed >= 10 AND deleting_at IS NULL ORDER BY coalesce(watching_since, finished_at) DESC LIMIT ?1`;

/** The first of several learners decides. ?3: the end after which it was learned. ?4: whether texts are indexed. */
const FIX = `
UPDATE crawls SET template = ?2, template_end = ?3, search_left = CASE WHEN ?2 IS NOT NULL AND ?4 THEN '' END
WHERE id = ?1 AND coalesce(watching_since, finished_at) = ?3 AND template_end IS NOT ?3 AND deleting_at IS NULL`;

/** Bytes. A larger page is no example: it takes long to read, and ends as any other. */
const LARGE = 500_000;

/**
 * The next ?3 rows after URL ?2: the last of them, their number, and the completed pages among them whose number in the
 * order of discovery, multiplied as by Knuth's hash, is below ?4.
 */
const PAGES = `
SELECT max(url) AS last, count(*) AS rows,
  json_group_array(json_array(url, content_type)) FILTER (WHERE status = 'completed' AND kind = 'page'
    AND coalesce(bytes, 0) < ${LARGE} AND (seq * 2654435761) & 4294967295 < ?4) AS pages
FROM (SELECT url, status, kind, content_type, bytes, seq FROM urls WHERE crawl = ?1 AND url > ?2 ORDER BY url LIMIT ?3)`;

/** Of all pages, this share is 1. */
const ALL = 4_294_967_296;

export interface ListedPages {
  /** The last URL that was read; null if there are no more. */
  last: string | null;
  pages: [url: string, contentType: string | null][];
}

export class CrawlTemplates extends LedgerStore {
  readonly #bucket: R2Bucket;

  constructor(db: D1Database, bucket: R2Bucket) {
    super(db);
    this.#bucket = bucket;
  }

  /** Up to `most` crawls whose template is to be learned. */
  async due(most: number): Promise<string[]> {
    return (await this.all<{ id: string }>(DUE, [most])).map(({ id }) => id);
  }

  /** The completed pages among the next `rows` rows after `after`: a `share` of them, 0 to 1, chosen evenly. */
  async pages(crawl: string, after: string, rows: number, share: number): Promise<ListedPages> {
    const found = await this.first<{ last: string | null; rows: number; pages: string }>(PAGES, [
      crawl,
      after,
      rows,
      Math.ceil(Math.min(1, share) * ALL),
    ]);
    const pages = JSON.parse(found?.pages ?? "[]") as ListedPages["pages"];
    return { last: found !== null && found.rows === rows ? found.last : null, pages };
  }

  /**
   * Stores a template, unless another one was stored for this end; null if the pages have none. The search index of the
   * crawl is then to be cleaned, if it has one.
   */
  async fix(
    { id, options }: Pick<Crawl, "id" | "options">,
    end: number,
    template: CrawlTemplate | null,
  ): Promise<void> {
    const name = template === null ? null : crypto.randomUUID();
    if (template !== null && name !== null) await this.#bucket.put(keyOf(id, name), packJson(template));
    const { meta } = await this.run(FIX, [id, name, end, options.search ? 1 : 0]);
    if (meta.changes === 0 && name !== null) await this.#bucket.delete(keyOf(id, name));
    await this.#bucket.delete(keyOf(id, PROGRESS));
  }

  /** The template of a crawl; null if it has none, or none of its last end. */
  async open(crawl: Crawl): Promise<OpenTemplate | null> {
    const bytes = crawl.template === null || !isFixed(crawl) ? null : await this.#read(crawl.id, crawl.template);
    return bytes === null ? null : new OpenTemplate(unpackJson<CrawlTemplate>(bytes));
  }

  /** What was learned so far; null before. */
  async progress(crawl: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#read(crawl, PROGRESS);
  }

  /** A crawl whose search index is to be cleaned, from the text after the URL `after` on; null if there is none. */
  async nextSearch(): Promise<{ id: string; after: string } | null> {
    return this.first(
      `SELECT id, search_left AS after FROM crawls INDEXED BY crawls_search_left
         WHERE search_left IS NOT NULL AND deleting_at IS NULL LIMIT 1`,
    );
  }

  /** Notes that the index was cleaned up to a URL; null: all of it. Nothing if somebody else has noted more. */
  async noteSearched(crawl: string, before: string, after: string | null): Promise<void> {
    await this.run("UPDATE crawls SET search_left = ?3 WHERE id = ?1 AND search_left = ?2", [crawl, before, after]);
  }

  async #read(crawl: string, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const object = await this.#bucket.get(keyOf(crawl, name));
    return object === null ? null : new Uint8Array(await object.arrayBuffer());
  }

  async putProgress(crawl: string, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(keyOf(crawl, PROGRESS), bytes);
  }
}

const PROGRESS = "progress";

/** No page has such a key: that of a page ends in an extension. */
function keyOf(crawl: string, name: string): string {
  return `${crawl}/packs/template-${name}`;
}
