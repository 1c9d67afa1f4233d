import type { CrawlOptions } from "../crawl/crawl-options.ts";
import { addUsage, costUsd, shareOf, type Usage } from "../crawl/usage.ts";
import type { Moved } from "../store/ledger.ts";
import { type CommitState, isFull } from "../store/ledger-commit.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { gather } from "./gather.ts";
import type { WrittenPack } from "./write-packs.ts";

/** No Worker can read its own CPU time: what a page of 17 KB with a hundred links took where it was measured (docs/cost.md). */
const CPU_MS_PER_PAGE = 5;

/**
 * The fifth processor: one D1 transaction for all that the batch has to say. Links pass the seen filter and scope here; what is left
 * goes to the ledger, which decides what is new.
 */
export async function commit(attempts: Attempt[], packs: WrittenPack[], deps: Deps): Promise<Moved[]> {
  if (attempts.length === 0) return [];
  const byCrawl = Map.groupBy(attempts, ({ work }) => work.row.crawl);
  const gathered = await Promise.all([...byCrawl.values()].map((group) => gather(group, deps)));
  const used = deps.meter.take();
  for (const { commit } of gathered) {
    const fetched = commit.outcomes.filter(({ httpStatus }) => httpStatus !== null).length;
    const group = byCrawl.get(commit.crawl) ?? [];
    commit.packs = packs.filter(({ crawl }) => crawl === commit.crawl);
    commit.usage = shareOf(used, group.length / attempts.length);
    addUsage(commit.usage, { cpuMs: fetched * CPU_MS_PER_PAGE });
  }
  const moved = await deps.ledger.commit(
    gathered.map(({ commit }) => commit),
    deps.clock.now(),
  );
  const stillOpen = new Set(
    moved.flatMap(({ crawl, state }) => (state?.status === "running" || state?.status === "paused" ? [crawl] : [])),
  );
  // Only now does the ledger hold them; a crawl that has ended took none.
  for (const { commit, links } of gathered) {
    if (!stillOpen.has(commit.crawl)) continue;
    const seen = deps.seen.of(commit.crawl);
    for (const url of links) seen.remember(url);
  }
  for (const { crawl, state } of moved) {
    if (state !== null && isFull(state)) await deps.ledger.retireOverLimit(crawl, deps.clock.now());
    const options = byCrawl.get(crawl)?.[0]?.work.context.crawl.options;
    if (state?.status === "running" && options !== undefined) await holdCost(crawl, state, options, deps);
  }
  return moved;
}

/** Pauses a crawl that has cost what it may; what this batch found is not sent then. */
async function holdCost(crawl: string, state: CommitState, { maxCostUsd }: CrawlOptions, deps: Deps): Promise<void> {
  if (maxCostUsd === 0 || costUsd(JSON.parse(state.usage) as Usage) < maxCostUsd) return;
  if (!(await deps.ledger.pause(crawl, deps.clock.now()))) return;
  state.status = "paused";
  await deps.ledger.setWaitingFor(crawl, `it has cost about ${maxCostUsd} USD, which is its limit`);
}
