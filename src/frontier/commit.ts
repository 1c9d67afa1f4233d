import { logWarning } from "../core/log.ts";
import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { nextMonthAt } from "../crawl/month.ts";
import { TOPIC_EXHAUSTED } from "../crawl/status.ts";
import { addUsage, costUsd, shareOf, type Usage } from "../crawl/usage.ts";
import { isFull } from "../store/advance.ts";
import type { Moved } from "../store/ledger.ts";
import { type BatchHook, HookFailure } from "./ask-hook.ts";
import type { Attempt } from "./attempt.ts";
import { boundRows } from "./bound-rows.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import { gather } from "./gather.ts";
import { hintTold } from "./notice-hint.ts";
import { settleWithheld } from "./settle-withheld.ts";
import { lessonsOf } from "./topic-lessons.ts";
import type { WrittenPack } from "./write-packs.ts";

/**
 * CPU time of a page of 17 KB with a hundred links, as measured for docs/cost.md. A Worker cannot read its own CPU
 * time.
 */
const CPU_MS_PER_PAGE = 5;

/**
 * The fifth stage: one D1 transaction for all crawls of the batch. Links pass the seen filter and scope here; the
 * ledger decides which of them are new. Returns what that transaction settled and set in motion. Throws HookFailure.
 */
export async function commit(
  attempts: Attempt[],
  packs: WrittenPack[],
  deps: Deps,
  hook: BatchHook | null = null,
): Promise<Moved[]> {
  const byContext = [...Map.groupBy(attempts, ({ work }) => work.context)];
  const gathered = await Promise.all(
    byContext.map(async ([context, group]) => ({ context, group, ...(await gather(context, group, deps, hook)) })),
  );
  if (gathered.length === 0) return [];
  const used = deps.meter.take();
  const moved = await deps.ledger.commit(
    gathered.map(({ group, commit }) => ({
      ...commit,
      packs: packs.filter(({ crawl }) => crawl === commit.crawl),
      usage: billOf(commit.crawl, group, attempts.length, used, deps),
    })),
    deps.clock.now(),
  );
  // The ledger has the links only after the commit. A crawl that has ended accepted none.
  const open = new Set(moved.filter(({ state }) => isOpen(state?.status)).map(({ crawl }) => crawl));
  for (const { commit, links } of gathered) {
    if (!open.has(commit.crawl)) continue;
    const seen = deps.seen.of(commit.crawl);
    for (const url of links) seen.remember(url);
  }
  for (const { context, group, commit } of gathered) {
    const settled = moved.find(({ crawl }) => crawl === commit.crawl)?.settled ?? [];
    // A lesson that is lost costs order alone.
    await context.topic
      ?.learn(lessonsOf(group, open.has(commit.crawl) ? commit.discoveries : [], settled, context.crawl.options.like))
      .catch((error) => logWarning("lessons on a subject were not stored", { error: String(error) }));
  }
  const contexts = new Map(byContext.map(([context]) => [context.crawl.id, context]));
  const obeyed = await Promise.all(moved.map((each) => obeyLimits(each, contexts.get(each.crawl), deps)));
  const settled = await Promise.all(
    obeyed.map((each) =>
      settleWithheld(each, deps, hook).catch((error: unknown) => {
        // The heartbeat finds the crawl stalled, and does it again.
        logWarning("URLs that rules hold back were not looked at", { crawl: each.crawl, error: String(error) });
        return each;
      }),
    ),
  );
  await hintTold(deps);
  return settled;
}

/**
 * Like `commit`. Pages that bring too much for a row end. Pages on which the hook fails come again, or end; the
 * returned attempts are without them.
 */
export async function commitAsked(
  attempts: Attempt[],
  packs: WrittenPack[],
  deps: Deps,
  hook: BatchHook | null,
): Promise<{ attempts: Attempt[]; moved: Moved[] }> {
  const bounded = await boundRows(attempts, deps);
  try {
    return { attempts: bounded, moved: await commit(bounded, packs, deps, hook) };
  } catch (error) {
    if (!(error instanceof HookFailure) || hook === null || error.works.length === 0) throw error;
    // An attempt that ended has no links, so the hook is asked about fewer pages each time.
    return commitAsked(await hook.withoutFailed(bounded, error), packs, deps, hook);
  }
}

function isOpen(status: string | undefined): boolean {
  return status === "running" || status === "paused" || status === "watching";
}

/** The crawl's share of the batch's usage so far, by its URLs, and the unbilled usage of its earlier batches. */
function billOf(crawl: string, attempts: Attempt[], allAttempts: number, used: Usage, { unbilled }: Deps): Usage {
  const bill = shareOf(used, attempts.length / allAttempts);
  addUsage(bill, unbilled.take(crawl));
  const fetched = attempts.filter(({ work, outcome }) => work.kind === "page" && outcome.httpStatus !== null).length;
  addUsage(bill, { cpuMs: fetched * CPU_MS_PER_PAGE });
  return bill;
}

/**
 * Skips the remaining URLs of a crawl that has all its pages, ends a crawl that finds too few relevant pages, and
 * pauses a crawl that has reached its cost limit or its size limit. The URLs that the batch found are not sent then. A
 * commit clears the reason of a pause, so one that comes after the pause stores it again.
 */
async function obeyLimits(moved: Moved, context: CrawlContext | undefined, deps: Deps): Promise<Moved> {
  const { crawl, state } = moved;
  if (state === null || context === undefined) return moved;
  const now = deps.clock.now();
  if (isFull(state)) await deps.ledger.retireOverLimit(crawl, now);
  if (context.topic?.isExhausted === true && state.status === "running") {
    if (await deps.ledger.cancel(crawl, TOPIC_EXHAUSTED, now)) await deps.ledger.retireOpen(crawl, now);
    return { ...moved, state: { ...state, status: TOPIC_EXHAUSTED } };
  }
  const reached = reachedLimit(state, context.crawl.options, now);
  if (reached === null || !isOpen(state.status)) return moved;
  const { why, resumeAt } = reached;
  if (state.status !== "paused" && !(await deps.ledger.pause(crawl, now, { reason: why, resumeAt }))) return moved;
  await deps.ledger.setWaitingFor(crawl, why);
  return { ...moved, state: { ...state, status: "paused" } };
}

/**
 * The limit at which the crawl pauses, for people, and when the heartbeat resumes it; null if it has reached none. The
 * cost of a watch is limited for each month.
 */
function reachedLimit(
  { usage, month_usage, bytes }: NonNullable<Moved["state"]>,
  { maxCostUsd, maxBytes, watch }: CrawlOptions,
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
