import { chooseLedgerOf, type LedgerRoom } from "../crawl/bounds/ledger-choice.ts";
import { readRoom, requireRoom } from "../frontier/batch/require-room.ts";
import { askLedgers, atLedger } from "../frontier/ledgers.ts";
import type { NewCrawlDeps } from "./needs.ts";

/**
 * The dependencies on the ledger in which a new crawl is put: the one with the most room. A ledger that does not answer
 * gets none. With one ledger it asks no more than `requireRoom`; with more, each has one query. Throws NoRoom.
 */
export async function chooseLedger<D extends NewCrawlDeps>(deps: D): Promise<D> {
  if (deps.ledgers.numbers.length === 1) {
    await requireRoom(deps);
    return deps;
  }
  const answers = await readRooms(deps);
  const chosen = chooseLedgerOf(answers);
  if (chosen !== null) return atLedger(deps, chosen);
  // All are full: the emptiest one says so.
  const [emptiest] = answers.toSorted((a, b) => a.bytes / a.limitBytes - b.bytes / b.limitBytes);
  const home = atLedger(deps, emptiest?.ledger ?? 0);
  await requireRoom(home);
  return home;
}

/** How full the ledgers are that answer. */
export async function readRooms<D extends NewCrawlDeps>(deps: D): Promise<LedgerRoom[]> {
  const { answers } = await askLedgers(deps, async (each) => {
    const underWay = await each.roomNotes.countUnderWay();
    return { ledger: each.ledgerNumber, underWay, ...(await readRoom(each)) };
  });
  return answers;
}
