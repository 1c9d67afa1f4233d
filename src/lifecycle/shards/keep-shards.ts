import { inTime } from "../../core/in-time.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { applyIntents } from "../../frontier/shards/apply-intents.ts";
import { deliverLeft } from "../../frontier/shards/deliver-left.ts";
import { settleShards } from "../../frontier/shards/settle-shards.ts";
import type { HomeState } from "../../store/shards/shard-parts.ts";
import type { Deeds } from "../deed.ts";
import type { RemoveDeps, SteerDeps } from "../needs.ts";
import { applyAll } from "./apply-all.ts";
import { deleteParts } from "./delete-parts.ts";
import { makeParts } from "./make-parts.ts";
import { cancelShards } from "./steer-shards.ts";

/** The heartbeat's part: whatever was interrupted between the parts of a crawl goes on. */

type KeepDeps = SteerDeps & RemoveDeps;

/** Real time for one crawl, of which a part may be in a ledger that does not answer. A retry works in chunks. */
const PARTS_PATIENCE_MS = 30_000;
/** Portions of the outbox that one heartbeat delivers of a crawl. */
const MOST_PORTIONS = 20;

export async function keepShards(deps: KeepDeps, deeds: Deeds): Promise<void> {
  const { shardOutbox, shardParts, clock } = deps;
  const attempt = (deed: string, id: string, work: () => Promise<unknown>) =>
    deeds.attempt(deed, id, () =>
      inTime(work(), PARTS_PATIENCE_MS, () => new Error("a ledger did not answer in time")),
    );
  const all = { after: Number.MIN_SAFE_INTEGER, portions: MOST_PORTIONS };
  for (const part of await shardOutbox.crawls()) await attempt("deliver", part, () => deliverLeft(part, deps, all));
  for (const home of await shardParts.homes()) await attempt("parts", home.id, () => keepHome(home, deps));
  for (const { shards, deletingAt } of await shardParts.homesToDelete())
    await attempt("delete", shards.home, () => deleteParts(shards, deletingAt <= clock.now(), deps));
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
