import { EdgeDecoder } from "../../graph/edges.ts";
import { PageRankIteration, startRank } from "../../graph/page-rank.ts";
import type { Listed } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import type { LinkRuns } from "./read-links.ts";

/** Ranks all pages by PageRank, some iterations a step. */

/** Iterations of a step visit this many edges and nodes: some 5 s of CPU time. */
export const VISITS_PER_STEP = 150_000_000;
export const CPU_MS_PER_VISIT = 0.000_03;
/** PageRank needs some 90 iterations to reach its limit of error, whatever the graph. This only ends a fault. */
const MAX_ITERATIONS = 200;
const USUAL_ITERATIONS = 90;

/** The number of steps of `rankPages`; an estimate. */
export function countRankSteps({ rows }: Listed, { edges }: Pick<LinkRuns, "edges">): number {
  return Math.ceil(USUAL_ITERATIONS / iterationsPerStep(rows, edges));
}

function iterationsPerStep(rows: number, edges: number): number {
  return Math.min(MAX_ITERATIONS, Math.max(1, Math.floor(VISITS_PER_STEP / Math.max(1, rows + edges))));
}

/** Writes the vector of ranks as `ranks`. */
export async function rankPages(run: PassRun, listed: Listed, links: LinkRuns): Promise<void> {
  const most = iterationsPerStep(listed.rows, links.edges);
  for (let done = 0, isDone = listed.rows === 0; !isDone; done += most) {
    if (done >= MAX_ITERATIONS) throw new Error("PageRank did not come to its limit of error");
    isDone = await run.step(`rank ${done}`, "Ranking the pages", (deps, order) =>
      iterate(done === 0 ? null : done, done + most, listed, links, deps, order),
    );
  }
}

/**
 * Iterates from the vector `ranks-FROM` on, or from the start. Each step writes a vector of its own, so that it can be
 * repeated. Returns whether `ranks` is final.
 */
async function iterate(
  from: number | null,
  to: number,
  { rows }: Listed,
  { runs, edges }: LinkRuns,
  deps: PassDeps,
  order: PassOrder,
): Promise<boolean> {
  const { passObjects, meter } = deps;
  let rank =
    from === null ? startRank(rows) : new Float64Array((await passObjects.bytes(order, `ranks-${from}`)).buffer);
  let isDone = false;
  for (let i = from ?? 0; i < to && !isDone; i++) {
    const iteration = new PageRankIteration(rank);
    const decoder = new EdgeDecoder(iteration.addLinks);
    for (let number = 0; number < runs; number++) {
      const { body } = await passObjects.get(order, `edges-${number}`);
      for await (const chunk of body) decoder.push(chunk);
    }
    decoder.end();
    ({ rank, isDone } = iteration.finish());
    meter.add({ cpuMs: (rows + edges) * CPU_MS_PER_VISIT });
  }
  await passObjects.put(order, isDone ? "ranks" : `ranks-${to}`, new Uint8Array(rank.buffer));
  return isDone;
}
