import { type Delivery, GIVE_UP_AFTER_MS, messageId, type NoticeStyle, TEST_EVENT } from "../../crawl/watch/notice.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { nameTransaction } from "../ledger/plan.ts";
import { toStoredText } from "../records/stored-text.ts";
import { DISABLED, receiversOf } from "./outbox.ts";

/**
 * The deliveries of the outbox. The rows are the truth; a message of the queue only says whose rows to look at. An
 * attempt holds its row by a lease, and settles it only while it holds it. What was sent but not settled is sent again
 * when the lease has ended, with the same id: at least once.
 */

/** A delivery whose attempt is about to begin. */
export interface ClaimedDelivery {
  crawl: string;
  id: string;
  webhook: string;
  body: string;
  /** This attempt included. */
  attempts: number;
  giveUpAt: number;
  /** The name of the attempt. */
  lease: number;
  url: string;
  secret: string;
  isDisabled: boolean;
  event: Delivery["event"];
  /** Null: our own form. */
  style: NoticeStyle | null;
}

type ClaimedRow = Omit<ClaimedDelivery, "isDisabled" | "style"> & { isDisabled: number; style: string | null };

/** What came of an attempt. */
export interface DeliveryResult {
  claimed: ClaimedDelivery;
  /** `gone`: the receiver wants no further notices. */
  end: "delivered" | "given-up" | "gone" | { retryAt: number };
  httpStatus: number | null;
  detail: string | null;
}

const COLUMNS = `id, webhook, event, iif(lease IS NOT NULL AND due_at > ?2, 'sending', status) AS status, made_at AS madeAt, attempts,
  iif(lease IS NOT NULL AND due_at > ?2, NULL, due_at) AS dueAt, last_at AS lastAt, http_status AS httpStatus, detail`;

/** Leases end within ?4, so nothing later is counted. */
const CLAIM = `
UPDATE deliveries SET attempts = attempts + 1, last_at = ?2, due_at = ?4, lease = ?5
WHERE (crawl, id) IN (
  SELECT crawl, id FROM deliveries INDEXED BY deliveries_due WHERE receiver = ?1 AND due_at <= ?2 ORDER BY due_at
  LIMIT max(0, ?3 - (SELECT count(*) FROM deliveries INDEXED BY deliveries_due
    WHERE receiver = ?1 AND due_at > ?2 AND due_at <= ?4 AND lease IS NOT NULL)))`;

/** By the name of the attempt: a retried CLAIM changes nothing, and this finds what its first try claimed. */
const CLAIMED = `
SELECT d.crawl, d.id, d.webhook, d.event, d.body, d.attempts, d.give_up_at AS giveUpAt, d.lease, w.url, w.secret, w.style,
  w.disabled_at IS NOT NULL AS isDisabled
FROM deliveries d INDEXED BY deliveries_due CROSS JOIN webhooks w ON w.crawl = d.crawl AND w.id = d.webhook
WHERE d.receiver = ?1 AND d.due_at = ?2 AND d.lease = ?3`;

const TEST = `
INSERT INTO deliveries (crawl, id, webhook, receiver, event, body, made_at, give_up_at, status, due_at)
SELECT w.crawl, ?3, w.id, w.receiver, '${TEST_EVENT}',
  json_object('type', '${TEST_EVENT}', 'timestamp', ?5, 'data', json_object('crawl', w.crawl, 'webhook', w.id)),
  ?4, ?4 + ${GIVE_UP_AFTER_MS}, 'waiting', ?4
FROM webhooks w WHERE w.crawl = ?1 AND w.id = ?2
ON CONFLICT DO NOTHING
RETURNING receiver`;

/** Looks up the receivers one by one in the index: one of them may have many deliveries. */
const DUE = `
WITH RECURSIVE r (receiver) AS (
  SELECT min(receiver) FROM deliveries INDEXED BY deliveries_due WHERE due_at IS NOT NULL
  UNION ALL
  SELECT (SELECT min(d.receiver) FROM deliveries d INDEXED BY deliveries_due WHERE d.due_at IS NOT NULL AND d.receiver > r.receiver)
  FROM r WHERE r.receiver IS NOT NULL
)
SELECT r.receiver, (SELECT min(d.due_at) FROM deliveries d INDEXED BY deliveries_due
  WHERE d.receiver = r.receiver AND d.due_at IS NOT NULL) AS dueAt
FROM r WHERE r.receiver IS NOT NULL AND dueAt <= ?1 LIMIT ?2`;

export class Deliveries extends LedgerStore {
  readonly #told: Set<string>;

  /** `told` gets the receivers of what is due at once. */
  constructor(db: D1Database, told: Set<string> = new Set()) {
    super(db);
    this.#told = told;
  }

  /** The newest deliveries of a crawl first. `before`: the id that follows the first of them; empty for the newest. */
  async list(crawl: string, most: number, before: string, now: number): Promise<Delivery[]> {
    return this.all<Delivery>(
      `SELECT ${COLUMNS} FROM deliveries WHERE crawl = ?1 AND (?4 = '' OR id < ?4) ORDER BY id DESC LIMIT ?3`,
      [crawl, now, most, before],
    );
  }

