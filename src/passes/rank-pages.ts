import { EdgeDecoder } from "../graph/edges.ts";
import { PageRankIteration, rankStep, startRank } from "../graph/page-rank.ts";
import type { RowFigures } from "../store/passes.ts";
import { readTwins } from "./find-twins.ts";
import { unpackJson } from "./gzip-json.ts";
import { type Listed, ROWS_PER_RANGE, readRange } from "./list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "./pass-run.ts";
import type { LinkRuns } from "./read-links.ts";
import { readInLinkCounts } from "./turn-links.ts";

/**
 * Ranks all pages by PageRank, some iterations a step, and writes ranks and numbers of in-links into the rows where
 * they changed.
 */

/** Iterations of a step visit this many edges and nodes: some 5 s of CPU time. */
const VISITS_PER_STEP = 150_000_000;
const CPU_MS_PER_VISIT = 0.000_03;
/** PageRank needs some 90 iterations to reach its limit of error, whatever the graph. This only ends a fault. */
const MAX_ITERATIONS = 200;
const USUAL_ITERATIONS = 90;
/** Ranges of rows whose ranks a step writes, at most: some 20 transactions. */
const RANGES_PER_STEP = 4;
const CPU_MS_PER_ROW = 0.01;
const BYTES_PER_RANK = Float64Array.BYTES_PER_ELEMENT;

/** The number of steps of `rankPages`; an estimate. */
export function countRankSteps({ rows, ranges }: Listed, { edges }: Pick<LinkRuns, "edges">): number {
  return Math.ceil(USUAL_ITERATIONS / iterationsPerStep(rows, edges)) + Math.ceil(ranges / RANGES_PER_STEP);
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

/** Writes the ranks and twins of rows, after `findTwins`. */
export async function writeFigures(run: PassRun, listed: Listed): Promise<void> {
  for (let range = 0; range < listed.ranges; range += RANGES_PER_STEP) {
    const end = Math.min(range + RANGES_PER_STEP, listed.ranges);
    await run.step(`write ranks ${range}`, "Writing the ranks", async (deps, order) => {
      for (let i = range; i < end; i++) await writeRanks(i, listed.rows, deps, order);
      return null;
    });
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

async function writeRanks(range: number, rows: number, deps: PassDeps, order: PassOrder): Promise<void> {
  const { passes, passObjects, meter } = deps;
  const listed = await readRange(range, deps, order);
  if (listed.length === 0) return;
  const old = new Uint16Array((await passObjects.bytes(order, `old-ranks-${range}`)).buffer);
  const place = { offset: range * ROWS_PER_RANGE * BYTES_PER_RANK, length: listed.length * BYTES_PER_RANK };
  const ranks = new Float64Array((await passObjects.bytes(order, "ranks", place)).buffer);
  const oldInLinks = new Uint32Array((await passObjects.bytes(order, `old-in-links-${range}`)).buffer);
  const counts = await readInLinkCounts(range * ROWS_PER_RANGE, listed.length, deps, order);
  const twins = await readTwins(range, deps, order);
  const oldTwins = new Map(unpackJson<[number, string][]>(await passObjects.bytes(order, `old-twins-${range}`)));
  const changed = listed.flatMap(({ url }, i): RowFigures[] => {
    const rank = rankStep(ranks[i] as number, rows);
    const inLinks = counts[i] as number;
    const twinOf = twins.get(i)?.original ?? null;
    const isOld = old[i] === rank + 1 && oldInLinks[i] === inLinks + 1 && twinOf === (oldTwins.get(i) ?? null);
    return isOld ? [] : [{ url, rank, inLinks, twinOf }];
  });
  await passes.writeFigures(order.crawl, changed);
  meter.add({ cpuMs: listed.length * CPU_MS_PER_ROW });
}
