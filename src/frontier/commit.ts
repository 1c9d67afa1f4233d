import { logWarning } from "../core/log.ts";
import { addUsage, shareOf, type Usage } from "../crawl/usage.ts";
import type { Moved } from "../store/ledger.ts";
import { type BatchHook, HookFailure } from "./ask-hook.ts";
import type { Attempt } from "./attempt.ts";
import { boundRows } from "./bound-rows.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";
import { gather } from "./gather.ts";
import { lookAgain } from "./look-again.ts";
import { hintTold } from "./notice-hint.ts";
import { isOpen, obeyLimits } from "./obey-limits.ts";
import { rememberLinks } from "./remember-links.ts";
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
  rememberLinks(
    moved,
    gathered.map(({ commit, links }) => ({ crawl: commit.crawl, links })),
    deps,
  );
  for (const { context, group, commit, fresh } of gathered) {
    const { settled = [], state } = moved.find(({ crawl }) => crawl === commit.crawl) ?? {};
    // A lesson that is lost costs order alone.
    await context.topic
      ?.learn(lessonsOf(group, isOpen(state?.status) ? fresh : [], settled, context.crawl.options.like))
      .catch((error) => logWarning("lessons on a subject were not stored", { error: String(error) }));
  }
  const contexts = new Map(byContext.map(([context]) => [context.crawl.id, context]));
  const obeyed = await Promise.all(moved.map((each) => obeyLimits(each, contexts.get(each.crawl), deps)));
  const settled = await Promise.all(
    obeyed.map(async (each) => {
      const looked = await lookAfter(each, contexts.get(each.crawl), deps);
      const all = [each, ...looked];
      const last = all.pop() ?? each;
      return [...all, await settleAfter(last, deps, hook)];
    }),
  );
  await hintTold(deps);
  return settled.flat();
}

/**
 * Looks again at pages to which the crawl has found a nearer way. The heartbeat makes up for a look that fails, and
 * does all with a hook, for which this batch may have no calls left.
 */
async function lookAfter({ crawl, state }: Moved, context: CrawlContext | undefined, deps: Deps): Promise<Moved[]> {
  if (context === undefined || state?.has_lowered !== 1 || deps.hook !== null) return [];
  if (state.status !== "running" && state.status !== "watching") return [];
  return lookAgain(context, deps, null).catch((error: unknown) => {
    logWarning("links were not looked at again", { crawl, error: String(error) });
    return [];
  });
}

/** Looks at URLs that rules hold back, if nothing else of the crawl is open. */
async function settleAfter(moved: Moved, deps: Deps, hook: BatchHook | null): Promise<Moved> {
  return settleWithheld(moved, deps, hook).catch((error: unknown) => {
    // The heartbeat finds the crawl stalled, and does it again.
    logWarning("URLs that rules hold back were not looked at", { crawl: moved.crawl, error: String(error) });
    return moved;
  });
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

/** The crawl's share of the batch's usage so far, by its URLs, and the unbilled usage of its earlier batches. */
function billOf(crawl: string, attempts: Attempt[], allAttempts: number, used: Usage, { unbilled }: Deps): Usage {
  const bill = shareOf(used, attempts.length / allAttempts);
  addUsage(bill, unbilled.take(crawl));
  const fetched = attempts.filter(({ work, outcome }) => work.kind === "page" && outcome.httpStatus !== null).length;
  addUsage(bill, { cpuMs: fetched * CPU_MS_PER_PAGE });
  return bill;
}
