import { levelOf } from "../crawl/bounds/database-room.ts";
import type { LedgerState } from "../crawl/bounds/ledger-state.ts";
import { readRoom } from "../frontier/batch/require-room.ts";
import type { Deps, RoomDeps } from "../frontier/deps.ts";
import { askLedgers, type LedgersDeps } from "../frontier/ledgers.ts";
import type { FromAll } from "./all-crawls.ts";

/** In their order. `most`: crawls to name for deletion, for each ledger. */
export async function readLedgers(
  deps: LedgersDeps & RoomDeps & Pick<Deps, "heartbeats">,
  most: number,
): Promise<FromAll<LedgerState[]>> {
  const { answers, silent } = await askLedgers(deps, async (each): Promise<LedgerState> => {
    const heartbeat = await each.heartbeats.last();
    const room = await readRoom(each);
    const deletable = levelOf(room) === "room" ? [] : await each.roomNotes.largest(room, most);
    return { ledger: each.ledgerNumber, room, deletable, heartbeat };
  });
  return { found: answers, silent };
}
