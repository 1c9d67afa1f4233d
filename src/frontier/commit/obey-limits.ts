import { nextMonthAt } from "../../crawl/bounds/month.ts";
import { costUsd, type Usage } from "../../crawl/bounds/usage.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { isFull } from "../../store/ledger/advance.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import { type PauseDeps, reachedRoom } from "../batch/require-room.ts";
import type { CrawlContext } from "../context.ts";
import type { EarlyEnd } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";

/** What the limits of a crawl demand after a commit. */

export function isOpen(status: string | undefined): boolean {
  return status === "running" || status === "paused" || status === "watching";
}

function earlyEnd(context: CrawlContext): EarlyEnd | null {
  let end: EarlyEnd | null = null;
  for (const { ends } of FEATURES) end ??= ends?.(context) ?? null;
  return end;
}

/**
 * Skips the remaining URLs of a crawl that has all its pages, ends a crawl that a feature ends early, and pauses a
 * crawl that has reached its cost limit or its size limit, or for which the database has no room. The URLs that the
 * batch found are not sent then. A commit clears the reason of a pause, so one that comes after the pause stores it
 * again.
 */
export async function obeyLimits(moved: Moved, context: CrawlContext | undefined, deps: PauseDeps): Promise<Moved> {
  const { crawl, state } = moved;
  if (state === null || context === undefined) return moved;
  const now = deps.clock.now();
  if (isFull(state)) await deps.ledger.retireOverLimit(crawl, now);
  const end = state.status === "running" ? earlyEnd(context) : null;
  if (end !== null) {
    if (await deps.ledger.cancel(crawl, end, now)) await deps.ledger.retireOpen(crawl, now);
    return { ...moved, state: { ...state, status: end } };
  }
  if (!isOpen(state.status)) return moved;
  const reached = reachedLimit(state, context.crawl.options, now) ?? (await reachedRoom(context.crawl, deps));
  if (reached === null) return moved;
  const { why, resumeAt } = reached;
  if (state.status !== "paused" && !(await deps.ledger.pause(crawl, now, { reason: why, resumeAt }))) return moved;
  await deps.ledger.setWaitingFor(crawl, why);
  return { ...moved, state: { ...state, status: "paused" } };
}

/**
 * The limit at which the crawl pauses, for people, and when the heartbeat resumes it; null if it has reached none. The
 * cost of a watch is limited for each month.
 */
export function reachedLimit(
  { usage, month_usage, bytes }: Pick<NonNullable<Moved["state"]>, "usage" | "month_usage" | "bytes">,
  { maxCostUsd, maxBytes, watch }: Pick<CrawlOptions, "maxCostUsd" | "maxBytes" | "watch">,
  now: number,
): { why: string; resumeAt: number | null } | null {
  const costOf = (used: string | null) => (used === null ? 0 : costUsd(JSON.parse(used) as Usage));
  if (maxCostUsd > 0 && costOf(usage) - costOf(month_usage) >= maxCostUsd) {
    const [when, resumeAt] = watch === null ? ["", null] : [" this month", nextMonthAt(now)];
    return { why: `it has cost about ${maxCostUsd} USD${when}, which is its limit`, resumeAt };
  }
  if (maxBytes === 0 || bytes < maxBytes) return null;
  const limit = maxBytes.toLocaleString("en");
  return { why: `it has ${bytes.toLocaleString("en")} bytes, and its limit is ${limit}`, resumeAt: null };
}
