import { isOpenStatus } from "../../crawl/page/status.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import type { ShardDeps } from "../../frontier/needs.ts";
import { applyIntents } from "../../frontier/shards/apply-intents.ts";
import { deliverParcels } from "../../frontier/shards/deliver-parcels.ts";
import { settleShards } from "../../frontier/shards/settle-shards.ts";
import type { HomeState } from "../../store/shards/shard-parts.ts";
import type { Deeds } from "../deed.ts";
import type { RemoveDeps, ResendDeps } from "../needs.ts";
import { applyAll } from "./apply-heavily.ts";
import { deleteParts } from "./delete-parts.ts";
import { makeParts } from "./make-parts.ts";
import { cancelShards } from "./steer-shards.ts";

/** The heartbeat's part: whatever was interrupted between the parts of a crawl goes on. */

type KeepDeps = ShardDeps & ResendDeps & RemoveDeps;

/** Rows of the outbox that one heartbeat delivers. */
const MOST_PARCELS = 100;

export async function keepShards(deps: KeepDeps, deeds: Deeds): Promise<void> {
  for (const { id, crawl, shards, options, parcels } of await deps.shardParts.leftParcels(MOST_PARCELS))
    await deeds.attempt("deliver", crawl, () => deliverParcels({ id, parcels }, { shards, options, deps }));
  for (const home of await deps.shardParts.homes()) await deeds.attempt("parts", home.id, () => keepHome(home, deps));
  for (const { shards, deletingAt } of await deps.shardParts.homesToDelete())
    await deeds.attempt("delete", shards.home, () => deleteParts(shards, deletingAt <= deps.clock.now(), deps));
}

async function keepHome({ id, status, shards, deadlineAt, isWaited }: HomeState, deps: KeepDeps): Promise<void> {
  if (isWaited) {
    await makeParts(shards, deps);
    await applyIntents(shards, deps, applyAll());
  }
  const isExpired = deadlineAt !== null && deadlineAt <= deps.clock.now() && isOpenStatus(status);
  if (isExpired) await cancelShards(shards, "cancelled_due_to_timeout", deps);
  else if ((await homeOf(deps, id).shardParts.home(id))?.status === "running") await settleShards(shards, deps);
}
