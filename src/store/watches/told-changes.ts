import { CHANGES_EVENT, type NoticeMessage } from "../../crawl/watch/notice.ts";
import type { TitledChange } from "../../crawl/watch/watch.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { planTellingChanges, wants } from "../notices/outbox.ts";
import { type StoredChange, TITLE, toChange } from "./changes.ts";

/**
 * Which changes of a watch each webhook was told. Changes are numbered in the order of their transactions, so the last
 * number that a webhook was told says it all. The transaction that settles changes notes that they wait. Another one
 * writes the messages and moves the number on, while it still is what the messages began with.
 */

/** A webhook for which changes wait. */
export interface WaitingWebhook {
  crawl: string;
  id: string;
  /** The last change that it was told; 0 for none. */
  toldSeq: number;
}

const NOTE_WAITING = `
UPDATE webhooks AS w SET changes_at = ?2
WHERE crawl = ?1 AND changes_at IS NULL AND ${wants(`'${CHANGES_EVENT}'`)}
  AND told_seq < (SELECT change_seq FROM crawls WHERE id = ?1)`;

/** Notes that changes wait for the crawl's webhooks. Runs after the statements that give changes their numbers. */
export function planWaitingChanges(db: D1Database, crawl: string, now: number): D1PreparedStatement {
  return db.prepare(NOTE_WAITING).bind(crawl, now);
}

export class ToldChanges extends LedgerStore {
  /**
   * Webhooks for which changes have waited for this long, up to `most`, the longest first. A time in the future is that
   * of a clock that was set back since.
   */
  async waiting(waitedMs: number, most: number, now: number): Promise<WaitingWebhook[]> {
    return this.all<WaitingWebhook>(
      `SELECT w.crawl, w.id, w.told_seq AS toldSeq FROM webhooks w INDEXED BY webhooks_changes CROSS JOIN crawls c ON c.id = w.crawl
         WHERE w.changes_at IS NOT NULL AND (w.changes_at <= ?1 OR w.changes_at > ?2) AND c.deleting_at IS NULL
         ORDER BY w.changes_at LIMIT ?3`,
      [now - waitedMs, now, most],
    );
  }

  /** The next changes for a webhook in their order, up to `most`. */
  async next({ crawl, toldSeq }: WaitingWebhook, most: number): Promise<TitledChange[]> {
    const results = await this.all<StoredChange<TitledChange>>(
      `SELECT g.seq, g.url, g.kind, g.at, g.detail, g.fields, g.back_to AS backTo, ${TITLE}
         FROM changes g LEFT JOIN urls u ON u.crawl = g.crawl AND u.url = g.url
         WHERE g.crawl = ?1 AND g.seq > ?2 ORDER BY g.seq LIMIT ?3`,
      [crawl, toldSeq, most],
    );
    return results.map(toChange);
  }

  /**
   * Writes messages for a webhook, which tell the changes up to the number `to`. False if another call did it before:
   * then it writes nothing.
   */
  async tell(webhook: WaitingWebhook, messages: readonly NoticeMessage[], to: number, now: number): Promise<boolean> {
    const { crawl, id, toldSeq } = webhook;
    const moveOn = this.statement(
      `UPDATE webhooks SET told_seq = ?4, changes_at = iif(?4 < (SELECT change_seq FROM crawls WHERE id = ?1), changes_at, NULL)
         WHERE crawl = ?1 AND id = ?2 AND told_seq = ?3`,
      [crawl, id, toldSeq, to],
    );
    const results = await this.db.batch([
      ...messages.map((message) => planTellingChanges(this.db, webhook, message, now)),
      moveOn,
    ]);
    return (results.at(-1)?.meta.changes ?? 0) > 0;
  }
}
