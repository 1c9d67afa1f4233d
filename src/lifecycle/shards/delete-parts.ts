import { inTime } from "../../core/in-time.ts";
import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import { withReserve } from "../../frontier/batch/require-room.ts";
import type { Deps } from "../../frontier/deps.ts";
import { homeOf, LEDGER_WAIT_MS, type LedgersDeps, SilentLedger } from "../../frontier/ledgers.ts";

/**
 * Begins to delete the other parts of a crawl, all at once. `isFinal`: nobody makes a part any more, so that the row of
 * the home, which leads to them, may go. Throws if the ledger of a part fails, and SilentLedger if one does not answer.
 */
export async function deleteParts(
  shards: Shards,
  isFinal: boolean,
  deps: LedgersDeps & Pick<Deps, "clock" | "deletions" | "roomNotes" | "shardParts">,
): Promise<void> {
  const [, ...others] = partsOf(shards);
  const marks = await Promise.allSettled(
    others.map((part) => {
      const at = homeOf(deps, part);
      const marking = withReserve(at, () => at.deletions.mark(part, true, deps.clock.now()));
      return inTime(marking, LEDGER_WAIT_MS, () => new SilentLedger(at.ledgerNumber));
    }),
  );
  for (const mark of marks) if (mark.status === "rejected") throw mark.reason;
  if (isFinal) await homeOf(deps, shards.home).shardParts.letHomeGo(shards.home);
}
