import type { Crawl } from "../../crawl/crawl.ts";
import type { Change } from "../../crawl/watch/watch.ts";
import { MONITOR_STATUSES, type MonitorStatus } from "../../notices/firecrawl-notice.ts";
import type { TimeSpan } from "../../store/watches/changes.ts";
import type { MonitorDeps } from "./needs.ts";

/**
 * The checks of a monitor. A watch spreads its visits over its interval, so a check is a time: the first crawl, then
 * one mean interval after the other. A visit of all pages that somebody asks for begins a check of its own.
 */

export interface Check extends TimeSpan {
  trigger: "scheduled" | "manual";
  status: "running" | "completed";
}

export type PageStatus = MonitorStatus | "same" | "error";

/** A crawl with more URLs is not looked through for pages that were not visited yet. */
const MOST_LOOKED_AT = 20_000;

/** Where the intervals are counted from: the end of the first crawl, or a visit of all pages. */
function baseOf({ watchingSince, visitsAskedAt }: Crawl, at: number): number | null {
  return visitsAskedAt !== null && visitsAskedAt <= at ? visitsAskedAt : watchingSince;
}

/** When the check ends that is under way at this time: milliseconds since the epoch. */
function endOf(crawl: Crawl, at: number): number {
  const { watchingSince, visitsAskedAt } = crawl;
  const base = baseOf(crawl, at);
  if (base === null || watchingSince === null) return Number.MAX_SAFE_INTEGER;
  if (at < watchingSince) return watchingSince;
  const end = base + (Math.floor((at - base) / everyMsOf(crawl)) + 1) * everyMsOf(crawl);
  return visitsAskedAt !== null && visitsAskedAt > at ? Math.min(visitsAskedAt, end) : end;
}

function startOf(crawl: Crawl, at: number): number {
  const { createdAt, watchingSince } = crawl;
  const base = baseOf(crawl, at);
  if (base === null || watchingSince === null || at < watchingSince) return createdAt;
  return base + Math.floor((at - base) / everyMsOf(crawl)) * everyMsOf(crawl);
}

function everyMsOf({ options }: Crawl): number {
  return (options.watch?.everyS ?? 1) * 1_000;
}

/** The checks that have begun, the newest first: `limit` of them without the first `offset`. */
export async function listChecks(
  crawl: Crawl,
  { limit, offset }: { limit: number; offset: number },
  deps: MonitorDeps,
): Promise<Check[]> {
  const checks: Check[] = [];
  let from = startOf(crawl, deps.clock.now());
  for (let n = 0; n < offset + limit; n++) {
    if (n >= offset) checks.push(await checkAt(crawl, from, deps));
    if (from <= crawl.createdAt) break;
    from = startOf(crawl, from - 1);
  }
  return checks;
}

/** The check that is under way. */
export function currentCheck(crawl: Crawl, deps: MonitorDeps): Promise<Check> {
  return checkAt(crawl, startOf(crawl, deps.clock.now()), deps);
}

/** The check with this id; null if there is none. */
export async function findCheck(crawl: Crawl, id: string, deps: MonitorDeps): Promise<Check | null> {
  const from = Number(id);
  return /^\d{1,15}$/.test(id) && from >= crawl.createdAt && from <= deps.clock.now()
    ? checkAt(crawl, from, deps)
    : null;
}

async function checkAt(crawl: Crawl, from: number, deps: MonitorDeps): Promise<Check> {
  const until = endOf(crawl, from);
  const isManual = from === crawl.visitsAskedAt;
  const isOver = until <= deps.clock.now();
  const isDone =
    isOver ||
    (isManual && crawl.counters.discovered <= MOST_LOOKED_AT && (await deps.dueVisits.areVisitedSince(crawl.id, from)));
  return { from, until, trigger: isManual ? "manual" : "scheduled", status: isDone ? "completed" : "running" };
}

/** Whether it is the first crawl, which tells no changes: all that it stores is new. */
export function isFirst({ createdAt }: Crawl, { from }: TimeSpan): boolean {
  return from <= createdAt;
}

/** What the check told of each page: its last change. */
export async function changesOf(crawl: Crawl, check: Check, deps: MonitorDeps): Promise<Map<string, Change>> {
  return new Map((await deps.changes.between(crawl, check)).map((change) => [change.url, change]));
}

export function statusOfChange({ kind }: Change): MonitorStatus {
  return MONITOR_STATUSES[kind];
}

export interface CheckSummary extends Record<PageStatus, number> {
  totalPages: number;
}

/** How pages were before is known by what was told alone, so failing pages count in the newest check only. */
export async function summarize(crawl: Crawl, check: Check, deps: MonitorDeps): Promise<CheckSummary> {
  const { counters, assets } = crawl;
  const completed = counters.completed - assets.completed;
  const told = { new: 0, changed: 0, removed: 0 };
  for (const change of (await changesOf(crawl, check, deps)).values()) told[statusOfChange(change)] += 1;
  if (isFirst(crawl, check)) told.new = completed;
  const error = check.until > deps.clock.now() ? counters.errored : 0;
  const same = Math.max(0, completed - told.new - told.changed);
  return { totalPages: same + told.new + told.changed + told.removed + error, same, ...told, error };
}
