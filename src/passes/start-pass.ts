import { DAY_MS } from "../core/clock.ts";
import { logError } from "../core/log.ts";
import { describeRoom, levelOf } from "../crawl/bounds/database-room.ts";
import { costUsd } from "../crawl/bounds/usage.ts";
import type { Crawl } from "../crawl/crawl.ts";
import type { Pass, PassKind } from "../crawl/report/pass.ts";
import { readRoom } from "../frontier/batch/require-room.ts";
import type { Store } from "../store/store.ts";
import { MAX_PASS_ROWS, TOO_MANY_ROWS } from "./list-rows.ts";
import { orderOf, reviveIfLost } from "./mend-passes.ts";
import type { ReviveDeps, StartPassDeps } from "./needs.ts";
import type { PassOrder } from "./pass-run.ts";
import { countIndexed, reindexUsd } from "./text/reindex-search.ts";

/** Begins passes. */

/** Per row, in US dollars: what a first pass costs at most. A later one writes few ranks, and costs a tenth. */
const FIRST_USD_PER_ROW = 1.1e-6;
const LATER_USD_PER_ROW = 0.1e-6;

const NO_SEARCH = "it has no search index. A crawl has one with --search";

export type StartedPass =
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
  deps: StartPassDeps,
  { checkExternal, reindex = false }: { checkExternal?: boolean | undefined; reindex?: boolean | undefined } = {},
): Promise<StartedPass> {
  if (reindex && !crawl.options.search && crawl.status !== "running") return { kind: "refused", why: NO_SEARCH };
  const last = await deps.passes.lastCompleted(crawl.id);
  const isFirst = last === undefined;
  const reindexPrice = reindex ? reindexUsd(countIndexed(crawl)) : 0;
  const usd = crawl.counters.discovered * (isFirst ? FIRST_USD_PER_ROW : LATER_USD_PER_ROW) + reindexPrice;
  const options = { checkExternal: checkExternal ?? last?.checkExternal ?? false, reindex };
  return beginPass(crawl, deps, { kind: "analyze", usd, options });
}

interface PassPlan {
  kind: PassKind;
  /** What it costs at most, in US dollars. */
  usd: number;
  options?: Pick<Pass, "checkExternal" | "reindex">;
  /** Writes what its steps need, before the first of them. */
  prepare?: (pass: PassOrder) => Promise<void>;
}

/** Begins a pass of any kind, or makes the one of this kind go on that runs. */
export async function beginPass(
  crawl: Crawl,
  deps: StartPassDeps,
  { kind, usd, options, prepare }: PassPlan,
): Promise<StartedPass> {
  const { passes, passRuns, clock, boot } = deps;
  const running = (await passes.list(crawl.id)).find(({ status }) => status === "running");
  if (running !== undefined) return joinPass(running, kind, deps);
  if (crawl.status === "running") return { kind: "refused", why: "it is still running" };
  const isListing = kind !== "export" && kind !== "extract";
  if (isListing && crawl.counters.discovered > MAX_PASS_ROWS) return { kind: "refused", why: TOO_MANY_ROWS };
  const room = await readRoom(deps);
  if (levelOf(room) === "full")
    return { kind: "refused", why: `the database has ${describeRoom(room)}: delete crawls` };
  const { maxCostUsd } = crawl.options;
  const cost = costUsd(crawl.usage) - costUsd(crawl.usageBeforeMonth);
  if (maxCostUsd > 0 && cost + usd > maxCostUsd) {
    const why = `the pass may cost ${usd.toFixed(6)} USD, and the crawl has cost about ${cost.toFixed(6)} of its limit of ${maxCostUsd} USD`;
    return { kind: "refused", why };
  }
  const id = crypto.randomUUID();
  const pass = await passes.begin(crawl.id, id, clock.now(), boot, { kind, ...options });
  if (pass === null) return { kind: "refused", why: "it began to run, or is being deleted" };
  if (pass.id !== id) return joinPass(pass, kind, deps);
  try {
    await prepare?.(pass);
    await passRuns.create({ id, params: orderOf(pass) });
  } catch (error) {
    logError("pass-not-started", error, { crawl: crawl.id });
    const why = `Workflows did not start the pass: ${error instanceof Error ? error.message : String(error)}`;
    await passes.fail(pass, why, clock.now());
    return { kind: "refused", why };
  }
  return { kind: "started", pass };
}

const NAMES: Record<PassKind, string> = {
  analyze: "an analysis",
  classify: "a classification",
  topics: "a search for topics",
  export: "an export",
  extract: "an extraction",
};

async function joinPass(pass: Pass, kind: PassKind, deps: ReviveDeps): Promise<StartedPass> {
  await reviveIfLost(pass, deps);
  if (pass.kind === kind) return { kind: "already-running", pass };
  return { kind: "refused", why: `${NAMES[pass.kind]} of it is running. Try again when it has ended` };
}

/** A watch that was analyzed before is analyzed again this long after the last time, if pages changed. */

/** The watches to analyze again now. */
export async function findDuePasses({ passes, clock }: Pick<StartPassDeps, "passes" | "clock">): Promise<string[]> {
  return passes.dueWatches(clock.now() - DAY_MS);
}

/** False if it was refused, such as by the cost limit; the next heartbeat asks again. */
export async function startDuePass(id: string, deps: StartPassDeps & Pick<Store, "ledger">): Promise<boolean> {
  const crawl = await deps.ledger.crawl(id);
  return crawl !== null && (await startPass(crawl, deps)).kind === "started";
}
