import type { Discovery } from "../crawl/crawl.ts";
import { decideScope } from "../scope/scope.ts";
import type { Moved } from "../store/ledger.ts";
import type { CrawlCommit, PageRefusals } from "../store/ledger-commit.ts";
import type { Attempt } from "./attempt.ts";
import type { CrawlContext } from "./context.ts";
import type { Deps } from "./deps.ts";

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
    const full = state !== null && state.status === "running" && state.completed >= state.page_limit;
    if (full && state.queued === 0 && state.pending > 0) await deps.ledger.retireOverLimit(crawl, deps.clock.now());
  }
  return moved;
}

const EXAMPLES = 3;

/** What one crawl's attempts have to say, and the links that will be in the ledger once it is said. */
async function gather(attempts: Attempt[], deps: Deps): Promise<{ commit: CrawlCommit; links: Iterable<string> }> {
  const [{ work } = never()] = attempts;
  const { context } = work;
  const crawl = context.crawl.id;
  const seen = deps.seen.of(crawl);
  const found = new Map<string, Discovery>();
  const refusals: PageRefusals[] = [];
  const joinedHosts = new Set<string>();

  for (const attempt of attempts) {
    const { row } = attempt.work;
    if (attempt.redirect !== null) followRedirect(attempt, attempt.redirect, context, found, joinedHosts);
    const refused = new Map<string, PageRefusals>();
    for (const url of attempt.links) {
      if (seen.isRecent(url)) continue;
      const decision = decideScope(context.scope, url, row.depth + 1);
      if (decision.accept) {
        add(found, { url, via: row.url, depth: row.depth + 1, priority: context.priorityOf(url), redirects: 0 });
        continue;
      }
      const entry = refused.get(decision.reason) ?? { page: row.url, reason: decision.reason, count: 0, examples: [] };
      entry.count += 1;
      if (entry.examples.length < EXAMPLES) entry.examples.push(url);
      refused.set(decision.reason, entry);
    }
    refusals.push(...refused.values());
  }

  const maybe = [...found.keys()].filter((url) => seen.ask(url) === "maybe");
  const unknown = maybe.length > 0 ? await deps.ledger.unknown(crawl, maybe) : new Set<string>();
  const known = new Set(maybe.filter((url) => !unknown.has(url)));
  return {
    commit: {
      crawl,
      outcomes: attempts.map(({ outcome }) => outcome),
      discoveries: [...found.values()].filter(({ url }) => !known.has(url)),
      refusals,
      joinedHosts: [...joinedHosts],
    },
    links: found.keys(),
  };
}

/** A redirect's target goes through scope like any link, at its origin's depth. Where a seed leads to another host, that host joins. */
function followRedirect(
  { work: { row }, outcome }: Attempt,
  target: string,
  context: CrawlContext,
  found: Map<string, Discovery>,
  joinedHosts: Set<string>,
): void {
  const decision = decideScope(context.scope, target, row.depth);
  const joins = !decision.accept && decision.reason === "off-host" && row.depth === 0;
  if (!decision.accept && !joins) {
    outcome.detail = `${outcome.detail}, which scope refuses: ${decision.detail}`;
    return;
  }
  if (joins) joinedHosts.add(new URL(target).host);
  const { url, depth } = row;
  add(found, { url: target, via: url, depth, priority: context.priorityOf(target), redirects: row.redirects + 1 });
}

/** Found twice in a batch, a URL keeps the shorter way to it. */
function add(found: Map<string, Discovery>, discovery: Discovery): void {
  const known = found.get(discovery.url);
  if (known === undefined || discovery.depth < known.depth) found.set(discovery.url, discovery);
}

function never(): never {
  throw new Error("a crawl without attempts");
}
