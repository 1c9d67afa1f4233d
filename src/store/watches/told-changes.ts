import { DAY_MS } from "../../core/clock.ts";
import { fieldsInRow, type RowFields } from "../../crawl/page/row-fields.ts";
import { asFields, type KnownValues } from "../../crawl/page/value-changes.ts";
import { CHANGES_EVENT, type NoticeMessage, type NoticeStyle } from "../../crawl/watch/notice.ts";
import type { Telling } from "../../crawl/watch/notice-style.ts";
import type { TitledChange } from "../../crawl/watch/watch.ts";
import type { FieldValues } from "../../media/html/fields/field-rule.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { planTellingChanges, wants } from "../notices/outbox.ts";
import { type StoredChange, TITLE, toChange } from "./changes.ts";

/**
 * Which changes of a watch each webhook was told. Changes are numbered in the order of their transactions, so the last
 * number that a webhook was told says it all. The transaction that settles changes notes that they wait. Another one
 * writes the messages and moves the number on, while it still is what the messages began with.
 */

/** A webhook for which changes wait, or whose digest is due. */
export interface WaitingWebhook {
  crawl: string;
  id: string;
  /** The last change that it was told; 0 for none. */
  toldSeq: number;
  /** Null: our own form. */
  style: NoticeStyle | null;
  /** Null: each change is told. */
  telling: Telling | null;
  /** When its digest is due; null if it gathers none. */
  digestAt: number | null;
  /** Until when its digests told what changed on most pages at once. */
  digestedAt: number | null;
}

type WaitingRow = Omit<WaitingWebhook, "style" | "telling"> & { style: string | null; telling: string | null };

/** A change with the fields, and the values by a model, that its page has in its row now. */
export interface NextChange {
  change: TitledChange;
  fields: FieldValues;
}

const WAITING = `w.crawl, w.id, w.told_seq AS toldSeq, w.style, w.telling, w.digest_at AS digestAt,
  w.digested_at AS digestedAt`;

/** A digest may be due at most so much later, or a clock was set back. */
const MOST_AHEAD_MS = 8 * DAY_MS;

const NOTE_WAITING = `
UPDATE webhooks AS w SET changes_at = ?2
WHERE crawl = ?1 AND changes_at IS NULL AND digest_at IS NULL AND ${wants(`'${CHANGES_EVENT}'`)}
  AND told_seq < (SELECT change_seq FROM crawls WHERE id = ?1)`;

/** Notes that changes wait for the crawl's webhooks. Runs after the statements that give changes their numbers. */
export function planWaitingChanges(db: D1Database, crawl: string, now: number): D1PreparedStatement {
  return db.prepare(NOTE_WAITING).bind(crawl, now);
}

/** Moves a webhook on to the change before the next one that is there, or to the last one where none is. */
const PASS_REMOVED = `
UPDATE webhooks AS w SET
  told_seq = coalesce((SELECT min(seq) - 1 FROM changes WHERE crawl = ?1 AND seq > ?3), c.change_seq),
  changes_at = iif(EXISTS (SELECT 1 FROM changes WHERE crawl = ?1 AND seq > ?3), w.changes_at, NULL)
FROM crawls c WHERE w.crawl = ?1 AND w.id = ?2 AND w.told_seq = ?3 AND w.digest_at IS NULL AND c.id = ?1`;

