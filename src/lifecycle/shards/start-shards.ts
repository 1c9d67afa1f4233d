import { logWarning } from "../../core/log.ts";
import { chooseLedgersOf } from "../../crawl/bounds/ledger-choice.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { partIn, type Shards } from "../../crawl/shards/shards.ts";
import { NoRoom } from "../../frontier/batch/require-room.ts";
import { readRooms } from "../choose-ledger.ts";
import type { NewCrawlDeps } from "../needs.ts";
import { makePart, makeParts } from "./make-parts.ts";

/**
 * Creates a crawl over several ledgers, those with the most room. The home is made first; the heartbeat makes the parts
 * that are missing after an interruption. Throws NoRoom.
 */
export async function startShards(options: CrawlOptions, deps: NewCrawlDeps): Promise<string> {
  const rooms = await readRooms(deps);
  const ledgers = chooseLedgersOf(rooms, options.shards);
  if (ledgers.length < options.shards)
    throw new NoRoom(
      `The crawl is to be divided among ${options.shards} ledgers, and ${ledgers.length} of this installation have room: give fewer shards, or bind more ledgers.`,
    );
  const home = partIn(ledgers[0] ?? 0, crypto.randomUUID());
  const shards: Shards = { home, ledgers };
  await makePart(home, shards, { options, createdAt: deps.clock.now() }, deps);
  try {
    await makeParts(shards, deps);
  } catch (error) {
    logWarning("parts-not-made", { crawl: home, error: String(error) });
  }
  return home;
}
