import { GIVE_UP_AFTER_MS } from "../crawl/notice.ts";

/**
 * The outbox. A statement of the transaction that settles an event writes a delivery for each webhook that wants it, so
 * the event and its notices are settled together. It runs after the statement that changes the crawl's row, and finds
 * there the name of its own transaction. A retried transaction has the same name, so it makes the same ids and adds
 * nothing. docs/webhooks.md
 */

interface Telling {
  /** SQL over the crawl's row `c`: whether this transaction settled the event. */
  when: string;
  /** SQL over `c`: a `NoticeEvent`. */
  event: string;
  /** SQL over `c`: the message's data, as JSON. */
  data: string;
  /** What the SQL above refers to as ?5, ?6 and so on. */
  values: (string | number | null)[];
}

/** The first seeds of the crawl, so that a message stays small. */
const SEEDS = "(SELECT json_group_array(value) FROM (SELECT value FROM json_each(c.options, '$.urls') LIMIT 10))";

/** The state of a crawl in a message, in the words of the API. `more`: further names and values. */
const crawlData = (more = "") => `json_object('crawl', c.id, 'status', c.status, 'urls', json(${SEEDS}),
  'total', c.discovered, 'counts', json_object('queued', c.queued + c.pending, 'completed', c.completed,
    'disallowed', c.disallowed, 'skipped', c.skipped, 'errored', c.errored, 'cancelled', c.cancelled),
  'bytes', c.bytes${more})`;

/** SQL: why a delivery to a disabled webhook is given up, for people. */
export const DISABLED = "'the webhook is disabled'";

/** The event of a crawl that has ended. */
const END_EVENT = "iif(c.status = 'completed', 'crawl.completed', 'crawl.failed')";

/** Webhooks come first: for a crawl without any, the crawl's row is not read. */
const tell = ({ when, event, data }: Telling) => `
INSERT INTO deliveries (crawl, id, webhook, receiver, event, body, made_at, give_up_at, status, due_at, ended_at, detail)
SELECT w.crawl, ?2 || substr(w.id, 1, 8), w.id, w.receiver, ${event},
  json_object('type', ${event}, 'timestamp', ?4, 'data', ${data}), ?3, ?3 + ${GIVE_UP_AFTER_MS},
  iif(w.disabled_at IS NULL, 'waiting', 'given-up'), iif(w.disabled_at IS NULL, ?3, NULL),
  iif(w.disabled_at IS NULL, NULL, ?3), iif(w.disabled_at IS NULL, NULL, ${DISABLED})
FROM webhooks w CROSS JOIN crawls c ON c.id = w.crawl
WHERE w.crawl = ?1 AND ${when}
  AND (w.events IS NULL OR EXISTS (SELECT 1 FROM json_each(w.events) WHERE value = ${event}))
ON CONFLICT DO NOTHING
RETURNING receiver`;

/**
 * A statement that writes the notices of an event, and returns their receivers. `tx`: the name of the transaction. Two
 * events of one transaction need two names.
 */
export function planTelling(
  db: D1Database,
  crawl: string,
  telling: Telling,
  tx: number,
  now: number,
): D1PreparedStatement {
  return db.prepare(tell(telling)).bind(crawl, messageId(tx, now), now, new Date(now).toISOString(), ...telling.values);
}

/** Tells the end of a crawl, if this transaction ended it: `ended` is SQL over `c`, and ?5 the transaction's name. */
export function planTellingEnd(db: D1Database, crawl: string, ended: string, tx: number, now: number) {
  return planTelling(db, crawl, { when: ended, event: END_EVENT, data: crawlData(), values: [tx] }, tx, now);
}

/**
 * Tells that a crawl is paused, if this transaction paused it. `reason`: the limit that it has reached; null if none.
 */
export function planTellingPause(db: D1Database, crawl: string, reason: string | null, tx: number, now: number) {
  const when = "c.status = 'paused' AND c.tx = ?5";
  const data = crawlData(", 'reason', ?6");
  return planTelling(db, crawl, { when, event: "'crawl.paused'", data, values: [tx, reason] }, tx, now);
}

/** The receivers that a telling statement returned. */
export function receiversOf(result: D1Result | undefined): string[] {
  return (result?.results ?? []).map((row) => (row as { receiver: string }).receiver);
}

/** The beginning of the ids of an event's messages. Later ones are greater; two in one millisecond differ by `tx`. */
export function messageId(tx: number, now: number): string {
  return `msg_${now.toString(16).padStart(12, "0")}${tx.toString(16).padStart(8, "0")}`;
}
