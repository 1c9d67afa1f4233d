import { logWarning } from "../../core/log.ts";
import type { AmendedLimits } from "../../crawl/crawl-options.ts";
import { type CrawlStatus, OPEN_STATUSES } from "../../crawl/page/status.ts";
import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import { requireRoom } from "../../frontier/batch/require-room.ts";
import type { RoomDeps } from "../../frontier/deps.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import type { ShardDeps } from "../../frontier/needs.ts";
import { applyIntents } from "../../frontier/shards/apply-intents.ts";
import { readParts, settleShards } from "../../frontier/shards/settle-shards.ts";
import { isLimitReached } from "../../crawl/shards/grants.ts";
import { isOfDryPages, type Retry } from "../../store/ledger/retrying.ts";
import type { CancelledStatus } from "../../store/ledger/transitions.ts";
import type { Intent } from "../../store/shards/shard-intents.ts";
import type { PartState } from "../../store/shards/shard-parts.ts";
import type { SteerDeps } from "../needs.ts";
import { applyAll } from "./apply-all.ts";

/**
 * What somebody does to a crawl over several ledgers. It is an intent first, which its home has with a number; then
 * each part applies it, now or by the heartbeat. So it has happened when this returns, and nothing undoes it.
 */

/** False if the crawl is in none of these states, or is deleted. */
async function steer(
  shards: Shards,
  intent: Intent,
  among: readonly CrawlStatus[] | null,
  deps: SteerDeps,
  onRetried?: (urls: number) => void,
): Promise<boolean> {
  const number = await homeOf(deps, shards.home).shardParts.write(shards.home, intent, among);
  if (number === null) return false;
  await applyIntents(shards, deps, applyAll(onRetried));
  return true;
}

export async function pauseShards(shards: Shards, reason: string | null, deps: SteerDeps): Promise<boolean> {
  return steer(shards, { kind: "pause", reason }, ["running"], deps);
}

/** Throws NoRoom if the ledger of a part has none, and SilentLedger if one does not answer. */
export async function resumeShards(shards: Shards, deps: SteerDeps & RoomDeps): Promise<boolean> {
  await readPartsWithRoom(shards, deps);
  return steer(shards, { kind: "resume" }, ["running", "paused"], deps);
}

export async function cancelShards(shards: Shards, as: CancelledStatus, deps: SteerDeps): Promise<boolean> {
  return steer(shards, { kind: "cancel", as }, OPEN_STATUSES, deps);
}

export async function amendShards(shards: Shards, limits: AmendedLimits, deps: SteerDeps): Promise<boolean> {
  if (!(await steer(shards, { kind: "amend", limits }, OPEN_STATUSES, deps))) return false;
  await divideAnew(shards, deps);
  return true;
}

/** The answers are those of retry.ts. Throws as resumeShards. */
export async function retryShards(
  shards: Shards,
  { limit, ...retry }: Retry,
  deps: SteerDeps & RoomDeps,
): Promise<{ kind: "retried"; retried: number } | { kind: "full" } | { kind: "ending" }> {
  const all = partsOf(shards);
  const parts = await readPartsWithRoom(shards, deps);
  const home = await homeOf(deps, shards.home).shardParts.home(shards.home);
  if (home === null) return { kind: "retried", retried: 0 };
  const isBehind = parts === null || parts.some(({ intent }) => intent !== home.lastIntent);
  const isEnding = parts?.some(({ status, openUrls }) => status.startsWith("cancelled") && openUrls > 0);
  if (isBehind || isEnding) return { kind: "ending" };
  const { options } = home;
  const uses = parts.map(({ grant, dryPages }) => ({ taken: grant.taken - (isOfDryPages(retry) ? dryPages : 0) }));
  if (isLimitReached(limit ?? options.limit, uses) && !options.assets && !options.media) return { kind: "full" };
  const has = await Promise.all(all.map((part) => homeOf(deps, part).shardParts.hasToRetry(part, retry)));
  let retried = 0;
  if (has.includes(true)) {
    if (limit !== null) await steer(shards, { kind: "amend", limits: { limit } }, null, deps);
    await steer(shards, { kind: "retry", retry }, null, deps, (urls) => {
      retried += urls;
    });
    await divideAnew(shards, deps);
  }
  return { kind: "retried", retried };
}

/** As readParts, which comes first: a silent ledger would not say how much room it has, either. Throws NoRoom too. */
async function readPartsWithRoom(shards: Shards, deps: SteerDeps & RoomDeps): Promise<PartState[] | null> {
  const parts = await readParts(shards, deps);
  for (const part of partsOf(shards)) await requireRoom(homeOf(deps, part));
  return parts;
}

/** Gives the parts their shares of a limit that has changed. The heartbeat makes up for it. */
async function divideAnew(shards: Shards, deps: ShardDeps): Promise<void> {
  await settleShards(shards, deps).catch((error: unknown) => {
    logWarning("limit-not-divided", { crawl: shards.home, error: String(error) });
  });
}
