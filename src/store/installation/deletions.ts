import { DAY_MS } from "../../core/clock.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { BEST_FIRST } from "../ledger/waiting/backlog.ts";
import { planForgetting } from "../records/search-index.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";

/**
 * Deletes crawls. A mark hides and stops a crawl; then it is removed in chunks, its own row last. An interrupted
 * deletion continues from the remaining rows, and two callers may remove the same crawl at once.
 */

/**
 * How long a batch that started before the mark may still write pages to the mirror. A page without a row would never
 * be found again, so no row is removed earlier. A queue consumer's invocation ends after 15 minutes
 * (https://developers.cloudflare.com/queues/platform/limits/). One more minute allows for clocks that differ.
 */
export const IN_FLIGHT_MS = 16 * 60_000;
/**
 * Rows of a table in one chunk. With two objects each, they reach the limit of one R2 delete, and take far less than
 * D1's 30 s.
 */
export const DELETION_CHUNK = 500;
/**
 * Bytes of indexed text in one chunk, for the same reason: a removal reads the text again and looks up each of its
 * words.
 */
const TEXT_CHUNK = 2_000_000;

/**
 * A crawl that has ended was live until `updated_at`. Status and epoch make late commits discover nothing and late
 * messages be dropped.
 */
const mark = (which: string) => `
UPDATE crawls SET
  deleting_at = max(?1, ${IN_FLIGHT_MS} + CASE WHEN status IN ('running', 'watching') THEN ?1 ELSE updated_at END),
  status = CASE WHEN status ${IN_OPEN} THEN 'cancelled_by_user' ELSE status END,
  epoch = epoch + 1
WHERE deleting_at IS NULL AND ${which}
RETURNING id`;

/** No schedule names a crawl that is not shown. */
const forgetLast = (marked: string) => `
UPDATE schedules SET last_crawl_id = NULL, starting = NULL WHERE last_crawl_id IN (${marked})`;
const MARKED = "SELECT id FROM crawls WHERE deleting_at IS NOT NULL";

const removeSome = (
  table:
    | "sitemaps"
    | "variants"
    | "packs"
    | "answers"
    | "cookies"
    | "webhooks"
    | "deliveries"
    | "versions"
    | "changes"
    | "templates"
    | "same_pages"
    | "endless_hosts"
    | "withheld_urls"
    | "render_memory"
    | "signals"
    | "watch_hosts"
    | "told_troubles"
    | "answer_marks"
    | "page_troubles"
    | "marks"
    | "waiting_documents"
    | "document_claims"
    | "document_hangs"
    | "passes"
    | "lowered"
    | "finished"
    | "contents"
    | "model_answers"
    | "extraction_sections",
  key: "key" | "url" | "pattern" | "name" | "host" | "id" | "seq" | "section" | "prefix",
) => `
DELETE FROM ${table} WHERE crawl = ?1 AND ${key} <= (
  SELECT max(${key}) FROM (SELECT ${key} FROM ${table} WHERE crawl = ?1 ORDER BY ${key} LIMIT ${DELETION_CHUNK}))`;

const REMOVE_BACKLOG = `
DELETE FROM backlog WHERE (crawl, priority, depth, seq) IN (
  SELECT crawl, priority, depth, seq FROM backlog WHERE crawl = ?1 ${BEST_FIRST} LIMIT ${DELETION_CHUNK})`;

