import { logError } from "../core/log.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Pass } from "../crawl/pass.ts";
import { costUsd } from "../crawl/usage.ts";
import type { Deps } from "../frontier/deps.ts";
import { orderOf, reviveIfLost } from "./mend-passes.ts";
import { countIndexed, reindexUsd } from "./reindex-search.ts";

/** Begins passes. */

/** Per row, in US dollars: what a first pass costs at most. A later one writes few ranks, and costs a tenth. */
const FIRST_USD_PER_ROW = 1.1e-6;
const LATER_USD_PER_ROW = 0.1e-6;

const NO_SEARCH = "it has no search index. A crawl has one with --search";

type StartedPass =
  | { kind: "started" | "already-running"; pass: Pass }
  /** `why`: for people. */
  | { kind: "refused"; why: string };

/**
 * Begins a pass over a crawl, unless one is running: then that one goes on. A crawl that runs is refused, because
 * a pass over half of a site finds faults that are none. A paused crawl and a watch are analyzed as they are.
 * `checkExternal`: whether it asks for linked URLs of other sites; without it, as the last completed pass did.
 * `reindex`: whether it leaves repeated text out of the search index; this time alone, because that costs money.
 */
export async function startPass(
  crawl: Crawl,
  deps: Deps,
  { checkExternal, reindex = false }: { checkExternal?: boolean | undefined; reindex?: boolean | undefined } = {},
): Promise<StartedPass> {
  const { passes, passRuns, clock, boot } = deps;
  const known = await passes.list(crawl.id);
  const running = known.find(({ status }) => status === "running");
  if (running !== undefined) return joinPass(running, deps);
  if (crawl.status === "running") return { kind: "refused", why: "it is still running" };
  if (reindex && !crawl.options.search) return { kind: "refused", why: NO_SEARCH };
  const { maxCostUsd } = crawl.options;
  const cost = costUsd(crawl.usage) - costUsd(crawl.usageBeforeMonth);
  const last = known.find(({ status }) => status === "completed");
  const isFirst = last === undefined;
  const reindexPrice = reindex ? reindexUsd(countIndexed(crawl)) : 0;
  const price = crawl.counters.discovered * (isFirst ? FIRST_USD_PER_ROW : LATER_USD_PER_ROW) + reindexPrice;
  if (maxCostUsd > 0 && cost + price > maxCostUsd) {
    const why = `the pass may cost ${price.toFixed(6)} USD, and the crawl has cost about ${cost.toFixed(6)} of its limit of ${maxCostUsd} USD`;
    return { kind: "refused", why };
  }
  const id = crypto.randomUUID();
  const pass = await passes.begin(crawl.id, id, clock.now(), boot, {
    checkExternal: checkExternal ?? last?.checkExternal ?? false,
    reindex,
  });
  if (pass === null) return { kind: "refused", why: "it began to run, or is being deleted" };
  if (pass.id !== id) return joinPass(pass, deps);
  try {
    await passRuns.create({ id, params: orderOf(pass) });
  } catch (error) {
    logError("pass-not-started", error, { crawl: crawl.id });
    const why = `Workflows did not start the pass: ${error instanceof Error ? error.message : String(error)}`;
    await passes.fail(pass, why, clock.now());
    return { kind: "refused", why };
  }
  return { kind: "started", pass };
}

async function joinPass(pass: Pass, deps: Deps): Promise<StartedPass> {
  await reviveIfLost(pass, deps);
  return { kind: "already-running", pass };
}

/** A watch that was analyzed before is analyzed again this long after the last time, if pages changed. */
const DAY_MS = 86_400_000;

/** The watches to analyze again now. */
export async function findDuePasses({ passes, clock }: Pick<Deps, "passes" | "clock">): Promise<string[]> {
  return passes.dueWatches(clock.now() - DAY_MS);
}

/** False if it was refused, such as by the cost limit; the next heartbeat asks again. */
export async function startDuePass(id: string, deps: Deps): Promise<boolean> {
  const crawl = await deps.ledger.crawl(id);
  return crawl !== null && (await startPass(crawl, deps)).kind === "started";
}
