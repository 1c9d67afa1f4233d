import { systemClock } from "../core/clock.ts";
import { logInfo } from "../core/log.ts";
import type { Deps } from "../frontier/deps.ts";
import { dispatch } from "../frontier/message.ts";
import { STALL_AFTER_MS } from "../store/ledger.ts";
import { nextOccurrence } from "./cron.ts";
import { removeDeleted } from "./delete-crawl.ts";
import { settleInstallationBill } from "./installation-bill.ts";
import { cancelCrawl, repairCrawl, startCrawl, sweepCancelled } from "./start.ts";

/**
 * The heartbeat: once a minute it repairs, ends, starts and removes what no batch or request is working on. Every
 * action is idempotent, also when several heartbeats run at the same time.
 */

interface HeartbeatReport {
  /** Stalled crawls that were sent again under a new epoch. */
  repaired: string[];
  /** Crawls that reached their time limit. */
  expired: string[];
  /** Crawls that a schedule started. */
  started: string[];
  /** The number of URLs that were sent after a long wait. */
  due: number;
  /** Crawls whose deletion began because their retention is over. */
  outdated: string[];
  /** Deleted crawls that are completely removed. */
  deleted: string[];
}

/** Rows sent at a time. */
const DUE_PAGE = 1_000;
/** A little longer than the time until the next heartbeat. */
const BEAT_MS = 65_000;

export async function heartbeat(deps: Deps): Promise<HeartbeatReport> {
  const report: HeartbeatReport = { repaired: [], expired: [], started: [], due: 0, outdated: [], deleted: [] };
  const { clock } = deps;
  const startedAt = clock.now();
  const realStart = systemClock.now();
  // Stalls are measured in real time: on a faster clock a batch takes as long as ever.
  const stalledAt = startedAt - STALL_AFTER_MS * (clock.speed - 1);
  const { stalled, expired, unswept } = await deps.ledger.overdue(startedAt, stalledAt);
  for (const id of expired) if (await cancelCrawl(id, "cancelled_due_to_timeout", deps)) report.expired.push(id);
  for (const id of unswept) await sweepCancelled(id, deps);
  for (const id of stalled) if (await repairCrawl(id, deps)) report.repaired.push(id);
  report.due = await sendDue(deps);
  await startDue(deps, report);
  const done = { ...report, ...(await removeDeleted(deps)) };
  await deps.heartbeats.note(done, clock.now());
  await settleInstallationBill(deps);
  logInfo("heartbeat", { ms: systemClock.now() - realStart, ...done });
  return done;
}

/**
 * Sends the rows in the ledger that are due before the next heartbeat. Rows that are marked but not sent stall, and are
 * repaired.
 */
async function sendDue(deps: Deps): Promise<number> {
  for (let sent = 0; ; ) {
    const now = deps.clock.now();
    const rows = await deps.waits.takeDue(now + BEAT_MS, DUE_PAGE);
    await dispatch(
      deps,
      rows.map((row) => ({ ...row, delayMs: Math.max(0, row.dueAt - now) })),
    );
    sent += rows.length;
    if (rows.length < DUE_PAGE) return sent;
  }
}

/**
 * Starts a crawl for each schedule that is due. A schedule is skipped while its last crawl still runs. One crawl makes
 * up for all missed times, because the next time is computed from now.
 */
async function startDue(deps: Deps, report: HeartbeatReport): Promise<void> {
  const now = deps.clock.now();
  for (const { id, cron, options, nextAt: dueAt, busy } of await deps.schedules.due(now)) {
    const nextAt = nextOccurrence(cron, now);
    if (busy) {
      await deps.schedules.skip(id, dueAt, nextAt);
      continue;
    }
    const crawl = await startCrawl(options, deps, { id, dueAt, nextAt });
    if (crawl !== null) report.started.push(crawl);
  }
}
