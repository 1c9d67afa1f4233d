import { BEAT_MS, DAY_MS } from "../core/clock.ts";
import { MOST_UNDER_WAY } from "../crawl/watch/visit-pace.ts";
import { shortestEveryMs } from "../crawl/watch/visit-rates.ts";
import { isAskedFor, SKEW_MS } from "../crawl/watch/visit-time.ts";
import { dispatch } from "../frontier/batch/message.ts";
import { isUntested, NO_SIGNALS, type SignalCount, trustOf } from "../revisit/signal-trust.ts";
import { isFull } from "../revisit/site-prior.ts";
import { openBudget, stepBudget, type VisitCounts, visitsAllowed } from "../revisit/visit-budget.ts";
import type { DueRow, Sweep, WatchedCrawl } from "../store/watches/due-visits.ts";
import { hostKey } from "../url/host-key.ts";
import { nextDatedRows } from "./dated-rows.ts";
import type { Deeds } from "./deed.ts";
import type { VisitDeps } from "./needs.ts";
import { surveyWatch } from "./survey.ts";

/**
 * Sends the visits that are due. Each heartbeat reads the next rows of every watch, so many that each row is looked at
 * some hundred times per mean interval.
 */

/** How often each row is looked at per mean interval. */
const LOOKS = 100;
/** How often at least per interval of its own, where the watch has several. */
const LEAST_LOOKS = 10;
/** Visits that did not settle for so long are lost: their rows are still due, and are sent again. */
export const LOST_MS = 900_000;
/** The longest time between two laps: a page whose visit failed, or of which its owner told, waits no longer. */
const MOST_LAP_MS = 3_600_000;

/** Returns the number of visits that were sent. */
export async function sendVisits(deps: VisitDeps, deeds: Deeds): Promise<number> {
  let sent = 0;
  for (const watched of await deps.dueVisits.watches()) {
    await deeds.attempt("visit", watched.id, async () => {
      sent += await sendOf(watched, deps);
    });
    await deeds.attempt("survey", watched.id, () => surveyWatch(watched, deps));
  }
  return sent;
}

async function sendOf(watched: WatchedCrawl, deps: VisitDeps): Promise<number> {
  const { id, epoch, knowledge, size } = watched;
  const now = deps.clock.now();
  const continued = continueSweep(watched, now);
  // Nothing is written between two laps: a heartbeat comes each minute.
  if (now < continued.nextLapAt) return 0;
  const sweep = beginLap(continued, now);
  const perInterval = Math.max(LOOKS, (LEAST_LOOKS * everyMs(watched)) / shortestEveryMs(watched.watch));
  const lap = { after: sweep.after, perInterval, scale: sweep.budget.scale, now };
  const { pages, last } = await nextDatedRows(watched, lap, deps);
  // A page that was visited in the future, by a clock that was set back since, is due in every heartbeat of a lap.
  const turns = pages.map((page) => ({ page, turn: turnOf(page.dueAt === now ? sweep.lapAt : page.dueAt, sweep) }));
  const due = turns.filter(({ turn }) => turn !== "none");
  const { going, begun } = await placeVisits(due, watched, sweep, deps);
  const isCut = going.length < due.length;
  const halve = isFull(knowledge, size, everyMs(watched) / DAY_MS);
  if (isCut && going.length === 0) {
    if (isStale(watched, now)) await deps.dueVisits.noteSweep(id, continued, halve);
    return 0;
  }
  await dispatch(
    deps,
    going.map(({ page: { url, visits } }) => ({ crawl: id, epoch, url, sitemap: false, visit: visits, delayMs: 0 })),
  );
  const after = isCut ? (going.at(-1)?.page.url ?? sweep.after) : (last ?? "");
  const endsLap = !isCut && last === null;
  const nextLapAt = endsLap ? now + lapMs(watched) : sweep.nextLapAt;
  const sent = sweep.sent + going.filter(({ turn }) => turn === "first").length;
  await deps.dueVisits.noteSweep(id, { ...sweep, after, nextLapAt, begun, sent }, halve);
  return going.length;
}

interface DueVisit {
  page: DueRow;
  turn: "first" | "again" | "none";
}

/**
 * The visits that the budget has a place for, up to the first that finds none: the next heartbeat goes on there. Pages
 * that a trusted host signalled need no token of the budget, and neither do the few signals that test a host
 * (crawl/watch/signal.ts says how many), nor pages that somebody asked for.
 */
