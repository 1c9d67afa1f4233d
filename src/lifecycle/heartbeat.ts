import { logInfo } from "../core/log.ts";
import type { Deps } from "../frontier/deps.ts";
import { dispatch } from "../frontier/message.ts";
import { nextOccurrence } from "./cron.ts";
import { removeDeleted } from "./delete-crawl.ts";
import { settleInstallationBill } from "./installation-bill.ts";
import { cancelCrawl, repairCrawl, startCrawl, sweepCancelled } from "./start.ts";

/**
 * The heartbeat: once a minute it looks after what nobody else is working on. Each of its deeds may be repeated, by itself or by
 * another heartbeat at the same time, without doing more.
 */

export interface HeartbeatReport {
  /** Crawls that had stopped moving and were sent again under a new epoch. */
  repaired: string[];
  /** Crawls that reached their time limit. */
  expired: string[];
  /** Crawls that a schedule started. */
  started: string[];
  /** URLs whose long wait is over, and that were sent. */
  due: number;
  /** Crawls whose retention was over, and whose deletion began. */
  outdated: string[];
  /** Deleted crawls of which nothing is left. */
  deleted: string[];
}

/** Rows sent at a time. */
const DUE_PAGE = 1_000;
/** Until the next heartbeat, and a little over. */
const BEAT_MS = 65_000;

export async function heartbeat(deps: Deps): Promise<HeartbeatReport> {
  const report: HeartbeatReport = { repaired: [], expired: [], started: [], due: 0, outdated: [], deleted: [] };
  const startedAt = deps.clock.now();
  const { stalled, expired, unswept } = await deps.ledger.overdue(startedAt);
  for (const id of expired) if (await cancelCrawl(id, "cancelled_due_to_timeout", deps)) report.expired.push(id);
  for (const id of unswept) await sweepCancelled(id, deps);
  for (const id of stalled) if (await repairCrawl(id, deps)) report.repaired.push(id);
  report.due = await sendDue(deps);
  await startDue(deps, report);
  const done = { ...report, ...(await removeDeleted(deps)) };
  await deps.heartbeats.note(done, deps.clock.now());
  await settleInstallationBill(deps);
  logInfo("heartbeat", { ms: deps.clock.now() - startedAt, ...done });
  return done;
}

/** Sends what waits in the ledger and is due before the next heartbeat. What is taken and not sent stalls, and is repaired. */
async function sendDue({ clock, waits, frontier }: Deps): Promise<number> {
  for (let sent = 0; ; ) {
    const now = clock.now();
    const rows = await waits.takeDue(now + BEAT_MS, DUE_PAGE);
    await dispatch(
      frontier,
      rows.map((row) => ({ ...row, delayMs: Math.max(0, row.dueAt - now) })),
    );
    sent += rows.length;
    if (rows.length < DUE_PAGE) return sent;
  }
}

/**
 * Starts what is due. A schedule whose last crawl still runs lets its turn pass; turns missed while nobody asked are caught up by one
 * crawl, for the next turn is reckoned from now.
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
