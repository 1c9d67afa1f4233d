import { EdgeDecoder } from "../../graph/edges.ts";
import type { Listed } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { type LinkRuns, NODES_PER_BUCKET } from "./read-links.ts";

/**
 * Brings the in-links of each bucket of targets together. Runs can be joined, so nothing is merged: who asks for a
 * page's in-links decodes the runs of its bucket. A navigation's targets may have a million in-links each, so a bucket
 * is never held in memory, not even compressed.
 */

/** Buckets of a step: for a million pages, some 800 reads. */
const BUCKETS_PER_STEP = 8;
const CPU_MS_PER_BYTE = 0.000_02;
const BYTES_PER_COUNT = Uint32Array.BYTES_PER_ELEMENT;

/** Objects `in-links-B`, one for each bucket, and `in-counts-B`: the number of in-links of each of its nodes. */
export async function turnLinks(run: PassRun, listed: Listed, links: LinkRuns): Promise<void> {
  const buckets = countBuckets(listed);
  for (let first = 0; first < buckets; first += BUCKETS_PER_STEP) {
    const end = Math.min(first + BUCKETS_PER_STEP, buckets);
    await run.step(`in-links ${first}`, "Turning the links round", async (deps, order) => {
      for (let bucket = first; bucket < end; bucket++) await joinBucket(bucket, listed, links, deps, order);
      return null;
    });
  }
}

export function countBuckets({ rows }: Listed): number {
  return Math.ceil(rows / NODES_PER_BUCKET);
}

/** The number of steps of `turnLinks`. */
export function countTurnSteps(listed: Listed): number {
  return Math.ceil(countBuckets(listed) / BUCKETS_PER_STEP);
}

/** The numbers of in-links of `nodes` nodes from `first` on, after `turnLinks`. */
export async function readInLinkCounts(
  first: number,
  nodes: number,
  { passObjects }: PassDeps,
  order: PassOrder,
): Promise<Uint32Array> {
  const counts = new Uint32Array(nodes);
  for (let at = 0; at < nodes; ) {
    const node = first + at;
    const inBucket = node % NODES_PER_BUCKET;
    const some = Math.min(nodes - at, NODES_PER_BUCKET - inBucket);
    const place = { offset: inBucket * BYTES_PER_COUNT, length: some * BYTES_PER_COUNT };
    const bucket = Math.floor(node / NODES_PER_BUCKET);
    counts.set(new Uint32Array((await passObjects.bytes(order, `in-counts-${bucket}`, place)).buffer), at);
    at += some;
  }
  return counts;
}

async function joinBucket(bucket: number, { rows }: Listed, links: LinkRuns, deps: PassDeps, order: PassOrder) {
  const firstNode = bucket * NODES_PER_BUCKET;
  const counts = new Uint32Array(Math.min(NODES_PER_BUCKET, rows - firstNode));
  const decoder = new EdgeDecoder((target, sources) => {
    counts[target - firstNode] = (counts[target - firstNode] as number) + sources.length;
  });
  const pieces = links.places.flatMap((places, run) =>
    places.filter(([of]) => of === bucket).map(([, offset, length]) => ({ run, offset, length })),
  );
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { passObjects, meter } = deps;
  const read = async function* () {
    for (const { run, ...range } of pieces) {
      const bytes = await passObjects.bytes(order, `turned-${run}`, range);
      decoder.push(bytes);
      yield bytes;
    }
  };
  await passObjects.putPieces(order, `in-links-${bucket}`, length, read());
  decoder.end();
  await passObjects.put(order, `in-counts-${bucket}`, new Uint8Array(counts.buffer));
  meter.add({ cpuMs: length * CPU_MS_PER_BYTE });
}
