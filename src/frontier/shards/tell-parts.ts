import { inTime } from "../../core/in-time.ts";
import { logWarning } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { ledgerOfUrl, type Shards } from "../../crawl/shards/shards.ts";
import { mustAskHome } from "../../store/ledger/advance.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { askForLeft } from "../batch/message.ts";
import { reachedLimit } from "../commit/obey-limits.ts";
import { LEDGER_WAIT_MS } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";
import { deliverLeft, LEFT_WAIT_MS } from "./deliver-left.ts";
import { settleShards } from "./settle-shards.ts";

/** Rows of a part that wait at most: whoever leaves one more delivers them. */
const MOST_WAITING = 50;

/**
 * After a commit of a part: sees to it that others get what it found for them, and asks whether the crawl goes on. The
 * heartbeat makes up for what fails here, and for a ledger that does not answer in time. `moved`: all transactions of
 * the part since, the last one last.
 */
export async function tellParts(moved: readonly Moved[], crawl: Crawl, deps: ShardDeps): Promise<void> {
  const { shards } = crawl;
  if (shards === null) return;
  try {
    await inTime(
      tell(moved, { ...crawl, shards }, deps),
      // A list that is not taken in time is left first, and then the parts are asked.
      2 * LEDGER_WAIT_MS,
      () => new Error("a ledger did not answer in time"),
    );
  } catch (error) {
    logWarning("parts-not-told", { crawl: crawl.id, error: String(error) });
  }
}

async function tell(
  moved: readonly Moved[],
  { id, shards, options }: Crawl & { shards: Shards },
  deps: ShardDeps,
): Promise<void> {
  const taken = await deliverIfDue(id, moved, { shards, options }, deps);
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

/**
 * Rows wait for others, unless they are many. Those of a part that has nothing else to do wait for none; nor does the
 * first row of a part with all the seeds, because until then other parts have nothing to do.
 */
async function deliverIfDue(
  part: string,
  moved: readonly Moved[],
  { shards, options }: { shards: Shards; options: Pick<CrawlOptions, "urls"> },
  deps: ShardDeps,
): Promise<Moved[]> {
  const left = moved.flatMap((each) => each.left ?? []);
  const state = moved.at(-1)?.state ?? null;
  const isIdle = state?.status === "running" && state.queued === 0;
  const hasSeeds = () => options.urls.every((url) => ledgerOfUrl(url, shards) === deps.ledgerNumber);
  const isDue = left.some(({ rows, number }) => rows % MOST_WAITING === 0 || (number === 1 && hasSeeds()));
  if (isIdle || isDue) return (await deliverLeft(part, deps)).taken;
  const started = left.find(({ isFirst }) => isFirst);
  if (started !== undefined) await askForLeft(deps, { crawl: part, row: started.first }, LEFT_WAIT_MS);
  return [];
}
