import type { Moved } from "../store/ledger.ts";
import { isFull } from "../store/ledger-commit.ts";
import type { Attempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { gather } from "./gather.ts";

/**
 * The fifth processor: one D1 transaction for all that the batch has to say. Links pass the seen filter and scope here; what is left
 * goes to the ledger, which decides what is new.
 */
export async function commit(attempts: Attempt[], deps: Deps): Promise<Moved[]> {
  if (attempts.length === 0) return [];
  const byCrawl = Map.groupBy(attempts, ({ work }) => work.row.crawl);
  const gathered = await Promise.all([...byCrawl.values()].map((group) => gather(group, deps)));
  const moved = await deps.ledger.commit(
    gathered.map(({ commit }) => commit),
    deps.clock.now(),
  );
  // Only now does the ledger hold them.
  for (const { commit, links } of gathered) {
    const seen = deps.seen.of(commit.crawl);
    for (const url of links) seen.remember(url);
  }
  for (const { crawl, state } of moved) {
    if (state !== null && isFull(state)) await deps.ledger.retireOverLimit(crawl, deps.clock.now());
  }
  return moved;
}
