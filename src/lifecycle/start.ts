import type { Discovery, Purpose } from "../crawl/crawl.ts";
import { crawlIdIn } from "../crawl/crawl-id.ts";
import type { AmendedLimits, CrawlOptions } from "../crawl/crawl-options.ts";
import { MAX_PAGE_PRIORITY, PREFERRED_PRIORITY } from "../crawl/page/url-kind.ts";
import { dispatch, dispatchNow } from "../frontier/batch/message.ts";
import { requireRoom } from "../frontier/batch/require-room.ts";
import { guessLists, namedSitemaps } from "../frontier/commit/gather-sitemap.ts";
import { settleWithheld } from "../frontier/commit/settle-withheld.ts";
import { homeOf } from "../frontier/ledgers.ts";
import type { ScheduleRun } from "../store/installation/schedules.ts";
import { isFull } from "../store/ledger/advance.ts";
import type { Moved } from "../store/ledger/ledger.ts";
import type { MovingRows } from "../store/ledger/motion.ts";
import { originOf } from "../url/host-key.ts";
import { chooseLedger } from "./choose-ledger.ts";
import type { NewCrawlDeps, ResendDeps, RowDeps, SendDeps, StartDeps } from "./needs.ts";
import { spreadByHost } from "./spread-by-host.ts";

/** Starts, changes, stops and resumes crawls, for the API and the heartbeat. */

/** Rows read at a time when a crawl is sent again. */
const RESEND_ROWS = 10_000;

/**
 * Creates the crawl in the ledger with the most room, and sends its seeds. `list`: the name of a list that its other
 * seeds come from; it is paused until they are there. Null when another heartbeat has already started the schedule's
 * crawl. Throws NoRoom.
 */
export async function startCrawl(
  options: CrawlOptions,
  deps: NewCrawlDeps,
  schedule?: ScheduleRun,
  purpose: Purpose = "crawl",
  list?: string,
): Promise<string | null> {
  const home = await chooseLedger(deps);
  const id = crawlIdIn(home.ledgerNumber, crypto.randomUUID());
  const now = deps.clock.now();
  if (schedule !== undefined && home.ledgerNumber !== 0) {
    if (!(await deps.schedules.claim(schedule, id, now))) return null;
    await startClaimed(options, { id, schedule: schedule.id, claimedAt: now }, home);
    return id;
  }
  const rest = { ...(list === undefined ? {} : { list }), ...(schedule === undefined ? {} : { schedule }) };
  const moved = await home.ledger.create({ id, purpose, now, ...seedsOf(options), ...rest });
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
    const moved = await home.ledger.create({ id, now: claimedAt, ...seedsOf(options), claimedBy: schedule });
    if (moved !== null) await dispatchNow(home, { crawl: id, epoch: moved.state?.epoch ?? 1 }, moved);
  }
  await deps.schedules.noteStarted(schedule, id);
}

/** What a new crawl begins with. */
function seedsOf(options: CrawlOptions) {
  return {
    options,
    hosts: [...new Set(options.urls.map((url) => new URL(url).host))],
    seeds: [...new Set([...options.like, ...options.urls])].map((url) =>
      // Examples of its subject go first.
      seedOf(url, options.like.includes(url) ? MAX_PAGE_PRIORITY : PREFERRED_PRIORITY),
    ),
    sitemaps: [...namedSitemaps(options), ...guessLists(new Set(options.urls.map(originOf)), options)],
  };
}

export function seedOf(url: string, priority: number): Discovery {
  const alone = { via: null, depth: 0, redirects: 0, chain: 0, pattern: null, lastmod: null, cookies: null };
  return { url, kind: "page", priority, ...alone };
}

/** Resumes a paused crawl, or sends a running one again. False when it has ended. Throws NoRoom. */
export async function resumeCrawl(id: string, deps: ResendDeps & StartDeps): Promise<boolean> {
  const crawl = await deps.ledger.crawl(id);
  await requireRoom(deps, crawl !== null && crawl.watchingSince !== null);
  return resend(await deps.ledger.resume(id, deps.clock.now()), deps);
}

/** Changes the limits of a crawl, and sends the URLs that they now allow. False when the crawl has ended. */
export async function amendCrawl(id: string, limits: AmendedLimits, deps: SendDeps): Promise<boolean> {
  const moved = await deps.ledger.amend(id, limits, deps.clock.now());
  if (moved === null) return false;
  if (moved.state?.status === "running") await dispatchNow(deps, { crawl: id, epoch: moved.state.epoch }, moved);
  return true;
}

/** Sends a stalled crawl again. False when it is not stalled any more. */
export async function repairCrawl(id: string, deps: ResendDeps): Promise<boolean> {
  return resend(await deps.ledger.repair(id, deps.clock.now()), deps);
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

/**
 * Sends every queued URL that is due under the crawl's new epoch, at about its host's pace; the gates give exact slots
 * when the messages arrive. URLs that are not sent because of an interruption stall, and are repaired.
 */
async function resend(renewed: Moved | null, deps: ResendDeps): Promise<boolean> {
  if (renewed === null) return false;
  const { crawl, state } = await settleWithheld(renewed, deps);
  if (state?.status !== "running") return true;
  const now = deps.clock.now();
  if (isFull(state)) await deps.ledger.retireOverLimit(crawl, now);
  const sitemaps = await deps.sitemaps.queued(crawl, now);
  await dispatchNow(deps, { crawl, epoch: state.epoch }, { queued: [], sitemaps });
  let sent = sitemaps.length;
  const row = await deps.ledger.crawl(crawl);
  if (row === null) return true;
  const spread = spreadByHost(row, deps);
  for (let after: string | null = ""; after !== null; ) {
    const { rows, last }: MovingRows = await deps.motion.pages(crawl, after, RESEND_ROWS, now);
    const delays = await spread(rows.map(({ url }) => url));
    await dispatch(
      deps,
      rows.map(({ url }, i) => ({ crawl, epoch: state.epoch, url, sitemap: false, delayMs: delays[i] ?? 0 })),
    );
    sent += rows.length;
    after = last;
  }
  if (sent === 0) await deps.ledger.expectDue(crawl);
  return true;
}
