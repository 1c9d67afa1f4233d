import { logWarning } from "../../core/log.ts";
import { addUsage, shareOf } from "../../crawl/bounds/usage.ts";
import { isOverHostLimit } from "../../store/ledger/host-pages.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import type { Attempt } from "../attempt.ts";
import type { CrawlContext } from "../context.ts";
import type { Recommit } from "../features/feature.ts";
import { FEATURES } from "../features/list.ts";
import { type BatchHook, HookFailure } from "../hook/ask-hook.ts";
import type { CommitDeps } from "../needs.ts";
import { tellParts } from "../shards/tell-parts.ts";
import { hintTold } from "../visits/notice-hint.ts";
import { boundRows } from "./bound-rows.ts";
import { gather } from "./gather.ts";
import { lookAgain } from "./look-again.ts";
import { isOpen, obeyLimits } from "./obey-limits.ts";
import { rememberLinks } from "./remember-links.ts";
import { releaseQuickened, settleWithheld } from "./settle-withheld.ts";
import type { WrittenPack } from "./write-packs.ts";

/**
 * CPU time of a page of 17 KB with a hundred links, as measured for docs/cost.md. A Worker cannot read its own CPU
 * time.
 */
const CPU_MS_PER_PAGE = 5;
/**
 * Commits that the ledger may refuse one after the other because of a feature. Each loses a place to another consumer.
 */
const MAX_LOST_RACES = 8;

/**
 * The fifth stage: one D1 transaction for all crawls of the batch. Links pass the seen filter and scope here; the
 * ledger decides which of them are new. Returns what that transaction settled and set in motion. Throws HookFailure,
 * and the ledger's error if a host would have too many pages (isOverHostLimit).
 */
export async function commit(
  attempts: Attempt[],
  packs: WrittenPack[],
  deps: CommitDeps,
  hook: BatchHook | null = null,
): Promise<Moved[]> {
  const byContext = [...Map.groupBy(attempts, ({ work }) => work.context)];
  const gathered = await Promise.all(
    byContext.map(async ([context, group]) => ({ context, group, ...(await gather(context, group, deps, hook)) })),
  );
  if (gathered.length === 0) return [];
  const used = deps.meter.take();
  // What each crawl owes: its share of the batch's usage so far, by its URLs, and of earlier batches what is unbilled.
  const bills = gathered.map(({ group, commit: { crawl } }) => {
    const usage = shareOf(used, group.length / attempts.length);
    addUsage(usage, deps.unbilled.take(crawl));
    return { crawl, usage };
  });
  const commits = gathered.map(({ group, commit }, i) => {
    const usage = { ...bills[i]?.usage };
    addUsage(usage, { cpuMs: fetchedPages(group) * CPU_MS_PER_PAGE });
    return { ...commit, packs: packs.filter(({ crawl }) => crawl === commit.crawl), usage };
  });
  const moved = await deps.ledger.commit(commits, deps.clock.now()).catch((error: unknown) => {
    if (isOverHostLimit(error)) for (const { crawl, usage } of bills) deps.unbilled.giveBack(crawl, usage);
    throw error;
  });
  rememberLinks(
    moved,
    gathered.map(({ commit, links }) => ({ crawl: commit.crawl, links })),
    deps,
  );
  for (const { context, group, commit, fresh } of gathered) {
    const { settled = [], state } = moved.find(({ crawl }) => crawl === commit.crawl) ?? {};
    const discoveries = isOpen(state?.status) ? fresh : [];
    for (const { committed } of FEATURES) await committed?.({ context, attempts: group, discoveries, settled });
  }
  const contexts = new Map(byContext.map(([context]) => [context.crawl.id, context]));
  const obeyed = await Promise.all(moved.map((each) => obeyLimits(each, contexts.get(each.crawl), deps)));
  const settled = await Promise.all(
    obeyed.map(async (each) => {
      const looked = await lookAfter(each, contexts.get(each.crawl), deps);
      const all = [each, ...looked, ...(await quickenAfter(each, deps))];
      const last = all.pop() ?? each;
      return [...all, await settleAfter(last, deps, hook)];
    }),
  );
  for (const all of settled) {
    const context = contexts.get(all[0]?.crawl ?? "");
    if (context !== undefined) await tellParts(all, context.crawl, deps);
  }
  await hintTold(deps);
  return settled.flat();
}

/**
 * Looks again at pages to which the crawl has found a nearer way. The heartbeat makes up for a look that fails, and
 * does all with a hook, for which this batch may have no calls left.
 */
async function lookAfter(
  { crawl, state }: Moved,
  context: CrawlContext | undefined,
  deps: CommitDeps,
): Promise<Moved[]> {
  if (context === undefined || state?.has_lowered !== 1 || deps.hook !== null) return [];
  if (state.status !== "running" && state.status !== "watching") return [];
  return lookAgain(context, deps, null).catch((error: unknown) => {
    logWarning("links-not-looked-at-again", { crawl, error: String(error) });
    return [];
  });
}

/** Releases what groups of URLs hold back that are slowed no more. */
async function quickenAfter(moved: Moved, deps: CommitDeps): Promise<Moved[]> {
  const released = await releaseQuickened(moved, deps).catch((error: unknown) => {
    // The look at the end of the crawl does it again.
    logWarning("held-urls-not-released", { crawl: moved.crawl, error: String(error) });
    return null;
  });
  return released === null ? [] : [released];
}

/** Looks at URLs that rules hold back, if nothing else of the crawl is open. */
async function settleAfter(moved: Moved, deps: CommitDeps, hook: BatchHook | null): Promise<Moved> {
  return settleWithheld(moved, deps, hook).catch((error: unknown) => {
    // The heartbeat finds the crawl stalled, and does it again.
    logWarning("held-urls-not-looked-at", { crawl: moved.crawl, error: String(error) });
    return moved;
  });
}

/**
 * Like `commit`. Pages that bring too much for a row end, and so do those for which their host has no room. Pages on
 * which the hook fails come again, or end; the returned attempts are without them. `racesLeft`: how often the ledger
 * may still refuse the commit because of a feature.
 */
export async function commitAsked(
  attempts: Attempt[],
  packs: WrittenPack[],
  deps: CommitDeps,
  hook: BatchHook | null,
  racesLeft = MAX_LOST_RACES,
): Promise<{ attempts: Attempt[]; moved: Moved[] }> {
  const bounded = await boundRows(attempts, deps);
  try {
    return { attempts: bounded, moved: await commit(bounded, packs, deps, hook) };
  } catch (error) {
    const within = racesLeft > 0 ? await recommit(error, bounded, deps) : null;
    if (within !== null) {
      const done = await commitAsked(within.attempts, packs, deps, hook, racesLeft - 1);
      await within.afterwards();
      return done;
    }
    if (!(error instanceof HookFailure) || hook === null || error.works.length === 0) throw error;
    // An attempt that ended has no links, so the hook is asked about fewer pages each time.
    return commitAsked(await hook.withoutFailed(bounded, error), packs, deps, hook, racesLeft);
  }
}

/** A commit that the ledger refused because of a feature, without what it refused. Null for another reason. */
async function recommit(error: unknown, attempts: readonly Attempt[], deps: CommitDeps): Promise<Recommit | null> {
  for (const feature of FEATURES) {
    const left = (await feature.recommit?.(error, attempts, deps)) ?? null;
    if (left !== null) return left;
  }
  return null;
}

function fetchedPages(attempts: readonly Attempt[]): number {
  return attempts.filter(({ work, outcome }) => work.kind === "page" && outcome.httpStatus !== null).length;
}
