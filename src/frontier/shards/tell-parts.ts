import { inTime } from "../../core/in-time.ts";
import { logWarning } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Shards } from "../../crawl/shards/shards.ts";
import { mustAskHome } from "../../store/ledger/advance.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { reachedLimit } from "../commit/obey-limits.ts";
import { LEDGER_WAIT_MS } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";
import { deliverParcels } from "./deliver-parcels.ts";
import { settleShards } from "./settle-shards.ts";

/**
 * After a commit of a part: gives others what it found for them, and asks whether the crawl goes on. The heartbeat
 * makes up for what fails here, and for a ledger that does not answer in time, which holds up no batch. `moved`: all
 * transactions of the part since, the last one last.
 */
export async function tellParts(moved: readonly Moved[], crawl: Crawl, deps: ShardDeps): Promise<void> {
  const { shards } = crawl;
  if (shards === null) return;
  try {
    await inTime(
      tell(moved, { ...crawl, shards }, deps),
      LEDGER_WAIT_MS,
      () => new Error("a ledger did not answer in time"),
    );
  } catch (error) {
    logWarning("parts-not-told", { crawl: moved[0]?.crawl ?? shards.home, error: String(error) });
  }
}

async function tell(
  moved: readonly Moved[],
  { shards, options }: Crawl & { shards: Shards },
  deps: ShardDeps,
): Promise<void> {
  const taken: Moved[] = [];
  for (const { left = [] } of moved)
    for (const each of left) taken.push(...(await deliverParcels(each, { shards, options, deps })));
  const states = [...moved.slice(-1), ...taken].flatMap(({ state }) => state ?? []);
  const now = deps.clock.now();
  // If all parts together have reached a limit, one of them has reached its share.
  const parts = shards.ledgers.length;
  const shares = {
    ...options,
    maxCostUsd: options.maxCostUsd / parts,
    maxBytes: Math.ceil(options.maxBytes / parts),
  };
  const asks = states.some((state) => mustAskHome(state) || reachedLimit(state, shares, now) !== null);
  if (asks) await settleShards(shards, deps);
}
