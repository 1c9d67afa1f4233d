import { inTime } from "../../core/in-time.ts";
import { logWarning } from "../../core/log.ts";
import { mergeParcels } from "../../crawl/shards/merge-parcels.ts";
import type { Parcel, Parcels } from "../../crawl/shards/parcels.ts";
import { partIn, type Shards } from "../../crawl/shards/shards.ts";
import { mustAskHome } from "../../store/ledger/advance.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import type { Portion } from "../../store/shards/shard-outbox.ts";
import { askForLeft, dispatchNow, type LeftHint } from "../batch/message.ts";
import { isOpen } from "../commit/obey-limits.ts";
import { atLedger, LEDGER_WAIT_MS } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";
import { settleShards } from "./settle-shards.ts";

/**
 * Gives other parts what a part has found for them. Each taking writes the rows of the part that takes, and URLs that
 * come one by one make small batches there. So rows wait for others, for a few seconds, and all that a part gets of
 * them is one list.
 *
 * Whoever leaves the first row sends a message, which comes when rows have waited long enough. A delivery that leaves
 * rows sends the next one. The message names the oldest row. If that row has gone, so has the message's purpose, for
 * whoever removed it has sent another one; so a crawl never has many of them. The heartbeat makes up for a message that
 * is lost.
 */

/** How long the first row waits for others. */
export const LEFT_WAIT_MS = 10_000;
/** Portions of rows that one caller delivers before it leaves the others to a message. */
const MAX_PORTIONS = 4;

/** What a delivery did. */
interface Delivered {
  /** The parts that took something, as they are now. */
  taken: Moved[];
  /** Whether the part that left it has no open URL, and nothing left. */
  isIdle: boolean;
  /** Null if there was nothing to deliver. */
  shards: Shards | null;
}

/** `deps`: on the ledger of the part. May be repeated, and done by several at once. */
export async function deliverLeft(
  part: string,
  deps: ShardDeps,
  { row = null, after = 0, portions = MAX_PORTIONS }: { row?: number | null; after?: number; portions?: number } = {},
): Promise<Delivered> {
  const done: Delivered = { taken: [], isIdle: false, shards: null };
  // Ledgers that did not take their list.
  const silent = new Set<number>();
  let last = after;
  for (let count = 0; count < portions; count++) {
    const portion = await deps.shardOutbox.next(part, last);
    const [oldest] = portion?.rows ?? [];
    if (portion === null || oldest === undefined || (count === 0 && row !== null && oldest.id !== row)) return done;
    const ids = portion.rows.map(({ id }) => id);
    last = ids.at(-1) ?? last;
    const { taken, rest } = await giveAll(part, portion, silent, deps);
    done.shards = portion.shards;
    done.taken.push(...taken);
    // What is parked already, and was not taken again, stays where it is.
    if (taken.length === 0 && last < 0) continue;
    const { first, isIdle } = await deps.shardOutbox.remove(part, ids, rest);
    done.isIdle = isIdle && first === null;
    const isOver = !portion.isFull || count === portions - 1;
    if (first !== null && isOver)
      await askForLeft(deps, { crawl: part, row: first }, portion.isFull ? 0 : LEFT_WAIT_MS);
    if (isOver) return done;
  }
  return done;
}

/** Delivers what a message asks for, and goes on to what follows from it. */
export async function deliverAsked({ crawl, row }: LeftHint, deps: ShardDeps): Promise<void> {
  const { taken, isIdle, shards } = await deliverLeft(crawl, deps, { row });
  const mustAsk = isIdle || taken.some(({ state }) => state !== null && mustAskHome(state));
  if (shards !== null && mustAsk) await settleShards(shards, deps);
}

/** `silent`: ledgers that are not asked; those that do not take their list are added. */
async function giveAll(
  part: string,
  { shards, hasDepthLimit, rows }: Portion,
  silent: Set<number>,
  deps: ShardDeps,
): Promise<{ taken: Moved[]; rest: Parcels | null }> {
  const merged = Object.entries(mergeParcels(rows.map(({ parcels }) => parcels)));
  const rest: Parcels = {};
  const taken = await Promise.all(
    merged.map(async ([key, parcels]): Promise<Moved[]> => {
      const ledger = Number(key);
      const moved = silent.has(ledger)
        ? null
        : await inTime(give(ledger, parcels, { shards, hasDepthLimit, deps }), LEDGER_WAIT_MS, () => {
            return new Error("the ledger did not answer in time");
          }).catch((error: unknown) => {
            logWarning("parts-not-told", { crawl: part, ledger, error: String(error) });
            return null;
          });
      if (moved !== null) return moved;
      silent.add(ledger);
      const [list, asPages] = parcels;
      if (list !== undefined)
        rest[ledger] = { ...list, discoveries: [...list.discoveries, ...(asPages?.discoveries ?? [])] };
      return [];
    }),
  );
  return { taken: taken.flat(), rest: Object.keys(rest).length === 0 ? null : rest };
}

/** Null if the part in this ledger is not there yet, or has ended: it gets the list later. */
async function give(
  ledger: number,
  parcels: readonly Parcel[],
  { shards, hasDepthLimit, deps }: Pick<Portion, "shards" | "hasDepthLimit"> & { deps: ShardDeps },
): Promise<Moved[] | null> {
  const home = atLedger(deps, ledger);
  const part = partIn(ledger, shards.home);
  const taken: Moved[] = [];
  for (const parcel of parcels) {
    const moved = await home.shardParts.take(part, parcel, hasDepthLimit, deps.clock.now());
    const { state } = moved;
    if (state?.status === "running") await dispatchNow(home, { crawl: part, epoch: state.epoch }, moved);
    if (!isOpen(state?.status)) return null;
    taken.push(moved);
  }
  return taken;
}
