import { ledgerOf } from "../../crawl/crawl-id.ts";
import { DEFAULT_OPTIONS, hasDepthLimit } from "../../crawl/crawl-options.ts";
import type { Parcels } from "../../crawl/shards/parcels.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";
import { IN_OPEN } from "../ledger/open-crawls.ts";
import type { Plan } from "../ledger/plan.ts";

/**
 * What parts of crawls have found for other parts. A row is written by the transaction that settles the pages on which
 * it was found, and is removed when all parts that it names have taken it. Whoever takes it twice takes nothing the
 * second time, so it may be delivered by several at once.
 *
 * The number of a row grows with each that its crawl leaves, and no other row of the crawl ever gets it: one that is
 * removed late must not be another one by then. Rows with a negative number are parked: a ledger did not take them, and
 * the heartbeat tries again, so that they hold up no others.
 */

/** What a transaction left, and what then waited of its crawl. */
export interface Left {
  /** The oldest row that waits, and how many do. Parked rows do not. */
  first: number;
  rows: number;
  /** Whether it is the row that the transaction left. */
  isFirst: boolean;
  /** Which of all the rows of the crawl it is, those included that have gone: from 1. */
  number: number;
}

/** Rows that are delivered together. */
export interface Portion {
  shards: Shards;
  hasDepthLimit: boolean;
  /** By their numbers, at least one. */
  rows: { id: number; parcels: Parcels }[];
  /** Whether more rows wait, for which there was no room. */
  isFull: boolean;
}

/** What is left of a crawl after a delivery. */
export interface Rest {
  /** The oldest row that waits; null if none does. */
  first: number | null;
  /** Whether the crawl has no open URL. */
  isIdle: boolean;
}

/** Rows of a portion. */
const MOST_ROWS = 100;
/**
 * Characters of their texts together: some thousand discoveries, which take the database of their part 25 ms. A row
 * alone may have more. So a row that is parked for others is no longer than this, or than the longest of them.
 */
const MOST_CHARACTERS = 300_000;

/** A number for a row: that of the crawl's list, with bits of the crawl, because the numbers of all rows differ. */
const NUMBER = "(left_behind << 20 | ?3)";
const BITS = 20;

const COUNT = `
UPDATE shard_parts SET left_behind = left_behind + 1
WHERE crawl = ?1 AND EXISTS (SELECT 1 FROM crawls WHERE id = ?1 AND status ${IN_OPEN})`;
/** Another crawl may have the number by chance. Then the row gets the next one of all. */
const LEAVE = `
INSERT INTO shard_outbox (id, crawl, body)
SELECT iif(EXISTS (SELECT 1 FROM shard_outbox WHERE id = ${NUMBER}), NULL, ${NUMBER}), crawl, ?2
FROM shard_parts WHERE crawl = (SELECT id FROM crawls WHERE id = ?1 AND status ${IN_OPEN}) RETURNING id`;
const WAITING = "SELECT min(id) AS first, count(*) AS rows FROM shard_outbox WHERE crawl = ?1 AND id > 0";

/** A crawl that has ended leaves nothing, as it takes nothing: pages that lead on stay open in it. */
export function planLeaving(db: D1Database, crawl: string, parcels: Parcels): Plan<Left[]> {
  return {
    statements: [
      db.prepare(COUNT).bind(crawl),
      db.prepare(LEAVE).bind(crawl, JSON.stringify(parcels), bitsOf(crawl)),
      db.prepare(WAITING).bind(crawl),
    ],
    read([, left, waiting]) {
      const [row] = (left?.results ?? []) as { id: number }[];
      const [all] = (waiting?.results ?? []) as { first: number; rows: number }[];
      if (row === undefined || all === undefined) return [];
      return [{ ...all, isFirst: all.first === row.id, number: Math.floor(row.id / 2 ** BITS) }];
    },
  };
}

/** The parts of a crawl have the same random bits. */
function bitsOf(crawl: string): number {
  const random = Number.parseInt(crawl.slice(-BITS / 4), 16) || 0;
  return (random + 257 * ledgerOf(crawl)) % 2 ** BITS;
}

