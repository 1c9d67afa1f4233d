import type { NewWebhook, NoticeEvent, Webhook } from "../../crawl/watch/notice.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** The webhooks of crawls. Only the outbox reads their secrets. */

type WebhookRow = Omit<Webhook, "events"> & { events: string | null };

const COLUMNS = "id, url, events, made_at AS madeAt, disabled_at AS disabledAt, disabled_why AS disabledWhy";

/** Maximum number of webhooks of a crawl. */
export const MAX_WEBHOOKS = 10;

/**
 * A statement that adds a webhook to a crawl, which is told the changes from now on. It adds nothing if the crawl does
 * not exist, is being deleted or has `MAX_WEBHOOKS`.
 */
export function planWebhook(db: D1Database, crawl: string, webhook: NewWebhook, now: number): D1PreparedStatement {
  const { id, url, events, secret, style } = webhook;
  return db
    .prepare(
      `INSERT INTO webhooks (crawl, id, url, receiver, events, secret, made_at, told_seq, style)
       SELECT c.id, ?2, ?3, ?4, ?5, ?6, ?7, c.change_seq, ?8 FROM crawls c WHERE c.id = ?1 AND c.deleting_at IS NULL
         AND (SELECT count(*) FROM webhooks WHERE crawl = ?1) < ${MAX_WEBHOOKS}
       ON CONFLICT DO NOTHING`,
    )
    .bind(crawl, id, url, new URL(url).origin, toJson(events), secret, now, toJson(style ?? null));
}

function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

export class Webhooks extends LedgerStore {
  /** The crawl's webhooks, the oldest first. */
  async list(crawl: string): Promise<Webhook[]> {
    const results = await this.all<WebhookRow>(
      `SELECT ${COLUMNS} FROM webhooks WHERE crawl = ?1 ORDER BY made_at, id`,
      [crawl],
    );
    return results.map(({ events, ...row }) => ({
      ...row,
      events: events === null ? null : (JSON.parse(events) as NoticeEvent[]),
    }));
  }

  /** False if the crawl takes no further webhook. */
  async add(crawl: string, webhook: NewWebhook, now: number): Promise<boolean> {
    const [, found] = await this.db.batch([
      planWebhook(this.db, crawl, webhook, now),
      this.statement("SELECT 1 FROM webhooks WHERE crawl = ?1 AND id = ?2", [crawl, webhook.id]),
    ]);
    return (found?.results.length ?? 0) > 0;
  }

  /** Removes a webhook with its deliveries, also those that wait. */
  async remove(crawl: string, id: string): Promise<void> {
    await this.db.batch([
      this.statement("DELETE FROM deliveries WHERE crawl = ?1 AND webhook = ?2", [crawl, id]),
      this.statement("DELETE FROM webhooks WHERE crawl = ?1 AND id = ?2", [crawl, id]),
    ]);
  }
}
