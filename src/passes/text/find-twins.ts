import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { rankStep } from "../../graph/page-rank.ts";
import { PairSink, PairUnion } from "../../graph/pairs.ts";
import { Fingerprints, ORDERS } from "../../twins/candidates.ts";
import { groupTwins, MIN_SIMILARITY } from "../../twins/group-twins.ts";
import { SKETCH_BYTES } from "../../twins/text-print.ts";
import { estimateSimilarity } from "../../twins/text-sketch.ts";
import { packArrays, toUint32s, unpackArrays } from "../array-object.ts";
import { openIndex } from "../links/read-links.ts";
import { NO_MEMBER } from "../links/url-index.ts";
import { type Listed, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import { countMemberSteps, memberGroups } from "../members.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readPages } from "./read-pages.ts";

/**
 * Finds pages with the same text, or almost the same: candidates by the fingerprints of the rows, verified by the
 * sketches that are kept with the links. Objects `twins-N`, one for each range of rows.
 */

/** Ranges of rows whose fingerprints a step gathers: 5 s of CPU time. */
const RANGES_PER_STEP = 50;
/** Fingerprints that a step brings into an order, over all orders: some 8 s of CPU time. */
const SORTS_PER_STEP = 30_000_000;
/** Pairs of two pages that both have so many are not needed: the pages are in their group already. */
const PAIRS_PER_PAGE = 8;
/** The most pairs of a step: 8 MB. */
const MAX_PAIRS = 1_000_000;
/** The most pairs of all steps: 16 MB, and as much while they are joined. */
const MAX_JOINED_PAIRS = 2_000_000;
/** Pages whose sketches are in memory at once: 27 MB. */
const MAX_CANDIDATES = 100_000;
const CPU_MS_PER_ROW = 0.01;
/** As measured in Node: an order takes 0.2 s for a million fingerprints. */
const CPU_MS_PER_SORT = 0.000_25;
const CPU_MS_PER_PAGE = 0.1;
const CPU_MS_PER_COMPARISON = 0.001;

export interface TwinCounts {
  /** Pages whose text is not known. */
  unprinted: number;
  /** Comparisons and pages that were too many. */
  leftOut: number;
}

/** A page with the same text as its original, or almost the same. */
interface ListedTwin {
  /** The place of its row in its range. */
  at: number;
  original: string;
  /** 0 to 1, two decimals. */
  similarity: number;
  /** Whether the page itself names another canonical URL. */
  isDeclared: boolean;
}

/** The number of steps of `findTwins`; an estimate. */
export function countTwinSteps({ ranges, members }: Listed): number {
  return Math.ceil(ranges / RANGES_PER_STEP) + 4 + countMemberSteps(members);
}

/** After `rankPages`: the page with the higher rank is the original. */
export async function findTwins(run: PassRun, listed: Listed): Promise<TwinCounts> {
  const gathered: { printed: number; unprinted: number }[] = [];
  for (let first = 0; first < listed.ranges; first += RANGES_PER_STEP) {
    const part = gathered.length;
    const end = Math.min(first + RANGES_PER_STEP, listed.ranges);
    gathered.push(
      await run.step(`fingerprints ${part}`, "Reading the fingerprints", (deps, order) =>
        gatherFingerprints(part, first, end, deps, order),
      ),
    );
  }
  const [printed, unprinted] = [sumOf(gathered, "printed"), sumOf(gathered, "unprinted")];
  const { pairs, leftOut } =
    printed < 2 ? { pairs: 0, leftOut: 0 } : await findPairs(run, printed, gathered.length, listed);
  await run.step("twins", "Comparing texts", (deps, order) => writeTwins(pairs > 0, listed, deps, order));
  return { unprinted, leftOut };
}

/** Objects `candidates`, and `grouped-twins` if there are any. */
async function findPairs(run: PassRun, printed: number, parts: number, listed: Listed) {
  const found: { leftOut: number }[] = [];
  const perStep = Math.max(1, Math.floor(SORTS_PER_STEP / printed));
  for (let from = 0; from < ORDERS; from += perStep) {
    const part = found.length;
    found.push(
      await run.step(`candidates ${part}`, "Looking for equal texts", (deps, order) =>
        findCandidates(part, from, Math.min(from + perStep, ORDERS), parts, listed, deps, order),
      ),
    );
  }
  const { pairs, reads, leftOut } = await run.step("join candidates", "Looking for equal texts", (deps, order) =>
    joinCandidates(found.length, deps, order),
  );
  let sketches = 0;
  for (const { group: part, numbers } of memberGroups(reads)) {
    sketches += 1;
    await run.step(`sketches ${part}`, "Comparing texts", (deps, order) => readSketches(numbers(), part, deps, order));
  }
  if (pairs > 0)
    await run.step("group twins", "Comparing texts", (deps, order) => groupPages(sketches, listed, deps, order));
  return { pairs, leftOut: leftOut + sumOf(found, "leftOut") };
}

async function gatherFingerprints(part: number, first: number, end: number, deps: PassDeps, order: PassOrder) {
  const fingerprints = new Fingerprints();
  let unprinted = 0;
  for (let range = first; range < end; range++) {
    const rows = await readRange(range, deps, order);
    for (const [i, { fingerprint, words, status, kind }] of rows.entries()) {
      if (status !== "completed" || kind !== "page") continue;
      if (words === null) unprinted += 1;
      if (fingerprint !== null) fingerprints.add(range * ROWS_PER_RANGE + i, fingerprint);
    }
    deps.meter.add({ cpuMs: rows.length * CPU_MS_PER_ROW });
  }
  await deps.passObjects.put(order, `fingerprints-${part}`, packArrays(fingerprints.toArrays()));
  return { printed: fingerprints.length, unprinted };
}

async function findCandidates(
  part: number,
  from: number,
  to: number,
  parts: number,
  { rows }: Listed,
  { passObjects, meter }: PassDeps,
  order: PassOrder,
) {
  const fingerprints = new Fingerprints();
  for (let i = 0; i < parts; i++) {
    const [nodes, words] = unpackArrays(await passObjects.bytes(order, `fingerprints-${i}`)).map(toUint32s);
    if (nodes !== undefined && words !== undefined) fingerprints.addArrays(nodes, words);
  }
  const counts = new Uint8Array(rows);
  const pairs = new PairSink();
  let [found, tooMany] = [0, 0];
  const skipped = fingerprints.findPairs(
    (node, other) => {
      const [a, b] = [counts[node] as number, counts[other] as number];
      if (a >= PAIRS_PER_PAGE && b >= PAIRS_PER_PAGE) return;
      if (found >= MAX_PAIRS) {
        tooMany += 1;
        return;
      }
      found += 1;
      counts[node] = Math.min(a + 1, PAIRS_PER_PAGE);
      counts[other] = Math.min(b + 1, PAIRS_PER_PAGE);
      pairs.add(Math.min(node, other), Math.max(node, other));
    },
    from,
    to,
  );
  await passObjects.put(order, `candidates-${part}`, packArrays([pairs.toPairs()]));
  meter.add({ cpuMs: fingerprints.length * (to - from) * CPU_MS_PER_SORT });
  return { leftOut: skipped + tooMany };
}

/** Writes `candidates`, and `candidate-members`: the members with the sketches of their pages. */
async function joinCandidates(parts: number, deps: PassDeps, order: PassOrder) {
  const { passObjects } = deps;
  const union = new PairUnion(MAX_JOINED_PAIRS);
  for (let i = 0; i < parts; i++)
    for (const some of unpackArrays(await passObjects.bytes(order, `candidates-${i}`)).map(toUint32s)) union.add(some);
  const { pairs, leftOut } = union.finish();
  const index = await openIndex(deps, order);
  const nodes = new Set<number>();
  const members = new Set<number>();
  let kept = 0;
  for (; kept < pairs.length && nodes.size <= MAX_CANDIDATES - 2; kept += 2)
    for (const node of [pairs[kept] as number, pairs[kept + 1] as number]) {
      nodes.add(node);
      members.add(index.memberOf(node));
    }
  members.delete(NO_MEMBER);
  await passObjects.put(order, "candidates", packArrays([pairs.subarray(0, kept)]));
  await passObjects.put(order, "candidate-members", packArrays([Uint32Array.from(members).sort()]));
  return { pairs: kept / 2, reads: members.size, leftOut: leftOut + (pairs.length - kept) / 2 };
}

async function readCandidates({ passObjects }: PassDeps, order: PassOrder): Promise<Uint32Array> {
  const [pairs] = unpackArrays(await passObjects.bytes(order, "candidates")).map(toUint32s);
  return pairs ?? new Uint32Array();
}

/** Object `sketches-N`: nodes, whether each names another canonical URL, and the sketches. */
async function readSketches(places: number[], part: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const index = await openIndex(deps, order);
  const [wanted] = unpackArrays(await passObjects.bytes(order, "candidate-members")).map(toUint32s);
  const numbers = places.map((place) => wanted?.[place] as number);
  const candidates = new Set(await readCandidates(deps, order));
  const nodes: number[] = [];
  const declared: number[] = [];
  const sketches: Uint8Array[] = [];
  for await (const { node, page } of readPages(numbers, index, deps, order)) {
    meter.add({ cpuMs: CPU_MS_PER_PAGE });
    if (page.sketch === undefined || !candidates.has(node)) continue;
    nodes.push(node);
    declared.push(page.canonical === null || page.canonical === page.url ? 0 : 1);
    const sketch = new Uint8Array(SKETCH_BYTES);
    sketch.set(page.sketch);
    sketches.push(sketch);
  }
  const arrays = [Uint32Array.from(nodes), Uint8Array.from(declared), new Uint8Array(Buffer.concat(sketches))];
  await passObjects.put(order, `sketches-${part}`, packArrays(arrays));
  return null;
}

/** A twin by nodes, as JSON. */
type GroupedTwin = [node: number, original: number, similarity: number, declared: number];

/** Object `grouped-twins`. */
async function groupPages(parts: number, { rows }: Listed, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const places = new Map<number, { sketch: Uint8Array; declared: number }>();
  for (let part = 0; part < parts; part++) {
    const [nodes, declared, sketches] = unpackArrays(await passObjects.bytes(order, `sketches-${part}`));
    for (const [i, node] of toUint32s(nodes as Uint8Array<ArrayBuffer>).entries()) {
      const sketch = (sketches as Uint8Array).subarray(i * SKETCH_BYTES, (i + 1) * SKETCH_BYTES);
      places.set(node, { sketch, declared: (declared as Uint8Array)[i] as number });
    }
  }
  let comparisons = 0;
  const similarityOf = (node: number, other: number) => {
    const [one, two] = [places.get(node), places.get(other)];
    comparisons += 1;
    return one === undefined || two === undefined ? 0 : estimateSimilarity(one.sketch, two.sketch);
  };
  const pairs = await readCandidates(deps, order);
  const ranks = new Float64Array((await passObjects.bytes(order, "ranks")).buffer);
  const rankOf = (node: number) => rankStep(ranks[node] as number, rows);
  const declaredOf = (node: number) => places.get(node)?.declared ?? 0;
  const twins = groupTwins(
    verified(pairs, similarityOf),
    (a, b) => declaredOf(a) - declaredOf(b) || rankOf(b) - rankOf(a) || a - b,
    similarityOf,
  );
  const grouped = [...twins].map(([node, { original, similarity }]): GroupedTwin => {
    return [node, original, Math.floor(similarity * 100) / 100, declaredOf(node)];
  });
  await passObjects.put(order, "grouped-twins", packJson(grouped));
  meter.add({ cpuMs: comparisons * CPU_MS_PER_COMPARISON });
  return null;
}

function* verified(
  pairs: Uint32Array,
  similarityOf: (node: number, other: number) => number,
): Generator<[number, number], void> {
  for (let at = 0; at < pairs.length; at += 2) {
    const pair: [number, number] = [pairs[at] as number, pairs[at + 1] as number];
    if (similarityOf(...pair) >= MIN_SIMILARITY) yield pair;
  }
}

/** `isGrouped`: whether there is an object `grouped-twins`. */
async function writeTwins(isGrouped: boolean, { ranges }: Listed, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const twins = isGrouped ? unpackJson<GroupedTwin[]>(await passObjects.bytes(order, "grouped-twins")) : [];
  const originals = Map.groupBy(new Set(twins.map(([, original]) => original)), rangeOf);
  const urls = new Map<number, string>();
  for (const [range, nodes] of originals) {
    const rows = await readRange(range, deps, order);
    for (const node of nodes) urls.set(node, rows[node % ROWS_PER_RANGE]?.url ?? "");
    meter.add({ cpuMs: rows.length * CPU_MS_PER_ROW });
  }
  const byRange = Map.groupBy(twins, ([node]) => rangeOf(node));
  for (let range = 0; range < ranges; range++) {
    const some = byRange.get(range)?.map(([node, original, similarity, declared]): ListedTwin => {
      const isDeclared = declared === 1;
      return { at: node % ROWS_PER_RANGE, original: urls.get(original) ?? "", similarity, isDeclared };
    });
    await passObjects.put(order, `twins-${range}`, packJson(some ?? []));
  }
  return null;
}

/** The twins among the rows of a range, by their places. */
export async function readTwins(range: number, { passObjects }: PassDeps, order: PassOrder) {
  const twins = unpackJson<ListedTwin[]>(await passObjects.bytes(order, `twins-${range}`));
  return new Map(twins.map((twin) => [twin.at, twin]));
}

function rangeOf(node: number): number {
  return Math.floor(node / ROWS_PER_RANGE);
}

function sumOf<K extends string>(counts: readonly Record<K, number>[], key: K): number {
  return counts.reduce((sum, count) => sum + count[key], 0);
}
