import { type CrawlOptions, hasDepthLimit } from "../../crawl/crawl-options.ts";
import type { Parcels } from "../../crawl/shards/parcels.ts";
import { partIn, type Shards } from "../../crawl/shards/shards.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { dispatchNow } from "../batch/message.ts";
import { isOpen } from "../commit/obey-limits.ts";
import { atLedger } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";

/**
 * Gives other parts what a part has found for them, and sends what that sets in motion there. Only when all have taken
 * it does the row go: a part that is not there yet, does not answer or has ended gets it later. May be repeated.
 */
export async function deliverParcels(
  { id, parcels }: { id: number; parcels: Parcels },
  { shards, options, deps }: { shards: Shards; options: Pick<CrawlOptions, "depth">; deps: ShardDeps },
): Promise<Moved[]> {
  const takings = Object.entries(parcels).map(async ([ledger, parcel]) => {
    const home = atLedger(deps, Number(ledger));
    const part = partIn(Number(ledger), shards.home);
    const moved = await home.shardParts.take(part, parcel, hasDepthLimit(options), deps.clock.now());
    const { state } = moved;
    if (state?.status === "running") await dispatchNow(home, { crawl: part, epoch: state.epoch }, moved);
    return moved;
  });
  const ends = await Promise.allSettled(takings);
  const taken = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  if (taken.length === ends.length && taken.every(({ state }) => isOpen(state?.status)))
    await deps.shardParts.removeLeft(id);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return taken;
}
