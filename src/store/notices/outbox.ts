import { GIVE_UP_AFTER_MS, messageId, NAMED_EVENTS, type NoticeMessage } from "../../crawl/watch/notice.ts";

/**
 * The outbox. A statement of the transaction that settles an event writes a delivery for each webhook that wants it, so
 * the event and its notices are settled together. It runs after the statement that changes the crawl's row, and finds
 * there the name of its own transaction. A retried transaction has the same name, so it makes the same ids and adds
 * nothing. docs/webhooks.md
 */

interface Telling {
  /** SQL over the crawl's row `c`: whether this transaction settles the event. */
  when: string;
  /** SQL over `c`: a `NoticeEvent`. */
  event: string;
  /** SQL over `c`: the message's data, as JSON. */
  data: string;
  /**
   * Rows that are an event each: SQL of further tables, which the SQL above may refer to, and of a row's number among
   * them. Absent: there is one event.
   */
  each?: { rows: string; nth: string };
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

/** The event of a crawl that has ended. A watch goes on after its first crawl. */
const END_EVENT = "iif(c.status IN ('completed', 'watching'), 'crawl.completed', 'crawl.failed')";

const NAMED = NAMED_EVENTS.map((event) => `'${event}'`).join(", ");

/** SQL over a webhook `w`: whether it is told this event, which is SQL. */
export const wants = (event: string) =>
  `iif(w.events IS NULL, ${event} NOT IN (${NAMED}), EXISTS (SELECT 1 FROM json_each(w.events) WHERE value = ${event}))`;

/** A delivery for each row of `from`, a FROM clause with a webhook `w`. All values are SQL; ?3 is the time. */
const insert = ({ id, event, body, from }: Record<"id" | "event" | "body" | "from", string>) => `
INSERT INTO deliveries (crawl, id, webhook, receiver, event, body, made_at, give_up_at, status, due_at, ended_at, detail)
SELECT w.crawl, ${id}, w.id, w.receiver, ${event}, ${body}, ?3, ?3 + ${GIVE_UP_AFTER_MS},
  iif(w.disabled_at IS NULL, 'waiting', 'given-up'), iif(w.disabled_at IS NULL, ?3, NULL),
  iif(w.disabled_at IS NULL, NULL, ?3), iif(w.disabled_at IS NULL, NULL, ${DISABLED})
${from}`;

/** Webhooks come first: for a crawl without any, the crawl's row is not read. */
const tell = ({ when, event, data, each }: Omit<Telling, "values">) =>
  insert({
    id: `?2 || ${each === undefined ? "" : `printf('%08x', ${each.nth}) || `}substr(w.id, 1, 8)`,
    event,
    body: `json_object('type', ${event}, 'timestamp', ?4, 'data', ${data})`,
    from: `FROM webhooks w CROSS JOIN crawls c ON c.id = w.crawl${each === undefined ? "" : ` CROSS JOIN ${each.rows}`}
WHERE w.crawl = ?1 AND ${when} AND ${wants(event)}
ON CONFLICT DO NOTHING
RETURNING receiver`,
  });

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
 * `resumeAt`: when it goes on by itself; null for never.
 */
export function planTellingPause(
  db: D1Database,
  crawl: string,
  { reason, resumeAt }: { reason: string | null; resumeAt: number | null },
  tx: number,
  now: number,
) {
  const when = "c.status = 'paused' AND c.tx = ?5";
  const data = crawlData(", 'reason', ?6, 'resumesAt', ?7");
  const resumesAt = resumeAt === null ? null : new Date(resumeAt).toISOString();
  return planTelling(db, crawl, { when, event: "'crawl.paused'", data, values: [tx, reason, resumesAt] }, tx, now);
}

/** Tells that a crawl has started. Runs after the statements that add the crawl and its webhook. */
export function planTellingStart(db: D1Database, crawl: string, tx: number, now: number) {
  return planTelling(db, crawl, { when: "1", event: "'crawl.started'", data: crawlData(), values: [] }, tx, now);
}

/** Tells of completed pages, while their rows still are queued. `outcomes`: those of the transaction, as JSON. */
export function planTellingPages(db: D1Database, crawl: string, outcomes: string, tx: number, now: number) {
  const telling: Telling = {
    when: "u.status = 'queued' AND u.kind = 'page' AND j.value ->> 'status' = 'completed'",
    event: "'crawl.page'",
    data: `json_object('crawl', c.id, 'url', u.url, 'title', j.value ->> 'title', 'httpStatus', j.value ->> 'httpStatus',
      'contentType', j.value ->> 'contentType', 'bytes', j.value ->> 'bytes')`,
    each: { rows: "json_each(?5) j CROSS JOIN urls u ON u.crawl = c.id AND u.url = j.value ->> 'url'", nth: "j.key" },
    values: [outcomes],
  };
  return planTelling(db, crawl, telling, tx, now);
}

const TELL_MESSAGE = insert({
  id: "?4",
  event: "?5",
  body: "?6",
  from: "FROM webhooks w WHERE w.crawl = ?1 AND w.id = ?2 AND w.told_seq = ?7 AND w.digest_at IS ?8",
});

/** A statement that writes changes for a webhook whose last told change and next digest still are these. */
export function planTellingChanges(
  db: D1Database,
  { crawl, id, toldSeq, digestAt }: { crawl: string; id: string; toldSeq: number; digestAt: number | null },
  message: NoticeMessage,
  now: number,
): D1PreparedStatement {
  return db.prepare(TELL_MESSAGE).bind(crawl, id, now, message.id, message.event, message.body, toldSeq, digestAt);
}

/** The receivers that a telling statement returned. */
export function receiversOf(result: D1Result | undefined): string[] {
  return (result?.results ?? []).map((row) => (row as { receiver: string }).receiver);
}
