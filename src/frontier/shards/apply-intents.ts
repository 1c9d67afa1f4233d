import { inTime } from "../../core/in-time.ts";
import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import type { NumberedIntent } from "../../store/shards/shard-intents.ts";
import type { PartState } from "../../store/shards/shard-parts.ts";
import { dispatchNow } from "../batch/message.ts";
import { homeOf, LEDGER_WAIT_MS, type LedgersDeps, SilentLedger } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";

/** Brings the parts of a crawl to where its home is: each applies what it has not, in order. */

/**
 * Applies an intent at a part. False leaves it, and all that come after it, to another caller. `deps`: on the ledger of
 * the part.
 */
export type ApplyIntent<D extends ShardDeps = ShardDeps> = (
  part: string,
  numbered: NumberedIntent,
  deps: D,
) => Promise<boolean>;

/** What sends all URLs of a part again is left to the rooms above. */
export const applyLightly: ApplyIntent = async (part, numbered, deps) => {
  const { kind } = numbered.intent;
  if (kind === "resume" || kind === "retry") return false;
  const moved = await deps.shardParts.apply(part, numbered, deps.clock.now());
  if (moved === false) return true;
  if (kind === "cancel") await deps.ledger.retireOpen(part, deps.clock.now());
  else await sendMoved(moved, deps);
  return true;
};

export async function sendMoved(moved: Moved, deps: ShardDeps): Promise<void> {
  if (moved.state?.status !== "running") return;
  await dispatchNow(deps, { crawl: moved.crawl, epoch: moved.state.epoch }, moved);
}

/**
 * What a part says of itself; null if it is not there. Throws SilentLedger if its ledger does not answer in
 * LEDGER_WAIT_MS.
 */
export async function askPart(
  part: string,
  deps: LedgersDeps & Pick<ShardDeps, "shardParts">,
): Promise<PartState | null> {
  const { shardParts, ledgerNumber } = homeOf(deps, part);
  return inTime(shardParts.state(part), LEDGER_WAIT_MS, () => new SilentLedger(ledgerNumber));
}

/** A part whose ledger fails or is silent is left to the heartbeat; the home's own failure is thrown. */
export async function applyIntents<D extends ShardDeps>(
  shards: Shards,
  deps: D,
  apply: ApplyIntent<D> = applyLightly,
): Promise<void> {
  const ends = await Promise.allSettled(
    partsOf(shards).map((part) => applyAt(part, shards, homeOf(deps, part), apply)),
  );
  const [own] = ends;
  if (own?.status === "rejected") throw own.reason;
  const reached = ends.map((end) => (end.status === "fulfilled" ? end.value : -1));
  const last = Math.max(0, ...reached);
  const done = Math.min(...reached);
  if (done >= 0 && done === last) await homeOf(deps, shards.home).shardParts.noteDone(shards.home, done);
}

/** The number of the last intent that the part has applied; -1 if it is not there. */
async function applyAt<D extends ShardDeps>(
  part: string,
  shards: Shards,
  deps: D,
  apply: ApplyIntent<D>,
): Promise<number> {
  const state = await askPart(part, deps);
  if (state === null) return -1;
  let reached = state.intent;
  for (const numbered of await homeOf(deps, shards.home).shardParts.intents(shards.home, state.intent)) {
    if (!(await apply(part, numbered, deps))) return -1;
    reached = numbered.number;
  }
  return reached;
}
