/**
 * PageRank alone: the CPU time and the memory of its iterations over the bytes of a random graph. Most links lead to
 * pages near their own, as those of a site's sections do; the targets of the others are drawn so that few pages have
 * most of them. The nearer the links, the more iterations it takes. Then it iterates on until the ranks are known to
 * 1e-12, and prints the L1 distance of the first result to them. Exits 1 if PageRank takes more than 60 s of CPU, or if
 * the distance is not below 1e-6.
 *
 *     node --expose-gc bench/graph.ts [--nodes 1000000] [--links 20000000] [--near 0.9] [--seed 1]
 */
import { parseArgs } from "node:util";
import { EdgeDecoder, encodeEdges } from "../src/graph/edges.ts";
import { PageRankIteration, startRank } from "../src/graph/page-rank.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000000" },
    links: { type: "string", default: "20000000" },
    near: { type: "string", default: "0.9" },
    seed: { type: "string", default: "1" },
  },
});
const nodes = Number(values.nodes);
const links = Number(values.links);
const MAX_CPU_S = 60;
const MAX_DISTANCE = 1e-6;
/** With damping 0.85, the error of the reference is at most 0.85 / 0.15 of its last change: 1e-12. */
const MAX_REFERENCE_CHANGE = (1e-12 * 0.15) / 0.85;
const MAX_REFERENCE_ITERATIONS = 250;
/** As a stream from R2 gives them. */
const CHUNK_BYTES = 65_536;
/** Pages of one run, as a step would read them. */
const PAGES_PER_RUN = 10_000;

const random = randomNumbers(Number(values.seed));
const encodeStart = process.cpuUsage();
const runs = Array.from({ length: Math.ceil(nodes / PAGES_PER_RUN) }, (_, i) => makeRun(i * PAGES_PER_RUN));
const bytes = runs.reduce((sum, run) => sum + run.length, 0);
console.log(`${nodes} nodes, ${links} links drawn, ${(bytes / links).toFixed(2)} bytes a link`);
console.log(`made and encoded in ${seconds(encodeStart)} s of CPU`);

globalThis.gc?.();
const before = process.memoryUsage();
let largest = 0;
const start = process.cpuUsage();
let rank: Float64Array = startRank(nodes);
let iterations = 0;
for (let isDone = false; !isDone; iterations += 1) {
  ({ rank, isDone } = iterate(rank));
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  largest = Math.max(largest, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
}
const took = seconds(start);
console.log(`PageRank: ${iterations} iterations, ${took} s of CPU, at most ${(largest / 1e6).toFixed(0)} MB`);
let reference = rank;
let change = Number.POSITIVE_INFINITY;
let more = 0;
for (; change > MAX_REFERENCE_CHANGE && more < MAX_REFERENCE_ITERATIONS; more += 1) {
  const next = iterate(reference).rank;
  change = distance(next, reference);
  reference = next;
}
const error = distance(rank, reference);
console.log(
  `L1 distance ${error.toExponential(2)} to ${more} iterations more, whose last change is ${change.toExponential(2)}`,
);
if (Number(took) > MAX_CPU_S || error >= MAX_DISTANCE) process.exitCode = 1;

function iterate(from: Float64Array): { rank: Float64Array; isDone: boolean } {
  const iteration = new PageRankIteration(from);
  const decoder = new EdgeDecoder(iteration.addLinks);
  for (const run of runs)
    for (let at = 0; at < run.length; at += CHUNK_BYTES) decoder.push(run.subarray(at, at + CHUNK_BYTES));
  decoder.end();
  return iteration.finish();
}

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] as number)), 0);
}

/** The links of a range of pages. */
function makeRun(first: number): Uint8Array {
  const pages = Math.min(PAGES_PER_RUN, nodes - first);
  const count = Math.round((links / nodes) * pages);
  const pairs = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const source = first + Math.floor(random() * pages);
    const isNear = random() < Number(values.near);
    const target = isNear ? source + Math.floor(random() * 200) : Math.floor(nodes * random() ** 3);
    pairs[2 * i] = source;
    pairs[2 * i + 1] = target % nodes;
  }
  return encodeEdges(pairs);
}

function seconds(since: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(since);
  return ((user + system) / 1e6).toFixed(1);
}

/** A linear congruential generator with the constants of Numerical Recipes. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
