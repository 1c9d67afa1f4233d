import type { Crawl, Purpose } from "../crawl/crawl.ts";
import { crawlIdIn } from "../crawl/crawl-id.ts";
import type { AmendedLimits, CrawlOptions } from "../crawl/crawl-options.ts";
import { dispatchNow } from "../frontier/batch/message.ts";
import { requireRoom } from "../frontier/batch/require-room.ts";
import { homeOf } from "../frontier/ledgers.ts";
import type { ScheduleRun } from "../store/installation/schedules.ts";
import { chooseLedger } from "./choose-ledger.ts";
import { firstUrlsOf } from "./first-urls.ts";
import type { NewCrawlDeps, ResendDeps, RowDeps, SendDeps, StartDeps, SteerDeps } from "./needs.ts";
import { sendAgain } from "./send-again.ts";
import { startShards } from "./shards/start-shards.ts";
import { amendShards, resumeShards } from "./shards/steer-shards.ts";

/** Starts, changes, stops and resumes crawls, for the API and the heartbeat. */

/**
 * Creates the crawl in the ledger with the most room, or in several of them, and sends its seeds. `list`: the name of a
 * list that its other seeds come from; it is paused until they are there. Null when another heartbeat has already
 * started the schedule's crawl. Throws NoRoom.
 */
export async function startCrawl(
  options: CrawlOptions,
  deps: NewCrawlDeps,
  schedule?: ScheduleRun,
  purpose: Purpose = "crawl",
  list?: string,
): Promise<string | null> {
  if (options.shards > 1) return startShards(options, deps);
  const home = await chooseLedger(deps);
  const id = crawlIdIn(home.ledgerNumber, crypto.randomUUID());
  const now = deps.clock.now();
  if (schedule !== undefined && home.ledgerNumber !== 0) {
    if (!(await deps.schedules.claim(schedule, id, now))) return null;
    await startClaimed(options, { id, schedule: schedule.id, claimedAt: now }, home);
    return id;
  }
  const rest = { ...(list === undefined ? {} : { list }), ...(schedule === undefined ? {} : { schedule }) };
  const moved = await home.ledger.create({ id, purpose, now, options, ...firstUrlsOf(options), ...rest });
  if (moved === null) return null;
  await dispatchNow(home, { crawl: id, epoch: moved.state?.epoch ?? 1 }, moved);
  return id;
}

/**
 * Creates the crawl that a schedule has claimed in the catalogue, unless it is there, and says so in the catalogue. May
 * be repeated: `claimedAt` and the id are those of the claim.
 */
export async function startClaimed(
  options: CrawlOptions,
  { id, schedule, claimedAt }: { id: string; schedule: string; claimedAt: number },
  deps: NewCrawlDeps,
): Promise<void> {
  const home = homeOf(deps, id);
  if ((await home.ledger.crawl(id)) === null) {
    const moved = await home.ledger.create({
      id,
      now: claimedAt,
      options,
      ...firstUrlsOf(options),
      claimedBy: schedule,
    });
    if (moved !== null) await dispatchNow(home, { crawl: id, epoch: moved.state?.epoch ?? 1 }, moved);
  }
  await deps.schedules.noteStarted(schedule, id);
}

/** Resumes a paused crawl, or sends a running one again. False when it has ended. Throws NoRoom. */
export async function resumeCrawl(id: string, deps: SteerDeps & StartDeps): Promise<boolean> {
  const crawl = await deps.ledger.crawl(id);
  if (crawl?.shards) return resumeShards(crawl.shards, deps);
  await requireRoom(deps, crawl !== null && crawl.watchingSince !== null);
  return sendAgain(await deps.ledger.resume(id, deps.clock.now()), deps);
}

/** Changes the limits of a crawl, and sends the URLs that they now allow. False when the crawl has ended. */
export async function amendCrawl(
  { id, shards }: Pick<Crawl, "id" | "shards">,
  limits: AmendedLimits,
  deps: SendDeps & SteerDeps,
): Promise<boolean> {
  if (shards !== null) return amendShards(shards, limits, deps);
  const moved = await deps.ledger.amend(id, limits, deps.clock.now());
  if (moved === null) return false;
  if (moved.state?.status === "running") await dispatchNow(deps, { crawl: id, epoch: moved.state.epoch }, moved);
  return true;
}

/** Sends a stalled crawl again. False when it is not stalled any more. */
export async function repairCrawl(id: string, deps: ResendDeps): Promise<boolean> {
  return sendAgain(await deps.ledger.repair(id, deps.clock.now()), deps);
}

/** Ends a crawl for good. False when it had already ended. */
export async function cancelCrawl(
  id: string,
  as: "cancelled_by_user" | "cancelled_due_to_timeout",
  deps: RowDeps,
): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await deps.ledger.cancel(id, as, now))) return false;
  await sweepCancelled(id, deps);
  return true;
}

/** Ends the open URLs of a cancelled crawl. May be repeated; it does not change a crawl that runs again. */
export async function sweepCancelled(id: string, deps: RowDeps): Promise<void> {
  await deps.ledger.retireOpen(id, deps.clock.now());
}
