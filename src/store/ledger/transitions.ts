import type { AmendedLimits } from "../../crawl/crawl-options.ts";
import type { Watch } from "../../crawl/watch/watch.ts";
import { planTellingEnd, planTellingPause, receiversOf } from "../notices/outbox.ts";
import { CANCELLED, retireSitemaps } from "../watches/retiring.ts";
import { nameTransaction, type Plan } from "./plan.ts";
import { isPart } from "./crawl-notes.ts";
import { IN_OPEN } from "./open-crawls.ts";

/**
 * Requested changes of a crawl's status. Each happens once: its statement changes the row only while its guard holds.
 * Rows that belong to a change are written before it in the same batch, by statements with the same guard. The row
 * stores the name of the transaction, so that a change whose answer was lost succeeds again when it is retried. Notices
 * of the change are written after it, because they find that name (outbox.ts).
 */

export type CancelledStatus = "cancelled_by_user" | "cancelled_due_to_timeout" | "cancelled_due_to_limits";

interface Transition {
  isDone: boolean;
  /** The receivers of the notices that it wrote. */
  told: string[];
}

/** The statement at `at` is the guarded one. */
function transition(statements: D1PreparedStatement[], at = 0): Plan<boolean> {
  return { statements, read: (results) => (results[at]?.meta.changes ?? 0) > 0 };
}

/** The first statement is the guarded one, and the last one writes its notices. */
function toldTransition(statements: D1PreparedStatement[]): Plan<Transition> {
  const { read } = transition(statements);
  return { statements, read: (results) => ({ isDone: read(results), told: receiversOf(results.at(-1)) }) };
}

const OPEN = `status ${IN_OPEN}`;

/**
 * Ends a pause, if there is one. A running crawl stood still since `wake_at`, if that has passed: its process was
 * killed. The statement sets both, so a retried transaction adds nothing. Time before the first fetch does not count.
 */
const endPause = (now: string) => `paused_at = NULL, resume_at = NULL,
  paused_ms = paused_ms + max(0, ${now} - max(coalesce(paused_at, wake_at), coalesce(started_at, ${now})))`;

/**
 * Raises the epoch, so messages in flight are dropped when they arrive. `reason`: for people; null if a user asked.
 * `resumeAt`: when the heartbeat may resume it, if it is a watch by then; null for never. `now` is as soon as the
 * database has room, which nobody knows: no time is told then.
 */
export function planPause(
  db: D1Database,
  crawl: string,
  { reason, resumeAt }: { reason: string | null; resumeAt: number | null },
  now: number,
): Plan<Transition> {
  const tx = nameTransaction();
  const sql = `
UPDATE crawls SET status = 'paused', epoch = epoch + 1, updated_at = ?2, paused_at = coalesce(paused_at, min(?2, wake_at)),
  resume_at = ?4, tx = ?3
WHERE id = ?1 AND (status IN ('running', 'watching') OR tx = ?3)`;
  return toldTransition([
    db.prepare(sql).bind(crawl, now, tx, resumeAt),
    planTellingPause(db, crawl, { reason, resumeAt: resumeAt === now ? null : resumeAt }, tx, now),
  ]);
}

/** The longest time without progress between two repairs. A message is delayed for no longer than that. */
const MAX_PATIENCE_MS = 86_400_000;
/** Longer than a delay and a patience together: progress is expected so late only if the clock was set back since. */
const LONGEST_WAIT_MS = 3 * MAX_PATIENCE_MS;

/** The condition of a stalled crawl. `now`: an expression of SQL, in milliseconds since the epoch. */
export function isStalled(now: string): string {
  return `status = 'running' AND (wake_at <= ${now} OR wake_at > ${now} + ${LONGEST_WAIT_MS}) AND NOT (${WAITS_FOR_PARTS})`;
}

/** A part of a crawl over several ledgers with nothing in motion, which waits for others and needs no repair. */
const WAITS_FOR_PARTS = `${isPart()} AND moving = 0
  AND NOT EXISTS (SELECT 1 FROM sitemaps s WHERE s.crawl = crawls.id AND s.status = 'queued')
  AND NOT EXISTS (SELECT 1 FROM withheld_urls w WHERE w.crawl = crawls.id AND w.is_open = 1)`;

/**
 * Starts a crawl that has not ended with a new epoch. `stalled`: only if it runs and is stalled at `now`; then its
 * patience doubles. Its rows that are due by `now` are sent with the others, so they are due no more.
 */
