import type { NewWebhook, NoticeEvent, NoticeStyle, Webhook } from "../../crawl/watch/notice.ts";
import type { Telling } from "../../crawl/watch/notice-style.ts";
import { nextDigestAt } from "../../crawl/watch/telling.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** The webhooks of crawls. Only the outbox reads their secrets. */

type JsonColumn = "events" | "style" | "telling";
type WebhookRow = Omit<Webhook, JsonColumn> & Record<JsonColumn, string | null>;

const COLUMNS =
  "id, url, events, style, telling, digest_at AS digestAt, made_at AS madeAt, disabled_at AS disabledAt, disabled_why AS disabledWhy";

/** Maximum number of webhooks of a crawl. */
export const MAX_WEBHOOKS = 10;

/**
 * A statement that adds a webhook to a crawl, which is told the changes from now on. It adds nothing if the crawl does
 * not exist, is being deleted or has `MAX_WEBHOOKS`.
 */
export function planWebhook(db: D1Database, crawl: string, webhook: NewWebhook, now: number): D1PreparedStatement {
  const { id, url, events, secret, style, telling } = webhook;
  return db
    .prepare(
      `INSERT INTO webhooks (crawl, id, url, receiver, events, secret, made_at, told_seq, style, telling, digest_at,
         digested_at)
       SELECT c.id, ?2, ?3, ?4, ?5, ?6, ?7, c.change_seq, ?8, ?9, ?10, iif(?10 IS NULL, NULL, ?7) FROM crawls c WHERE c.id = ?1 AND c.deleting_at IS NULL
         AND (SELECT count(*) FROM webhooks WHERE crawl = ?1) < ${MAX_WEBHOOKS}
       ON CONFLICT DO NOTHING`,
    )
    .bind(
      ...[crawl, id, url, new URL(url).origin, toJson(events), secret, now, toJson(style ?? null)],
      ...[toJson(telling ?? null), nextDigestAt(telling ?? null, now)],
    );
}

/**
 * ?8: the next digest. What waited for a digest that is no more is told at once; what waits for one that is new, with
 * it.
 */
const UPDATE = `
UPDATE webhooks SET url = ?3, receiver = ?4, events = ?5, style = ?6, telling = ?7, digest_at = ?8,
  digested_at = iif(?8 IS NULL, NULL, coalesce(digested_at, ?9)),
  changes_at = iif(?8 IS NULL AND told_seq < (SELECT change_seq FROM crawls WHERE id = ?1), coalesce(changes_at, ?9), NULL)
WHERE crawl = ?1 AND id = ?2`;

function fromJson<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
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
    return results.map(({ events, style, telling, ...row }) => ({
      ...row,
      events: fromJson<NoticeEvent[]>(events),
      style: fromJson<NoticeStyle>(style),
      telling: fromJson<Telling>(telling),
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

  /** Replaces what a webhook is told, where and how. Its secret stays, and what it was told is told no more. */
  async update(crawl: string, webhook: Omit<NewWebhook, "secret">, now: number): Promise<void> {
    const { id, url, events, style, telling } = webhook;
    await this.run(UPDATE, [
      ...[crawl, id, url, new URL(url).origin, toJson(events), toJson(style ?? null), toJson(telling ?? null)],
      ...[nextDigestAt(telling ?? null, now), now],
    ]);
  }

  /** Removes a webhook with its deliveries, also those that wait. */
  async remove(crawl: string, id: string): Promise<void> {
    await this.db.batch([
      this.statement("DELETE FROM deliveries WHERE crawl = ?1 AND webhook = ?2", [crawl, id]),
      this.statement("DELETE FROM webhooks WHERE crawl = ?1 AND id = ?2", [crawl, id]),
    ]);
  }
}
