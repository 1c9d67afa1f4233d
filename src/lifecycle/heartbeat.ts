import { BEFORE_NEXT_BEAT_MS, systemClock } from "../core/clock.ts";
import { logError, logInfo, logWarning } from "../core/log.ts";
import { ledgerOf } from "../crawl/crawl-id.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { isOpenStatus } from "../crawl/page/status.ts";
import type { Schedule } from "../crawl/watch/crawl-schedule.ts";
import { dispatch } from "../frontier/batch/message.ts";
import { NoRoom } from "../frontier/batch/require-room.ts";
import type { Deps } from "../frontier/deps.ts";
import { homeOf, onEachLedger } from "../frontier/ledgers.ts";
import { tellDue } from "../notices/tell-due.ts";
import { findDueExtractions, startDueExtraction } from "../passes/extract/start-extraction.ts";
import { reviveIfLost } from "../passes/mend-passes.ts";
import type { ReviveDeps } from "../passes/needs.ts";
import { findDuePasses, startDuePass } from "../passes/start-pass.ts";
import { cleanSearch, findDueTemplates } from "../passes/template/learn-due.ts";
import { IN_FLIGHT_MS } from "../store/installation/deletions.ts";
import type { DueSchedule } from "../store/installation/schedules.ts";
import { STALL_AFTER_MS } from "../store/ledger/ledger.ts";
import type { PrivateAccess } from "../url/private-access.ts";
import { nextOccurrence } from "./cron.ts";
import { Deeds, type FailedDeed } from "./deed.ts";
import { removeDeleted } from "./delete-crawl.ts";
import { checkKeys } from "./indexnow.ts";
import { settleInstallationBill } from "./installation-bill.ts";
import { joinReports } from "./join-reports.ts";
import { keepRoom, type RoomReport } from "./keep-room.ts";
import { type RemovedNow, removeOldVersions } from "./keep-versions.ts";
import { lookAgainAt } from "./look-again-at.ts";
import { keepShards } from "./shards/keep-shards.ts";
import { sendLost } from "./lost-messages.ts";
import type { ScheduleDeps, SendDeps } from "./needs.ts";
import { sendReadings } from "./readings.ts";
import { cancelCrawl, repairCrawl, resumeCrawl, startClaimed, startCrawl, sweepCancelled } from "./start.ts";
import { sendVisits } from "./visits.ts";

/**
 * The heartbeat: once a minute, and in each ledger, it repairs, ends, starts and removes what no batch or request is
 * working on. Every action is idempotent, also when several heartbeats run at the same time. Each action on each crawl
 * fails alone: the report and the log name it, and the next heartbeat repeats it.
 */

export interface HeartbeatReport {
  /** Stalled crawls that were sent again under a new epoch. */
  repaired: string[];
  /** Crawls that reached their time limit. */
  expired: string[];
  /** How full the database is; null if it could not be asked. */
  room: RoomReport | null;
  /** Crawls that a schedule started, and schedules that the database had no room for. */
  started: string[];
  skipped: string[];
  /** Crawls that looked again at the links of pages to which they found a nearer way. */
  lookedAgain: string[];
  /** The number of URLs that were sent after a long wait. */
  due: number;
  /** The number of URLs and sitemaps that were sent again because their messages were lost. */
  lost: number;
  /** The number of visits that were sent. */
  visits: number;
  /** The number of sitemaps and feeds of watches that were sent to be read again. */
  readings: number;
  /** Watches that go on because a month began, or because the database has room again. */
  resumed: string[];
  /** Passes that stood still and go on. */
  mended: string[];
  /** Watches that are analyzed again. */
  analyzed: string[];
  /** Crawls about whose pages the model is asked. */
  extracted: string[];
  /** Crawls that have ended whose template is learned now. */
  templates: string[];
  /** Old changes and versions that were removed, and packs that nothing needed any more. */
  forgotten: RemovedNow;
  /** Crawls whose deletion began because their retention is over. */
  outdated: string[];
  /** Deleted crawls that are completely removed. */
  deleted: string[];
  /** What did not succeed. */
  failed: FailedDeed[];
}

/** Invocations for the other ledgers. A request may start 32, and what this one fetches takes some 20. */
const MOST_INVOCATIONS = 8;
/** Rows sent at a time. */
const DUE_PAGE = 1_000;

/**
 * Works on each ledger by itself, all at once, so that one that is slow or fails delays no crawl of another.
 * `elsewhere` works on all but the first one in other invocations, some ledgers in each. Returns what all of them did.
 */