export function planRenew(
  db: D1Database,
  crawl: string,
  which: "open" | "stalled",
  now: number,
  stallAfterMs: number,
): Plan<boolean> {
  // Nothing is fetched for an import, whose answers come from an archive, and before a list of seeds is complete.
  const guard = which === "open" ? `${OPEN} AND purpose IS NOT 'import' AND list IS NULL` : isStalled("?2");
  // What it was paused for is over; a commit says anew what it waits for.
  const notes = which === "open" ? "notes = json_remove(notes, '$.waitingFor'), waiting_for = NULL, " : "";
  const patience = which === "open" ? "?3" : `min(2 * patience_ms, ${MAX_PATIENCE_MS})`;
  const send = (table: "urls" | "sitemaps") =>
    db
      .prepare(
        `UPDATE ${table} INDEXED BY ${table}_due SET due_at = NULL WHERE crawl = ?1 AND due_at <= ?2 AND status = 'queued'
           AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND ${guard})`,
      )
      .bind(crawl, now);
  const sql = `
UPDATE crawls SET ${notes}status = 'running', epoch = epoch + 1, updated_at = ?2, ${endPause("?2")}, patience_ms = ${patience}, wake_at = ?2 + ${patience}, tx = ?4
WHERE id = ?1 AND (${guard} OR tx = ?4)`;
  return transition(
    [send("urls"), send("sitemaps"), db.prepare(sql).bind(crawl, now, stallAfterMs, nameTransaction())],
    2,
  );
}

/**
 * Changes the limits of a crawl that has not ended. A new time limit counts from now. The limits of its model can
 * change afterwards, too, because that is when it is asked; pages that the old ones left out are asked about.
 */
export function planAmend(db: D1Database, crawl: string, limits: AmendedLimits, now: number): Plan<boolean> {
  const names = Object.keys(limits);
  const isOfModel = names.some((name) => MODEL_LIMITS.has(name));
  const guard = names.every((name) => MODEL_LIMITS.has(name)) ? `(${OPEN} OR status = 'completed')` : OPEN;
  const sql = `
UPDATE crawls SET options = json_patch(options, ?2), ${isOfModel ? "notes = json_remove(notes, '$.extraction'), " : ""}page_limit = coalesce(?2 ->> 'limit', page_limit), updated_at = ?3,
  deadline_at = CASE WHEN ?2 ->> 'maxDurationS' IS NULL OR watching_since IS NOT NULL THEN deadline_at
    WHEN ?2 ->> 'maxDurationS' > 0 THEN ?3 + 1000 * (?2 ->> 'maxDurationS') END
WHERE id = ?1 AND ${guard} AND deleting_at IS NULL`;
  return transition([db.prepare(sql).bind(crawl, JSON.stringify(limits), now)]);
}

const MODEL_LIMITS = new Set<string>(["modelCalls", "modelCostUsd"] satisfies (keyof AmendedLimits)[]);

/**
 * Makes a crawl a watch, or changes how often it visits. One that has completed begins to visit at once; one that has
 * not ended does so at its end. Not one that was cancelled, failed, or keeps no pages.
 */
export function planWatch(db: D1Database, crawl: string, watch: Watch, now: number): Plan<boolean> {
  const sql = `
UPDATE crawls SET options = json_set(options, '$.watch', json(?2)), updated_at = ?3, finished_at = NULL, sweep = CASE WHEN status = 'completed' THEN NULL ELSE sweep END,
  epoch = epoch + (status = 'completed'), deadline_at = CASE WHEN status = 'completed' THEN NULL ELSE deadline_at END,
  watching_since = CASE WHEN status = 'completed' THEN coalesce(watching_since, ?3) ELSE watching_since END,
  template_end = CASE WHEN template_end = finished_at THEN coalesce(watching_since, ?3) ELSE template_end END,
  status = CASE WHEN status = 'completed' THEN 'watching' ELSE status END
WHERE id = ?1 AND status IN ('running', 'paused', 'watching', 'completed') AND dry_run = 0 AND deleting_at IS NULL
  AND purpose IS NOT 'import'`;
  return transition([db.prepare(sql).bind(crawl, JSON.stringify(watch), now)]);
}

/**
 * Makes all pages of a watch due now that were not visited since. Writes no row of theirs. Not of one that is paused,
 * or whose first crawl has not ended.
 */
export function planVisitAll(db: D1Database, crawl: string, now: number): Plan<boolean> {
  const sql = `
UPDATE crawls SET notes = json_set(notes, '$.visitsAskedAt', ?2), updated_at = ?2
WHERE id = ?1 AND every_s IS NOT NULL AND watching_since IS NOT NULL AND status IN ('running', 'watching') AND deleting_at IS NULL`;
  return transition([db.prepare(sql).bind(crawl, now)]);
}

/** Ends a crawl and its sitemaps. Its open URLs end later, in chunks. */
export function planCancel(db: D1Database, crawl: string, as: CancelledStatus, now: number): Plan<Transition> {
  const tx = nameTransaction();
  const sql = `
UPDATE crawls SET status = ?2, epoch = epoch + 1, updated_at = ?3, finished_at = ?3, ${endPause("?3")}, wake_at = max(wake_at, ?3), list = NULL, tx = ?4
WHERE id = ?1 AND (${OPEN} OR tx = ?4)`;
  return toldTransition([
    db.prepare(sql).bind(crawl, as, now, tx),
    retireSitemaps(db, crawl, CANCELLED),
    planTellingEnd(db, crawl, `c.status = '${as}' AND c.tx = ?5`, tx, now),
  ]);
}