const TABLES = [
  "urls",
  "backlog",
  "sitemaps",
  "variants",
  "packs",
  "answers",
  "cookies",
  "webhooks",
  "deliveries",
  "versions",
  "changes",
  "templates",
  "same_pages",
  "endless_hosts",
  "withheld_urls",
  "render_memory",
  "signals",
  "watch_hosts",
  "told_troubles",
  "answer_marks",
  "page_troubles",
  "marks",
  "waiting_documents",
  "document_claims",
  "document_hangs",
  "document_turns",
  "passes",
  "lowered",
  "finished",
  "contents",
  "model_answers",
  "extraction_sections",
  "search_pages",
  "topics",
  "message_searches",
];
const NOTHING_LEFT = TABLES.map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE crawl = ?1)`).join(" AND ");
/** SQL: whether the crawl is a home that leads to parts which may not be deleted yet (store/shards/shard-parts.ts). */
const leadsToParts = (id: string) =>
  `EXISTS (SELECT 1 FROM shard_parts p WHERE p.crawl = ${id} AND p.home = ${id} AND p.intent >= 0)`;
const REMOVE_CRAWL = `DELETE FROM crawls WHERE id = ?1 AND NOT ${leadsToParts("?1")} AND ${NOTHING_LEFT}`;

/** Once the crawl's own row is gone: the join reads the promotions of all crawls in the last minutes only then. */
const REMOVE_PROMOTIONS = `
DELETE FROM promotions WHERE (at, tx) IN (
  SELECT p.at, p.tx FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM crawls WHERE id = ?1)) CROSS JOIN promotions p
  WHERE p.crawl = ?1)`;

interface MarkedRow {
  deletingAt: number | null;
  shards: string | null;
}

/** A crawl that somebody wants to delete. `deletingAt`: when its rows may go; null if it continues. */
interface Marked {
  deletingAt: number | null;
  /** The parts of a crawl over several ledgers. */
  shards: Shards | null;
}

export class Deletions extends LedgerStore {
  readonly #catalogue: D1Database;

  /** `catalogue`: where schedules and sessions are; the same database, or another one. */
  constructor(db: D1Database, catalogue: D1Database = db) {
    super(db);
    this.#catalogue = catalogue;
  }

  /**
   * Marks a crawl once; a running crawl needs `force`. Returns the state of the crawl: null if it does not exist, and
   * `deletingAt` null if it continues.
   */
  async mark(crawl: string, force: boolean, now: number): Promise<Marked | null> {
    const [, , stands] = await this.db.batch<MarkedRow>([
      this.statement(mark("id = ?2 AND (?3 OR status NOT IN ('running', 'watching'))"), [now, crawl, force ? 1 : 0]),
      this.db.prepare(forgetLast(MARKED)),
      this.statement("SELECT deleting_at AS deletingAt, notes -> '$.shards' AS shards FROM crawls WHERE id = ?1", [
        crawl,
      ]),
    ]);
    await this.#forgetLastElsewhere();
    const row = stands?.results[0];
    if (row === undefined) return null;
    return { ...row, shards: row.shards === null ? null : (JSON.parse(row.shards) as Shards) };
  }

  /**
   * Marks the crawls whose retention ended by `now`. `outdated` names each crawl to only one caller. `due` are the
   * marked crawls that can be removed now, up to `most`, the longest due first.
   */
  async due(now: number, most: number): Promise<{ outdated: string[]; due: string[] }> {
    const which = `retention_days > 0 AND finished_at + retention_days * ${DAY_MS} <= ?1`;
    const [outdated, , due] = await this.db.batch<{ id: string }>([
      this.statement(mark(which), [now]),
      this.db.prepare(forgetLast(MARKED)),
      this.statement(
        `SELECT id FROM crawls WHERE deleting_at <= ?1 AND NOT ${leadsToParts("crawls.id")} ORDER BY deleting_at LIMIT ?2`,
        [now, most],
      ),
    ]);
    await this.#forgetLastElsewhere();
    const idsOf = (answer?: D1Result<{ id: string }>) => (answer?.results ?? []).map(({ id }) => id);
    return { outdated: idsOf(outdated), due: idsOf(due) };
  }

  /**
   * Takes the marked crawls out of the schedules if those are in another database. It runs before any row is removed,
   * and each heartbeat repeats it, so an interruption between the two databases leaves no schedule with a crawl that is
   * gone.
   */
  async #forgetLastElsewhere(): Promise<void> {
    if (this.#catalogue === this.db) return;
    const marked = await this.all<{ id: string }>(MARKED);
    if (marked.length === 0) return;
    const ids = JSON.stringify(marked.map(({ id }) => id));
    await this.#catalogue.prepare(forgetLast("SELECT value FROM json_each(?1)")).bind(ids).run();
  }

  /** Removes the session that was brought for this crawl alone, if it is in another database. May be repeated. */
  async #removeSessionElsewhere(crawl: string): Promise<void> {
    if (this.#catalogue === this.db) return;
    const query = "SELECT options ->> 'session' AS session FROM crawls WHERE id = ?1 AND options ->> 'session' <> ''";
    const session = await this.value<string>("session", query, [crawl]);
    if (session === null) return;
    await this.#catalogue.prepare("DELETE FROM sessions WHERE temporary = 1 AND name = ?1").bind(session).run();
  }

  /** The next URLs for `removeRows`. Their objects must be removed first. */
  async nextUrls(crawl: string): Promise<string[]> {
    const results = await this.all<{ url: string }>("SELECT url FROM urls WHERE crawl = ?1 ORDER BY url LIMIT ?2", [
      crawl,
      DELETION_CHUNK,
    ]);
    return results.map(({ url }) => url);
  }

  /**
   * Removes the rows of these URLs from `nextUrls`, some rows of every other table, and the crawl's own row if nothing
   * else is left. The caller that removed the last row gets `done`; later callers get `gone`.
   */
  async removeRows(crawl: string, urls: string[]): Promise<"more" | "done" | "gone"> {
    await this.#removeSessionElsewhere(crawl);
    const results = await this.db.batch([
      // Every row up to the last one: a marked crawl gets no new ones.
      this.statement("DELETE FROM urls WHERE crawl = ?1 AND url <= ?2", [crawl, urls.at(-1) ?? ""]),
      this.statement(REMOVE_BACKLOG, [crawl]),
      this.statement(removeSome("sitemaps", "url"), [crawl]),
      this.statement(removeSome("variants", "pattern"), [crawl]),
      this.statement(removeSome("packs", "name"), [crawl]),
      this.statement(removeSome("answers", "url"), [crawl]),
      this.statement(removeSome("cookies", "host"), [crawl]),
      this.statement(removeSome("deliveries", "id"), [crawl]),
      this.statement(removeSome("webhooks", "id"), [crawl]),
      this.statement(removeSome("versions", "url"), [crawl]),
      this.statement(removeSome("changes", "seq"), [crawl]),
      this.statement(removeSome("templates", "host"), [crawl]),
      this.statement(removeSome("same_pages", "host"), [crawl]),
      this.statement(removeSome("endless_hosts", "host"), [crawl]),
      this.statement(removeSome("withheld_urls", "host"), [crawl]),
      this.statement(removeSome("render_memory", "host"), [crawl]),
      this.statement(removeSome("signals", "host"), [crawl]),
      this.statement(removeSome("watch_hosts", "host"), [crawl]),
      this.statement(removeSome("told_troubles", "host"), [crawl]),
      this.statement(removeSome("answer_marks", "host"), [crawl]),
      this.statement(removeSome("page_troubles", "url"), [crawl]),
      this.statement(removeSome("marks", "url"), [crawl]),
      this.statement(removeSome("waiting_documents", "url"), [crawl]),
      this.statement(removeSome("document_claims", "url"), [crawl]),
      this.statement(removeSome("document_hangs", "host"), [crawl]),
      this.statement(removeSome("passes", "id"), [crawl]),
      this.statement(removeSome("lowered", "url"), [crawl]),
      this.statement(removeSome("finished", "seq"), [crawl]),
      this.statement(removeSome("contents", "prefix"), [crawl]),
      this.statement(removeSome("model_answers", "key"), [crawl]),
      this.statement(removeSome("extraction_sections", "section"), [crawl]),
      this.statement("DELETE FROM refusals WHERE crawl = ?1", [crawl]),
      this.statement(
        "DELETE FROM sessions WHERE temporary = 1 AND name = (SELECT options ->> 'session' FROM crawls WHERE id = ?1)",
        [crawl],
      ),
      this.statement("DELETE FROM topics WHERE crawl = ?1", [crawl]),
      this.statement("DELETE FROM document_turns WHERE crawl = ?1", [crawl]),
      this.statement("DELETE FROM message_searches WHERE crawl = ?1", [crawl]),
      ...planForgetting(this.db, crawl, DELETION_CHUNK, TEXT_CHUNK),
      this.statement(REMOVE_CRAWL, [crawl]),
      this.statement(REMOVE_PROMOTIONS, [crawl]),
      this.statement("SELECT 1 FROM crawls WHERE id = ?1", [crawl]),
    ]);
    if ((results.at(-3)?.meta.changes ?? 0) > 0) return "done";
    return results.at(-1)?.results.length === 0 ? "gone" : "more";
  }
}