const OF_CRAWL = `
SELECT notes -> '$.shards' AS shards, options ->> 'depth' AS depth FROM crawls
WHERE id = ?1 AND status ${IN_OPEN} AND deleting_at IS NULL`;
const NEXT = `
SELECT id, body, (SELECT count(*) FROM shard_outbox WHERE crawl = ?1 AND id > ?2) AS waiting FROM (
  SELECT id, body, sum(length(body)) OVER (ORDER BY id) AS characters
  FROM (SELECT id, body FROM shard_outbox WHERE crawl = ?1 AND id > ?2 ORDER BY id LIMIT ?3))
WHERE characters <= ?4 OR characters = length(body)`;

/** Whether all these rows are there. */
const ARE_THERE = `
(SELECT count(*) FROM shard_outbox WHERE crawl = ?1 AND id IN (SELECT value FROM json_each(?2))) = json_array_length(?2)`;
const REMOVE = "DELETE FROM shard_outbox WHERE crawl = ?1 AND id IN (SELECT value FROM json_each(?2))";
const COUNT_PARKED = `UPDATE shard_parts SET left_behind = left_behind + 1 WHERE crawl = ?1 AND ${ARE_THERE}`;
const PARK = `
INSERT INTO shard_outbox (id, crawl, body)
SELECT iif(EXISTS (SELECT 1 FROM shard_outbox WHERE id = -${NUMBER}), NULL, -${NUMBER}), crawl, ?4
FROM shard_parts WHERE crawl = ?1 AND ${ARE_THERE}`;
const REST = `
SELECT (SELECT min(id) FROM shard_outbox WHERE crawl = ?1 AND id > 0) AS first, pending + queued = 0 AS isIdle
FROM crawls WHERE id = ?1`;

export class ShardOutbox extends LedgerStore {
  /** The open crawls that have rows. */
  async crawls(): Promise<string[]> {
    const rows = await this.all<{ id: string }>(
      `SELECT c.id FROM (SELECT DISTINCT crawl FROM shard_outbox) o CROSS JOIN crawls c ON c.id = o.crawl
       WHERE c.status ${IN_OPEN} AND c.deleting_at IS NULL`,
    );
    return rows.map(({ id }) => id);
  }

  /** The next rows of a crawl after this number. Null if there is none, or the crawl is not open. */
  async next(crawl: string, after: number): Promise<Portion | null> {
    const [crawls, left] = (await this.db.batch([
      this.statement(OF_CRAWL, [crawl]),
      this.statement(NEXT, [crawl, after, MOST_ROWS, MOST_CHARACTERS]),
    ])) as [
      D1Result<{ shards: string; depth: number | null }>,
      D1Result<{ id: number; body: string; waiting: number }>,
    ];
    const [found] = crawls.results;
    const [first] = left.results;
    if (found === undefined || first === undefined) return null;
    return {
      shards: JSON.parse(found.shards) as Shards,
      hasDepthLimit: hasDepthLimit({ depth: found.depth ?? DEFAULT_OPTIONS.depth }),
      rows: left.results.map(({ id, body }) => ({ id, parcels: JSON.parse(body) as Parcels })),
      isFull: first.waiting > left.results.length,
    };
  }

  /**
   * Removes rows that were taken. `rest`: what was not taken of them, which is parked in their place. If somebody else
   * has removed one of the rows meanwhile, nothing is parked, and the others stay.
   */
  async remove(crawl: string, ids: readonly number[], rest: Parcels | null): Promise<Rest> {
    const list = JSON.stringify(ids);
    const removing =
      rest === null
        ? [this.statement(REMOVE, [crawl, list])]
        : [
            this.statement(COUNT_PARKED, [crawl, list]),
            this.statement(PARK, [crawl, list, bitsOf(crawl), JSON.stringify(rest)]),
            this.statement(`${REMOVE} AND ${ARE_THERE}`, [crawl, list]),
          ];
    const results = await this.db.batch([...removing, this.statement(REST, [crawl])]);
    const [row] = (results.at(-1)?.results ?? []) as { first: number | null; isIdle: 0 | 1 }[];
    return { first: row?.first ?? null, isIdle: row?.isIdle === 1 };
  }
}
