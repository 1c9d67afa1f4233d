import type { AmendedLimits } from "../../crawl/crawl-options.ts";
import type { CrawlStatus } from "../../crawl/page/status.ts";
import type { Grant } from "../../crawl/shards/grants.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import type { Plan } from "../ledger/plan.ts";
import type { CancelledStatus } from "../ledger/transitions.ts";
import type { Retry } from "../ledger/retrying.ts";

/**
 * What somebody wants of a crawl over several ledgers. The home writes it with the next number, in the transaction that
 * applies it there; each other part applies it once, in the order of the numbers.
 */
export type Intent =
  | { kind: "pause"; reason: string | null }
  | { kind: "resume" }
  | { kind: "cancel"; as: CancelledStatus }
  /** Limits of the whole crawl. The page limit of a part is its grant. */
  | { kind: "amend"; limits: AmendedLimits }
  /** Sets all parts running again, whether or not they have such URLs: what one finds may be for any other. */
  | { kind: "retry"; retry: Omit<Retry, "limit"> }
  | { kind: "end"; as: Extract<CrawlStatus, "completed" | "errored"> };

export interface NumberedIntent {
  number: number;
  intent: Intent;
}

/** What the start of a crawl leaves to do: parts are made in the other ledgers. It has the number 0. */
const START = { kind: "start" };

/** Notes a new part of a crawl; with the home, that the others are to be made. Runs after its row was made. */
export function planPart(
  db: D1Database,
  part: string,
  { home }: Shards,
  grants: readonly Grant[],
): D1PreparedStatement[] {
  const note = `INSERT INTO shard_parts (crawl, home, grants) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 ON CONFLICT DO NOTHING`;
  const start = `INSERT INTO shard_intents (crawl, number, body) SELECT id, 0, ?2 FROM crawls WHERE id = ?1 ON CONFLICT DO NOTHING`;
  const isHome = part === home;
  return [
    db.prepare(note).bind(part, home, isHome ? JSON.stringify(grants) : null),
    ...(isHome ? [db.prepare(start).bind(home, JSON.stringify(START))] : []),
  ];
}

/**
 * Makes the transaction fail as a whole unless this is the part's next intent. `isLast`: whether the part has applied
 * it after this transaction. Reads whether the part is there.
 */
export function planClaim(db: D1Database, part: string, number: number, isLast: boolean): Plan<boolean> {
  // NULL, which the column refuses, for any other intent.
  const next = `CASE WHEN intent = ?2 - 1 THEN ${isLast ? "?2" : "intent"} END`;
  const sql = `UPDATE shard_parts SET intent = ${next} WHERE crawl = ?1
    AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND deleting_at IS NULL)`;
  return { statements: [db.prepare(sql).bind(part, number)], read: ([claimed]) => (claimed?.meta.changes ?? 0) > 0 };
}

/** Whether a transaction failed because the part has applied the intent. */
export function isClaimRefused(error: unknown): boolean {
  return String(error).includes("NOT NULL constraint failed: shard_parts.intent");
}

/** SQL: whether this is the last intent that part ?1 has applied. */
export function hasIntent(number: number): string {
  return `EXISTS (SELECT 1 FROM shard_parts WHERE crawl = ?1 AND intent = ${number})`;
}
