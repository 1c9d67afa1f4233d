import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import { withReserve } from "../../frontier/batch/require-room.ts";
import type { Deps } from "../../frontier/deps.ts";
import { homeOf, type LedgersDeps } from "../../frontier/ledgers.ts";

/**
 * Begins to delete the other parts of a crawl. `isFinal`: nobody makes a part any more, so that the row of the home,
 * which leads to them, may go.
 */
export async function deleteParts(
  shards: Shards,
  isFinal: boolean,
  deps: LedgersDeps & Pick<Deps, "clock" | "deletions" | "roomNotes" | "shardParts">,
): Promise<void> {
  const [, ...others] = partsOf(shards);
  for (const part of others) {
    const at = homeOf(deps, part);
    await withReserve(at, () => at.deletions.mark(part, true, deps.clock.now()));
  }
  if (isFinal) await homeOf(deps, shards.home).shardParts.letHomeGo(shards.home);
}