async function placeVisits(
  due: readonly DueVisit[],
  { id, demand, askedAt }: WatchedCrawl,
  sweep: Sweep,
  { signals }: Pick<VisitDeps, "signals">,
): Promise<{ going: DueVisit[]; begun: VisitCounts }> {
  const signalled = new Set(due.flatMap(({ page }) => (page.signalledAt === null ? [] : [hostKey(page.url)])));
  const counts = signalled.size === 0 ? null : await signals.counts(id, [...signalled]);
  const allowedOf = (precision: number) => visitsAllowed(sweep.budget, demand, precision);
  const { ordinary } = allowedOf(0);
  const bySignal = new Map(
    [...signalled].map((host) => [host, allowedOf(precisionOf(counts?.get(host) ?? NO_SIGNALS)).signalled]),
  );
  const begun = { ordinary: 0, signalled: 0, repeated: 0 };
  const going: DueVisit[] = [];
  for (const visit of due.slice(0, Math.max(0, MOST_UNDER_WAY - underWay(sweep)))) {
    const { url, signalledAt, visitAt } = visit.page;
    const places = signalledAt === null ? 0 : (bySignal.get(hostKey(url)) ?? 0);
    if (isAskedFor(visit.page, askedAt) || begun.signalled < places) begun.signalled += 1;
    else if (begun.ordinary < ordinary) {
      begun.ordinary += 1;
      if (visitAt !== null) begun.repeated += 1;
    } else break;
    going.push(visit);
  }
  return { going, begun };
}

function precisionOf(count: SignalCount): number {
  return isUntested(count) ? 1 : trustOf(count).precision;
}

/** Whether the budget must be noted although nothing was sent. */
function isStale({ sweep, epoch, ...watched }: WatchedCrawl, now: number): boolean {
  return sweep?.epoch !== epoch || Math.abs(now - sweep.budget.atMs) >= lapMs(watched);
}

/** A lap begins where the one before has ended, and not too soon after it. */
function beginLap(sweep: Sweep, now: number): Sweep {
  return sweep.after !== "" ? sweep : { ...sweep, lastLapAt: sweep.lapAt, lapAt: now };
}

function lapMs(watched: Pick<WatchedCrawl, "watch">): number {
  return Math.min(everyMs(watched) / LOOKS, shortestEveryMs(watched.watch) / LEAST_LOOKS, MOST_LAP_MS);
}

/**
 * Whether a page that is due at this time is sent in this lap. A lap sends each page that fell due since the lap
 * before. A page that was sent and is still due may wait for its host, so its message is sent again only when it is
 * overdue for twice as long: a slow host's messages do not pile up.
 */
function turnOf(due: number, { lapAt, lastLapAt }: Sweep): "first" | "again" | "none" {
  if (due > lapAt) return "none";
  if (due > lastLapAt) return "first";
  const doublings = (at: number) => Math.floor(Math.log2(Math.max(1, (at - due) / LOST_MS)));
  return doublings(lapAt) > doublings(lastLapAt) ? "again" : "none";
}

function everyMs({ watch }: Pick<WatchedCrawl, "watch">): number {
  return watch.everyS * 1000;
}

function underWay({ sent, settled }: Sweep): number {
  return Math.max(0, sent - settled);
}

/**
 * The sweep as this heartbeat finds it. `now`: milliseconds since the epoch. After a pause, and where the clock was set
 * back, all that is due is sent anew.
 */
export function continueSweep(watched: WatchedCrawl, now: number): Sweep {
  const { epoch, sweep, settled, demand, watch, askedAt } = watched;
  const begun = { ordinary: 0, signalled: 0 };
  const step = { nowMs: now, everyMs: everyMs(watched), pages: demand, isFixed: watch.fixed, beatMs: BEAT_MS };
  const budget = sweep === null ? openBudget(now) : stepBudget(sweep.budget, { ...step, begun: sweep.begun });
  const isAnew = sweep === null || sweep.epoch !== epoch || sweep.lapAt > now + SKEW_MS;
  if (isAnew) {
    const lap = { after: "", lapAt: 0, lastLapAt: 0, nextLapAt: 0 };
    return { ...lap, epoch, sent: settled, settled, movedAt: now, budget, begun };
  }
  const hasMoved = settled !== sweep.settled || underWay(sweep) === 0;
  const isLost = !hasMoved && Math.abs(now - sweep.movedAt) > LOST_MS;
  const isSettled = settled >= sweep.sent;
  return {
    ...sweep,
    // The lap goes on, so that a host that is down does not keep those after it waiting.
    lastLapAt: isLost || isSettled ? 0 : sweep.lastLapAt,
    // What was asked for since this lap began is sent in the next one, which begins at once.
    nextLapAt: askedAt !== null && askedAt > sweep.lapAt ? now : Math.min(sweep.nextLapAt, now + lapMs(watched)),
    sent: isLost ? settled : Math.max(sweep.sent, settled),
    settled,
    movedAt: hasMoved || isLost ? now : sweep.movedAt,
    budget,
    begun,
  };
}
