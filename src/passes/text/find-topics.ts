import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { type CentroidRows, Centroids, meanOf } from "../../topic/clusters/centroids.ts";
import type { Topic, TopicPage, Topics } from "../../topic/clusters/found-topics.ts";
import { groupPages } from "../../topic/clusters/group-pages.ts";
import { nameGroups } from "../../topic/clusters/name-groups.ts";
import { TermNumbers, type TermWeights, weighTerms } from "../../topic/clusters/term-weights.ts";
import type { SparseVector } from "../../topic/weights/sparse-vector.ts";
import { packArrays, toUint16s, toUint32s, unpackArrays } from "../array-object.ts";
import { completePass } from "../complete-pass.ts";
import { type Listed, type ListedRow, listRows, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { BestPlaces } from "./best-places.ts";
import { countFrequencies, readFrequencies } from "./count-frequencies.ts";
import { isSampled } from "./find-sections.ts";
import { countTermSteps, forPartGroups, gatherTerms, readTerms, type TermParts } from "./gather-terms.ts";

/**
 * Groups the pages of a crawl by what they say. Groups are learned from a sample, and every page belongs to the group
 * whose mean is nearest. The texts pass through the memory in parts; the sample's vectors and graph take 60 MB, and the
 * means 9 MB, whatever the crawl's size.
 */

/** Pages from which groups are learned. */
const MAX_SAMPLE = 8_000;
/** Best pages of each kind in the result. */
const BEST_PAGES = 8;
const CPU_MS_PER_PAGE = 0.3;
const CPU_MS_PER_SAMPLED = 1;
/** Stands for no group. */
const NO_GROUP = 0xff;
const COSINE_STEPS = 0xffff;

export async function findTopics(run: PassRun): Promise<void> {
  const listed = await listRows(run);
  const crawl = await run.step("options", "Listing the URLs", async ({ ledger }, order) => {
    const found = await ledger.crawl(order.crawl);
    return { steps: found === null ? listed.rows : countTermSteps(listed, found) };
  });
  run.expect(crawl.steps + 5);
  const parts = await gatherTerms(run, listed, null);
  run.expect(5);
  const frequencies = await countFrequencies(run, parts);
  const samples = await forPartGroups(parts, (group, first, end) =>
    run.step(`topic sample ${group}`, "Grouping the pages", (deps, order) =>
      samplePages(group, { first, end, frequencies, pages: parts.pages }, deps, order),
    ),
  );
  await run.step("topics", "Grouping the pages", (deps, order) => learnGroups(samples, deps, order));
  await forPartGroups(parts, (group, first, end) =>
    run.step(`topic pages ${group}`, "Assigning the pages", (deps, order) =>
      assignPages(group, { first, end, frequencies }, deps, order),
    ),
  );
  await run.step("result", "Writing the result", (deps, order) => writeTopics(samples, parts, listed, deps, order));
  await completePass(run);
}

/** The weights of the sample's pages among these parts: one page of each `stride`. */
async function samplePages(
  group: number,
  { first, end, frequencies, pages }: { first: number; end: number; frequencies: number; pages: number },
  deps: PassDeps,
  order: PassOrder,
): Promise<null> {
  const known = await readFrequencies(frequencies, deps, order);
  const stride = Math.max(1, Math.ceil(pages / MAX_SAMPLE));
  const sample: TermWeights[] = [];
  for (let part = first; part < end; part++)
    for (const [node, page] of await readTerms(part, deps, order))
      if (isSampled(node, stride)) sample.push(weighTerms(page, known));
  await deps.passObjects.put(order, `topic-sample-${group}`, packJson(sample));
  deps.meter.add({ cpuMs: sample.length * CPU_MS_PER_PAGE });
  return null;
}

interface LearnedGroups {
  words: string[][];
  /** The terms of the rows of the means, in order. */
  terms: string[];
  sampled: number;
}

/** Objects `topic-words` and `topic-means`. */
async function learnGroups(samples: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const numbers = new TermNumbers();
  const vectors: SparseVector[] = [];
  for (let sample = 0; sample < samples; sample++)
    for (const page of unpackJson<TermWeights[]>(await passObjects.bytes(order, `topic-sample-${sample}`)))
      vectors.push(numbers.add(page));
  const { terms } = numbers;
  const groups = groupPages(vectors, terms.length).map((members) =>
    members.map((page) => vectors[page] as SparseVector),
  );
  const means = meanOf(groups);
  const learned: LearnedGroups = {
    words: nameGroups(groups, terms),
    terms: means.terms.map((term) => terms[term] ?? ""),
    sampled: vectors.length,
  };
  await passObjects.put(order, "topic-words", packJson(learned));
  await passObjects.put(order, "topic-means", new Uint8Array(means.weights.buffer));
  meter.add({ cpuMs: vectors.length * CPU_MS_PER_SAMPLED });
  return null;
}

async function readGroups({ passObjects }: PassDeps, order: PassOrder) {
  const learned = unpackJson<LearnedGroups>(await passObjects.bytes(order, "topic-words"));
  const weights = new Float32Array((await passObjects.bytes(order, "topic-means")).buffer);
  const rows: CentroidRows = { groups: learned.words.length, terms: [...learned.terms.keys()], weights };
  return { learned, rows };
}

/** Object `topic-pages-N`: nodes, the group of each, and its cosine. */
async function assignPages(
  group: number,
  { first, end, frequencies }: { first: number; end: number; frequencies: number },
  deps: PassDeps,
  order: PassOrder,
): Promise<null> {
  const known = await readFrequencies(frequencies, deps, order);
  const { learned, rows } = await readGroups(deps, order);
  const numbers = new TermNumbers(learned.terms);
  const centroids = new Centroids(rows, learned.terms.length);
  const nodes: number[] = [];
  const groups: number[] = [];
  const cosines: number[] = [];
  for (let part = first; part < end; part++)
    for (const [node, page] of await readTerms(part, deps, order)) {
      const nearest = rows.groups === 0 ? null : centroids.findNearest(numbers.find(weighTerms(page, known)));
      nodes.push(node);
      groups.push(nearest?.group ?? NO_GROUP);
      cosines.push(Math.round((nearest?.cosine ?? 0) * COSINE_STEPS));
    }
  const arrays = [Uint32Array.from(nodes), Uint8Array.from(groups), Uint16Array.from(cosines)];
  await deps.passObjects.put(order, `topic-pages-${group}`, packArrays(arrays));
  deps.meter.add({ cpuMs: nodes.length * CPU_MS_PER_PAGE });
  return null;
}

interface Assigned {
  node: number;
  group: number;
  cosine: number;
}

async function* readAssigned(parts: number, { passObjects }: PassDeps, order: PassOrder): AsyncGenerator<Assigned> {
  for (let part = 0; part < parts; part++) {
    const arrays = unpackArrays(await passObjects.bytes(order, `topic-pages-${part}`));
    const [nodes, groups, cosines] = arrays as [Uint8Array<ArrayBuffer>, Uint8Array, Uint8Array<ArrayBuffer>];
    const steps = toUint16s(cosines);
    for (const [i, node] of toUint32s(nodes).entries())
      yield { node, group: groups[i] as number, cosine: (steps[i] as number) / COSINE_STEPS };
  }
}

async function writeTopics(samples: number, { pages }: TermParts, listed: Listed, deps: PassDeps, order: PassOrder) {
  const { learned } = await readGroups(deps, order);
  const ranks = await readOldRanks(listed, deps, order);
  const found = learned.words.map(() => ({
    pages: 0,
    central: new BestPlaces(BEST_PAGES),
    ranked: new BestPlaces(BEST_PAGES),
  }));
  const cosines = new Map<number, number>();
  let ungrouped = 0;
  for await (const { node, group, cosine } of readAssigned(samples, deps, order)) {
    const own = found[group];
    if (own === undefined) {
      ungrouped += 1;
      continue;
    }
    own.pages += 1;
    const rank = ranks[node] as number;
    const isCentral = own.central.add(node, cosine);
    const isRanked = rank > 0 && own.ranked.add(node, rank + cosine);
    if (isCentral || isRanked) cosines.set(node, cosine);
  }
  const chosen = found.flatMap(({ central, ranked }) => [...central.places, ...ranked.places]);
  const rows = await readChosen(chosen, listed, deps, order);
  const toPage = (node: number): TopicPage => {
    const { url, title } = rows.get(node) as ListedRow;
    const rank = ranks[node] as number;
    return {
      url,
      title,
      closeness: Math.round((cosines.get(node) ?? 0) * 100) / 100,
      rank: rank === 0 ? null : rank - 1,
    };
  };
  const topics = found
    .map(({ pages: size, central, ranked }, group): Topic => {
      const words = learned.words[group] ?? [];
      return { words, pages: size, central: central.places.map(toPage), ranked: ranked.places.map(toPage) };
    })
    .filter((topic) => topic.pages > 0)
    .sort((a, b) => b.pages - a.pages);
  const result: Topics = { topics, pages, ungrouped, sampled: learned.sampled };
  await deps.passObjects.putWholeResult(order, packJson(result));
  return null;
}

/** The ranks of the last analysis by node, each one higher; 0 before the first. */
async function readOldRanks({ ranges, rows }: Listed, { passObjects }: PassDeps, order: PassOrder) {
  const ranks = new Uint16Array(rows);
  for (let range = 0; range < ranges; range++)
    ranks.set(new Uint16Array((await passObjects.bytes(order, `old-ranks-${range}`)).buffer), range * ROWS_PER_RANGE);
  return ranks;
}

async function readChosen(nodes: readonly number[], { ranges }: Listed, deps: PassDeps, order: PassOrder) {
  const byRange = Map.groupBy(new Set(nodes), (node) => Math.floor(node / ROWS_PER_RANGE));
  const rows = new Map<number, ListedRow>();
  for (let range = 0; range < ranges; range++) {
    const own = byRange.get(range);
    if (own === undefined) continue;
    const listed = await readRange(range, deps, order);
    for (const node of own) rows.set(node, listed[node % ROWS_PER_RANGE] as ListedRow);
  }
  return rows;
}
