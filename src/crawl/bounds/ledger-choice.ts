import { MAX_SHARDS } from "../options/start-options.ts";
import { type DatabaseRoom, levelOf } from "./database-room.ts";

/** In which ledger a new crawl is put. */

/** A ledger that may take one. */
export interface LedgerRoom extends Pick<DatabaseRoom, "bytes" | "limitBytes"> {
  ledger: number;
  /** Crawls that run there, are paused, or watch. */
  underWay: number;
}

/** Ledgers whose room differs by less than this share of the limit are equal: a crawl that begins has no size yet. */
const STEP = 0.01;

/**
 * The ledger with the most room; of those that have about as much, the one with the fewest crawls under way, then the
 * smaller, then the first. Null if each is nine tenths full.
 */
export function chooseLedgerOf(rooms: readonly LedgerRoom[]): number | null {
  const open = rooms.filter((room) => levelOf({ ...room, diskFreeBytes: null }) === "room");
  const most = Math.max(...open.map(({ bytes, limitBytes }) => limitBytes - bytes));
  const equal = open.filter(({ bytes, limitBytes }) => most - (limitBytes - bytes) < STEP * limitBytes);
  const [best] = equal.sort((a, b) => a.underWay - b.underWay || a.bytes - b.bytes || a.ledger - b.ledger);
  return best?.ledger ?? null;
}

/** Pages of a crawl that a ledger holds: some 12 million URLs, of which a third is fetched (docs/scale.md). */
const PAGES_PER_LEDGER = 4_000_000;

/** Among how many of the ledgers a crawl of so many pages is divided. `ledgers`: all that there are. */
export function countShards(pages: number, ledgers: number): number {
  return Math.max(1, Math.min(Math.ceil(pages / PAGES_PER_LEDGER), ledgers, MAX_SHARDS));
}

/** The ledgers among which a crawl is divided, the best one first: as many as this, or all that have room. */
export function chooseLedgersOf(rooms: readonly LedgerRoom[], count: number): number[] {
  const chosen: number[] = [];
  for (let left = [...rooms]; chosen.length < count; left = left.filter(({ ledger }) => !chosen.includes(ledger))) {
    const next = chooseLedgerOf(left);
    if (next === null) break;
    chosen.push(next);
  }
  return chosen;
}