export async function heartbeat(
  deps: Deps,
  access: PrivateAccess = "none",
  elsewhere?: (ledgers: number[]) => Promise<HeartbeatReport>,
): Promise<HeartbeatReport> {
  const all = onEachLedger(deps);
  if (elsewhere === undefined) return beatLedgers(all, access);
  const [first, ...others] = all;
  const groups = [...Map.groupBy(others, ({ ledgerNumber }) => ledgerNumber % MOST_INVOCATIONS).values()];
  const reports = await Promise.all([
    ...(first === undefined ? [] : [beatLedgers([first], access)]),
    ...groups.map((group) => {
      const ledgers = group.map(({ ledgerNumber }) => ledgerNumber);
      return elsewhere(ledgers).catch((error: unknown) => {
        logError("ledgers-without-heartbeat", error, { ledgers });
        return null;
      });
    }),
  ]);
  return joinReports(reports.filter((report) => report !== null));
}

/** `ledgers`: the dependencies on each. It does not throw unless all fail. */
export async function beatLedgers(ledgers: readonly Deps[], access: PrivateAccess): Promise<HeartbeatReport> {
  const ends = await Promise.allSettled(ledgers.map((each) => beatLedger(each, access)));
  for (const [i, end] of ends.entries())
    if (end.status === "rejected")
      logError("ledger-without-heartbeat", end.reason, { ledger: ledgers[i]?.ledgerNumber });
  return joinReports(ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : [])));
}

/** The heartbeat of one ledger. That of the first one works for the installation too. */
async function beatLedger(deps: Deps, access: PrivateAccess): Promise<HeartbeatReport> {
  const { clock } = deps;
  const startedAt = clock.now();
  const realStart = systemClock.now();
  // Stalls are measured in real time: on a faster clock a batch takes as long as ever.
  const stalledAt = startedAt - STALL_AFTER_MS * (clock.speed - 1);
  const deeds = new Deeds();
  const found = await deeds.attempt("find", null, () => deps.ledger.overdue(startedAt, stalledAt));
  const { stalled, expired, unswept } = found ?? { stalled: [], expired: [], unswept: [] };
  const report: HeartbeatReport = {
    expired: await deeds.attemptEach("expire", expired, (id) => cancelCrawl(id, "cancelled_due_to_timeout", deps)),
    repaired: [],
    room: null,
    started: [],
    skipped: [],
    lookedAgain: [],
    due: 0,
    lost: 0,
    visits: 0,
    readings: 0,
    resumed: [],
    mended: [],
    analyzed: [],
    extracted: [],
    templates: [],
    forgotten: { changes: 0, versions: 0, packs: 0 },
    outdated: [],
    deleted: [],
    failed: deeds.failed,
  };
  report.room = (await deeds.attempt("room", null, () => keepRoom(deps, deeds))) ?? null;
  await deeds.attemptEach("sweep", unswept, (id) => sweepCancelled(id, deps).then(() => true));
  report.repaired = await deeds.attemptEach("repair", stalled, (id) => repairCrawl(id, deps));
  const lowered = await deeds.attempt("look", null, () => deps.lowered.crawls());
  report.lookedAgain = await deeds.attemptEach("look", lowered ?? [], (id) => lookAgainAt(id, deps, access));
  await deeds.attempt("send", null, () => sendDue(deps, deeds, report));
  report.lost = (await deeds.attempt("search", null, () => sendLost(deps, deeds))) ?? 0;
  const due = await deeds.attempt("month", null, () => deps.dueVisits.beginMonth(startedAt));
  const resumable = report.room === null || report.room.level === "room" ? (due ?? []) : [];
  report.resumed = await deeds.attemptEach("resume", resumable, (id) => resumeCrawl(id, deps));
  report.visits = (await deeds.attempt("visit", null, () => sendVisits(deps, deeds))) ?? 0;
  report.readings = (await deeds.attempt("read", null, () => sendReadings(deps, deeds))) ?? 0;
  report.mended = (await deeds.attempt("mend", null, () => mendPasses(deps, deeds))) ?? [];
  const changed = await deeds.attempt("analyze", null, () => findDuePasses(deps));
  report.analyzed = await deeds.attemptEach("analyze", changed ?? [], (id) => startDuePass(id, deps));
  const unasked = await deeds.attempt("extract", null, () => findDueExtractions(deps));
  report.extracted = await deeds.attemptEach("extract", unasked ?? [], (id) => startDueExtraction(id, deps));
  const unlearned = await deeds.attempt("template", null, () => findDueTemplates(deps));
  if (unlearned !== undefined)
    report.templates = await deeds.attemptEach("template", unlearned.crawls, unlearned.learn);
  await deeds.attempt("index", null, () => cleanSearch(deps));
  await tellDue(deps, (crawl, work) => deeds.attempt("tell", crawl, work));
  report.forgotten = (await deeds.attempt("keep", null, () => removeOldVersions(deps, deeds))) ?? report.forgotten;
  Object.assign(report, await deeds.attempt("delete", null, () => removeDeleted(deps, deeds)));
  if (deps.ledgers.numbers.length > 1) await deeds.attempt("shards", null, () => keepShards(deps, deeds));
  if (deps.ledgerNumber === 0) await workForInstallation(deps, deeds, report);
  await deeds.attempt("report", null, () => deps.heartbeats.note(report, clock.now()));
  await deeds.attempt("forget", null, () => deps.ledger.forgetPromotions(startedAt - IN_FLIGHT_MS * clock.speed));
  await deeds.attempt("bill", null, () => settleInstallationBill(deps));
  logInfo("heartbeat", { ms: systemClock.now() - realStart, ledger: deps.ledgerNumber, ...report });
  return report;
}

