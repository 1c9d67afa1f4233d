import type { Parcels } from "../../crawl/shards/parcels.ts";
import type { Plan } from "../ledger/plan.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";

/**
 * What parts of crawls have found for other parts. A row is written by the transaction that settles the pages on which
 * it was found, and is removed when all parts that it names have taken it. Whoever takes it twice takes nothing the
 * second time, so it may be delivered by several at once.
 */

/** A row of the outbox. */
export interface LeftParcels {
  id: number;
  parcels: Parcels;
}

const COUNT = `
UPDATE shard_parts SET left_behind = left_behind + 1
WHERE crawl = ?1 AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND status ${IN_OPEN})`;
const LEAVE = `
INSERT INTO shard_outbox (crawl, body) SELECT id, ?2 FROM crawls WHERE id = ?1 AND status ${IN_OPEN} RETURNING id`;

/** A crawl that has ended leaves nothing, as it takes nothing: pages that lead on stay open in it. */
export function planLeaving(db: D1Database, crawl: string, parcels: Parcels): Plan<LeftParcels[]> {
  return {
    statements: [db.prepare(COUNT).bind(crawl), db.prepare(LEAVE).bind(crawl, JSON.stringify(parcels))],
    read: ([, left]) => ((left?.results ?? []) as { id: number }[]).map(({ id }) => ({ id, parcels })),
  };
}