  /** Null if there is none with this id. */
  async get(crawl: string, id: string, now: number): Promise<Delivery | null> {
    const query = `SELECT ${COLUMNS} FROM deliveries WHERE crawl = ?1 AND id = ?3`;
    return this.first<Delivery>(query, [crawl, now, id]);
  }

  /** Makes a test notice for a webhook, also for a disabled one. Returns its id. */
  async addTest(crawl: string, webhook: string, now: number): Promise<string> {
    const id = messageId(nameTransaction(), now) + webhook.slice(0, 8);
    const values = [crawl, webhook, id, now, new Date(now).toISOString()];
    const result = await this.db
      .prepare(TEST)
      .bind(...values)
      .all();
    this.#note(result);
    return id;
  }

  /** Makes a delivery due at once, with all of its attempts, unless an attempt is under way. */
  async redeliver(crawl: string, id: string, now: number): Promise<void> {
    const result = await this.db
      .prepare(
        `UPDATE deliveries SET status = 'waiting', attempts = 0, due_at = ?3, give_up_at = ?3 + ${GIVE_UP_AFTER_MS}, ended_at = NULL,
           lease = NULL
         WHERE crawl = ?1 AND id = ?2 AND (lease IS NULL OR due_at <= ?3)
         RETURNING receiver`,
      )
      .bind(crawl, id, now)
      .all();
    this.#note(result);
  }

  /** Claims what is due to a receiver for an attempt, so that at most `most` attempts to it are under way at once. */
  async claim(receiver: string, most: number, leaseMs: number, now: number): Promise<ClaimedDelivery[]> {
    const lease = nameTransaction();
    const until = now + leaseMs;
    const [, claimed] = await this.db.batch<ClaimedRow>([
      this.statement(CLAIM, [receiver, now, most, until, lease]),
      this.statement(CLAIMED, [receiver, until, lease]),
    ]);
    return (claimed?.results ?? []).map(({ isDisabled, style, ...row }) => ({
      ...row,
      isDisabled: isDisabled === 1,
      style: style === null ? null : (JSON.parse(style) as NoticeStyle),
    }));
  }

  /** Settles attempts. A lease that has passed to another attempt is left alone. */
  async settle(results: readonly DeliveryResult[], now: number): Promise<void> {
    if (results.length > 0) await this.db.batch(results.flatMap((result) => this.#planSettling(result, now)));
  }

  #planSettling({ claimed, end, httpStatus, detail }: DeliveryResult, now: number): D1PreparedStatement[] {
    const { crawl, id, lease, webhook, isDisabled } = claimed;
    const why = detail === null ? null : toStoredText(detail);
    const retryAt = typeof end === "object" ? end.retryAt : null;
    const status = retryAt !== null ? "waiting" : end === "delivered" ? "delivered" : "given-up";
    const settle = this.statement(
      `UPDATE deliveries SET status = ?4, due_at = ?5, ended_at = ?6, lease = NULL, http_status = ?7, detail = ?8
         WHERE crawl = ?1 AND id = ?2 AND lease = ?3`,
      [crawl, id, lease, status, retryAt, retryAt === null ? now : null, httpStatus, why],
    );
    if (end === "gone")
      return [
        settle,
        this.statement(
          "UPDATE webhooks SET disabled_at = ?3, disabled_why = ?4 WHERE crawl = ?1 AND id = ?2 AND disabled_at IS NULL",
          [crawl, webhook, now, why],
        ),
        this.statement(
          `UPDATE deliveries SET status = 'given-up', due_at = NULL, ended_at = ?3, detail = ${DISABLED}
             WHERE crawl = ?1 AND webhook = ?2 AND status = 'waiting' AND lease IS NULL`,
          [crawl, webhook, now],
        ),
      ];
    // A receiver that takes a test notice again gets the others too.
    if (end === "delivered" && isDisabled)
      return [
        settle,
        this.statement("UPDATE webhooks SET disabled_at = NULL, disabled_why = NULL WHERE crawl = ?1 AND id = ?2", [
          crawl,
          webhook,
        ]),
      ];
    return [settle];
  }

  /** Receivers with deliveries that are due by `now`, up to `most`, each with the time of its first one. */
  async due(now: number, most: number): Promise<{ receiver: string; dueAt: number }[]> {
    return this.all<{ receiver: string; dueAt: number }>(DUE, [now, most]);
  }

  /** Removes up to `most` deliveries that ended before this time. */
  async forget(before: number, most: number): Promise<void> {
    await this.run(
      `DELETE FROM deliveries WHERE (crawl, id) IN (
           SELECT crawl, id FROM deliveries INDEXED BY deliveries_ended WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)`,
      [before, most],
    );
  }

  #note(result: D1Result): void {
    for (const receiver of receiversOf(result)) this.#told.add(receiver);
  }
}