export class ToldChanges extends LedgerStore {
  /**
   * Webhooks for which changes have waited for this long, up to `most`, the longest first. A time in the future is that
   * of a clock that was set back since.
   */
  async waiting(waitedMs: number, most: number, now: number): Promise<WaitingWebhook[]> {
    return this.#waiting(
      `SELECT ${WAITING} FROM webhooks w INDEXED BY webhooks_changes CROSS JOIN crawls c ON c.id = w.crawl
         WHERE w.changes_at IS NOT NULL AND (w.changes_at <= ?1 OR w.changes_at > ?2) AND c.deleting_at IS NULL
         ORDER BY w.changes_at LIMIT ?3`,
      [now - waitedMs, now, most],
    );
  }

  /** Webhooks whose digest is due, up to `most`. */
  async digestsDue(most: number, now: number): Promise<WaitingWebhook[]> {
    return this.#waiting(
      `SELECT ${WAITING} FROM webhooks w INDEXED BY webhooks_digest CROSS JOIN crawls c ON c.id = w.crawl
         WHERE w.digest_at IS NOT NULL AND (w.digest_at <= ?1 OR w.digest_at > ?2) AND c.deleting_at IS NULL
         ORDER BY w.digest_at LIMIT ?3`,
      [now, now + MOST_AHEAD_MS, most],
    );
  }

  async #waiting(query: string, values: number[]): Promise<WaitingWebhook[]> {
    const rows = await this.all<WaitingRow>(query, values);
    return rows.map(({ style, telling, ...row }) => ({
      ...row,
      style: style === null ? null : (JSON.parse(style) as NoticeStyle),
      telling: telling === null ? null : (JSON.parse(telling) as Telling),
    }));
  }

  /** The next changes for a webhook in their order, up to `most`. */
  async next({ crawl, toldSeq }: Pick<WaitingWebhook, "crawl" | "toldSeq">, most: number): Promise<NextChange[]> {
    const results = await this.all<StoredChange<TitledChange> & { rowFields: string | null; extracted: string | null }>(
      `SELECT g.seq, g.url, g.kind, g.at, g.detail, g.fields, g.back_to AS backTo, u.fields AS rowFields, u.extracted, ${TITLE}
         FROM changes g LEFT JOIN urls u ON u.crawl = g.crawl AND u.url = g.url
         WHERE g.crawl = ?1 AND g.seq > ?2 ORDER BY g.seq LIMIT ?3`,
      [crawl, toldSeq, most],
    );
    return results.map(({ rowFields, extracted, ...change }) => ({
      change: toChange(change),
      fields: {
        ...asFields(extracted === null ? null : (JSON.parse(extracted) as KnownValues)),
        ...(rowFields === null ? {} : fieldsInRow(JSON.parse(rowFields) as RowFields)),
      },
    }));
  }

  /** For a webhook that waits for changes which were removed: it waits for them no more. */
  async passRemoved({ crawl, id, toldSeq }: Pick<WaitingWebhook, "crawl" | "id" | "toldSeq">): Promise<void> {
    await this.run(PASS_REMOVED, [crawl, id, toldSeq]);
  }

  /**
   * Writes messages for a webhook, which tell the changes up to the number `to`. `nextDigestAt`: when the digest that
   * follows is due; that of now for one that has another part. False if another call did it before: then it writes
   * nothing.
   */
  async tell(
    webhook: Pick<WaitingWebhook, "crawl" | "id" | "toldSeq" | "digestAt">,
    messages: readonly NoticeMessage[],
    { to, nextDigestAt }: { to: number; nextDigestAt: number | null },
    now: number,
  ): Promise<boolean> {
    const { crawl, id, toldSeq, digestAt } = webhook;
    const moveOn = this.statement(
      `UPDATE webhooks SET told_seq = ?4, digest_at = ?6, digested_at = iif(?6 IS NULL, NULL, ?7),
           changes_at = iif(?6 IS NULL AND ?4 < (SELECT change_seq FROM crawls WHERE id = ?1), changes_at, NULL)
         WHERE crawl = ?1 AND id = ?2 AND told_seq = ?3 AND digest_at IS ?5`,
      [crawl, id, toldSeq, to, digestAt, nextDigestAt, now],
    );
    const results = await this.db.batch([
      ...messages.map((message) => planTellingChanges(this.db, webhook, message, now)),
      moveOn,
    ]);
    return (results.at(-1)?.meta.changes ?? 0) > 0;
  }
}