/** What belongs to no ledger. It asks others, so it comes last: one that is slow delays no crawl of the first one. */
async function workForInstallation(deps: Deps, deeds: Deeds, report: HeartbeatReport): Promise<void> {
  await deeds.attempt("check", null, () => checkKeys(deps, deeds));
  await deeds.attempt("start", null, () => startDue(deps, deeds, report));
}

/**
 * Sends the rows in the ledger that are due before the next heartbeat. Rows that are marked but not sent stall, and are
 * repaired.
 */
async function sendDue(deps: SendDeps & Pick<Deps, "waits">, deeds: Deeds, report: HeartbeatReport): Promise<void> {
  for (;;) {
    const now = deps.clock.now();
    const rows = await deps.waits.takeDue(now + BEFORE_NEXT_BEAT_MS, DUE_PAGE);
    for (const [crawl, due] of Map.groupBy(rows, (row) => row.crawl)) {
      await deeds.attempt("send", crawl, async () => {
        await dispatch(
          deps,
          due.map((row) => ({ ...row, delayMs: Math.max(0, row.dueAt - now) })),
        );
        report.due += due.length;
      });
    }
    if (rows.length < DUE_PAGE) return;
  }
}

/** Makes every pass go on that stands still. Returns their ids. */
async function mendPasses(deps: ReviveDeps, deeds: Deeds): Promise<string[]> {
  const mended: string[] = [];
  for (const pass of await deps.passes.running())
    if (await deeds.attempt("mend", pass.crawl, () => reviveIfLost(pass, deps))) mended.push(pass.id);
  return mended;
}

/**
 * Starts a crawl for each schedule that is due. A schedule is skipped while its last crawl still runs, and while the
 * database has no room. One crawl makes up for all missed times, because the next time is computed from now.
 */
async function startDue(deps: ScheduleDeps, deeds: Deeds, report: HeartbeatReport): Promise<void> {
  const now = deps.clock.now();
  for (const schedule of await deps.schedules.due(now)) {
    const { id, cron, nextAt: dueAt, starting } = schedule;
    await deeds.attempt("start", id, async () => {
      if (starting !== null) {
        const claimedAt = schedule.lastStartedAt ?? now;
        await startClaimed(optionsOf(schedule, claimedAt), { id: starting, schedule: id, claimedAt }, deps);
        report.started.push(starting);
      }
      if (dueAt > now) return;
      const nextAt = nextOccurrence(cron, now);
      if (await isBusy(schedule, deps)) return deps.schedules.skip(id, dueAt, nextAt);
      try {
        const crawl = await startCrawl(optionsOf(schedule, now), deps, { id, dueAt, nextAt });
        if (crawl !== null) report.started.push(crawl);
      } catch (error) {
        if (!(error instanceof NoRoom)) throw error;
        logWarning("schedule-skipped", { id, why: error.message });
        report.skipped.push(id);
        await deps.schedules.skip(id, dueAt, nextAt);
      }
    });
  }
}

/** Whether the last crawl of a schedule still runs. Asks another ledger if the crawl is there. */
async function isBusy({ busy, lastCrawlId }: DueSchedule, deps: ScheduleDeps): Promise<boolean> {
  if (lastCrawlId === null || ledgerOf(lastCrawlId) === 0 || !deps.ledgers.has(ledgerOf(lastCrawlId))) return busy;
  const crawl = await homeOf(deps, lastCrawlId).ledger.crawl(lastCrawlId);
  return crawl !== null && isOpenStatus(crawl.status);
}

/** The options of a crawl that this schedule starts at `now`. */
function optionsOf({ options, modifiedWithinS }: Schedule, now: number): CrawlOptions {
  return modifiedWithinS === null ? options : { ...options, modifiedSince: Math.floor(now / 1000) - modifiedWithinS };
}
