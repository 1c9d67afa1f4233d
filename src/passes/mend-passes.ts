import { MINUTE_MS } from "../core/clock.ts";
import type { Pass } from "../crawl/report/pass.ts";
import type { PassRuns, ReviveDeps } from "./needs.ts";
import type { PassOrder } from "./pass-run.ts";

/** Passes that stand still go on, and those whose instance is lost begin again. */

/**
 * Real time, longer than a step and the longest wait before it is tried again (pass-workflow.ts): five minutes and
 * twenty seconds, after up to ten minutes.
 */
const STOOD_STILL_MS = 20 * MINUTE_MS;

/** What an instance is told. */
export function orderOf({ crawl, id, kind, checkExternal, reindex }: Pass): PassOrder {
  return { crawl, id, kind, checkExternal, reindex };
}

/**
 * Makes a pass go on if the process that worked on it is gone, or if no step began for a long time. False if it works.
 * Locally, an instance of a process that was killed still says that it runs, and only a pause and a resumption make it
 * go on from its last finished step.
 */
export async function reviveIfLost(pass: Pass, { passes, passRuns, clock, boot }: ReviveDeps): Promise<boolean> {
  const now = clock.now();
  if (pass.boot === boot && now - pass.progressAt < STOOD_STILL_MS * clock.speed) return false;
  await passes.noteRevival(pass, now, boot);
  const run = await passRuns.get(pass.id).catch(() => null);
  if (run === null) {
    await passRuns.create({ id: pass.id, params: orderOf(pass) });
    return true;
  }
  const { status } = await run.status();
  if (status === "errored" || status === "terminated" || status === "complete") {
    // What it did stands in R2, and a step that is repeated writes the same.
    await run.restart();
    return true;
  }
  if (status === "running" || status === "waiting" || status === "unknown") await run.pause();
  await run.resume();
  return true;
}

/** Ends the pass of a crawl that is being deleted. Its steps do nothing any more, so this only frees the platform. */
export async function endPasses(crawl: string, { passes, passRuns }: PassRuns): Promise<void> {
  for (const pass of await passes.list(crawl)) {
    if (pass.status !== "running") continue;
    const run = await passRuns.get(pass.id).catch(() => null);
    await run?.terminate().catch(() => undefined);
  }
}
