import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import {
  choosePenalty,
  countFolds,
  divideIntoFolds,
  type Guess,
  PENALTIES,
  validateFold,
} from "../../topic/classifier/cross-validation.ts";
import type { Classification } from "../../topic/classifier/found-labels.ts";
import { scoreLabels } from "../../topic/classifier/label-scores.ts";
import { type LinearModel, predict } from "../../topic/classifier/linear-model.ts";
import { FeatureNumbers, noteFeatures, toFeatures } from "../../topic/classifier/page-features.ts";
import { type Example, trainClassifier } from "../../topic/classifier/train-classifier.ts";
import type { PageTerms } from "../../topic/page-terms.ts";
import { completePass } from "../complete-pass.ts";
import { countAnchorSteps, gatherAnchors } from "../links/read-anchors.ts";
import { openIndex } from "../links/read-links.ts";
import { type Listed, listRows, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";
import { type ClassExamples, labelsOf, readExamples } from "./class-examples.ts";
import { countFrequencies, readFrequencies } from "./count-frequencies.ts";
import { countTermSteps, forPartGroups, gatherTerms, readTerms } from "./gather-terms.ts";

/**
 * Gives each completed page a label with its confidence, by a linear model that learns from examples: their words, the
 * words of their URLs, and the words of links to them. Cross-validation over the examples comes first.
 */

/** Features of the model: with 50 labels, 20 MB of weights, and five times as much while it is trained. */
const MAX_FEATURES = 100_000;
/** Weights of a model at most, for the same reason. */
const MAX_WEIGHTS = 2_000_000;
const CPU_MS_PER_PAGE = 0.3;
const CPU_MS_PER_ROW = 0.01;

export async function classifyPages(run: PassRun): Promise<void> {
  const listed = await listRows(run);
  const { steps } = await run.step("options", "Listing the URLs", async ({ ledger }, order) => {
    const crawl = await ledger.crawl(order.crawl);
    return { steps: crawl === null ? listed.rows : countTermSteps(listed, crawl) };
  });
  const last = MAX_STEPS_AFTER + listed.ranges;
  run.expect(countAnchorSteps(listed) + steps + last);
  const anchors = await gatherAnchors(run, listed);
  const parts = await gatherTerms(run, listed, anchors);
  run.expect(last);
  const frequencies = await countFrequencies(run, parts);
  const groups = await forPartGroups(parts, (group, first, end) =>
    run.step(`examples ${group}`, "Reading the examples", (deps, order) =>
      findExamples(group, first, end, deps, order),
    ),
  );
  const { folds } = await run.step("features", "Reading the examples", (deps, order) =>
    joinExamples(groups, frequencies, deps, order),
  );
  for (let fold = 0; fold < folds; fold++)
    await run.step(`fold ${fold}`, "Validating the labels", (deps, order) => validate(fold, folds, deps, order));
  await run.step("model", "Learning the labels", (deps, order) => learn(folds, deps, order));
  await forPartGroups(parts, (group, first, end) =>
    run.step(`labels ${group}`, "Labelling the pages", (deps, order) =>
      labelPages({ first, end, frequencies }, group, deps, order),
    ),
  );
  await writeResult(run, listed, groups);
  await completePass(run);
}

/** Frequencies, examples, features, five folds, model, labels and the result, where there is one object each. */
const MAX_STEPS_AFTER = 12;

async function writeResult(run: PassRun, listed: Listed, groups: number): Promise<void> {
  for (let range = 0; range < listed.ranges; range++)
    await run.step(`rows of labels ${range}`, "Writing the labels", (deps, order) =>
      writeRange(range, groups, deps, order),
    );
  await run.step("result", "Writing the result", (deps, order) => writeClassification(groups, deps, order));
}

type ExampleTerms = { node: number; label: number; terms: PageTerms };

/** Object `example-terms-N`: the examples among these parts. */
async function findExamples(
  group: number,
  first: number,
  end: number,
  deps: PassDeps,
  order: PassOrder,
): Promise<null> {
  const given = await readExamples(deps, order);
  const labels = labelsOf(given);
  const index = await openIndex(deps, order);
  const labelOf = new Map(given.examples.map(({ url, label }) => [index.find(url), labels.indexOf(label)]));
  const found: ExampleTerms[] = [];
  for (let part = first; part < end; part++)
    for (const [node, terms] of await readTerms(part, deps, order)) {
      const label = labelOf.get(node);
      if (label !== undefined) found.push({ node, label, terms });
    }
  await deps.passObjects.put(order, `example-terms-${group}`, packJson(found));
  return null;
}

interface StoredExamples {
  labels: string[];
  features: string[];
  examples: { label: number; indexes: number[]; values: number[] }[];
}

/** Object `class-examples`: the examples as vectors. */
async function joinExamples(groups: number, frequencies: number, deps: PassDeps, order: PassOrder) {
  const { passObjects } = deps;
  const labels = labelsOf(await readExamples(deps, order));
  const known = await readFrequencies(frequencies, deps, order);
  const found: ExampleTerms[] = [];
  for (let group = 0; group < groups; group++)
    found.push(...unpackJson<ExampleTerms[]>(await passObjects.bytes(order, `example-terms-${group}`)));
  const counts = labels.map((_, label) => found.filter((example) => example.label === label).length);
  const rare = labels.find((_, label) => (counts[label] as number) < 2);
  // Pages may have changed since the examples were checked.
  if (rare !== undefined)
    throw new PassEnded(
      `the label "${rare}" has fewer than two completed pages as examples: add more, or leave it out`,
    );
  const numbers = new FeatureNumbers([], Math.min(MAX_FEATURES, Math.floor(MAX_WEIGHTS / labels.length)));
  for (const { terms } of found) noteFeatures(terms, known, numbers);
  const examples = found.map(({ label, terms }) => {
    const { indexes, values } = toFeatures(terms, known, numbers);
    return { label, indexes: [...indexes], values: Array.from(values, (value) => Math.round(value * 1e6) / 1e6) };
  });
  const stored: StoredExamples = { labels, features: numbers.names, examples };
  await passObjects.put(order, "class-examples", packJson(stored));
  deps.meter.add({ cpuMs: examples.length });
  return { folds: countFolds(counts) };
}

async function readVectors({ passObjects }: PassDeps, order: PassOrder) {
  const { labels, features, examples } = unpackJson<StoredExamples>(await passObjects.bytes(order, "class-examples"));
  const vectors = examples.map(({ label, indexes, values }): Example => {
    return { label, vector: { indexes: Uint32Array.from(indexes), values: Float32Array.from(values) } };
  });
  return { labels, features, examples: vectors };
}

/** Object `fold-N`: the guesses of a fold for each penalty. */
async function validate(fold: number, folds: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { labels, features, examples } = await readVectors(deps, order);
  const foldOf = divideIntoFolds(
    examples.map(({ label }) => label),
    folds,
  );
  const guesses = PENALTIES.map((penalty) =>
    validateFold(examples, foldOf, fold, { labels: labels.length, features: features.length, penalty }),
  );
  await deps.passObjects.put(order, `fold-${fold}`, packJson(guesses));
  deps.meter.add({ cpuMs: examples.length * labels.length });
  return null;
}

interface StoredModel {
  labels: string[];
  features: string[];
  biases: number[];
}

/** Objects `model`, `weights` and `scores`. */
async function learn(folds: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects, meter } = deps;
  const { labels, features, examples } = await readVectors(deps, order);
  const guesses: Guess[][] = PENALTIES.map(() => []);
  for (let fold = 0; fold < folds; fold++) {
    const found = unpackJson<Guess[][]>(await passObjects.bytes(order, `fold-${fold}`));
    for (const [i, some] of found.entries()) guesses[i]?.push(...some);
  }
  const best = choosePenalty(guesses);
  const model = trainClassifier(examples, labels.length, features.length, PENALTIES[best] as number);
  const stored: StoredModel = { labels, features, biases: [...model.biases] };
  await passObjects.put(order, "model", packJson(stored));
  await passObjects.put(order, "weights", new Uint8Array(model.weights.buffer));
  const pairs = (guesses[best] ?? []).map(({ label, guess }) => [label, guess] as const);
  await passObjects.put(order, "scores", packJson({ folds, ...scoreLabels(labels, pairs) }));
  meter.add({ cpuMs: examples.length * labels.length });
  return null;
}

/** A page's label by its number, and the confidence in hundredths. */
type GivenLabel = [node: number, label: number, confidence: number];

/** Object `labels-N`. An example keeps its own label. */
async function labelPages(
  { first, end, frequencies }: { first: number; end: number; frequencies: number },
  group: number,
  deps: PassDeps,
  order: PassOrder,
): Promise<null> {
  const { passObjects, meter } = deps;
  const known = await readFrequencies(frequencies, deps, order);
  const { labels, features, biases } = unpackJson<StoredModel>(await passObjects.bytes(order, "model"));
  const weights = new Float32Array((await passObjects.bytes(order, "weights")).buffer);
  const model: LinearModel = { labels: labels.length, weights, biases: Float32Array.from(biases) };
  const numbers = new FeatureNumbers(features);
  const examples = unpackJson<ExampleTerms[]>(await passObjects.bytes(order, `example-terms-${group}`));
  const own = new Map(examples.map(({ node, label }) => [node, label]));
  const given: GivenLabel[] = [];
  for (let part = first; part < end; part++)
    for (const [node, terms] of await readTerms(part, deps, order)) {
      const label = own.get(node);
      if (label !== undefined) {
        given.push([node, label, 100]);
        continue;
      }
      const probabilities = predict(toFeatures(terms, known, numbers), model);
      const most = Math.max(...probabilities);
      given.push([node, probabilities.indexOf(most), Math.round(most * 100)]);
    }
  await passObjects.put(order, `labels-${group}`, packJson(given));
  meter.add({ cpuMs: given.length * CPU_MS_PER_PAGE });
  return null;
}

async function* readGiven(groups: number, { passObjects }: PassDeps, order: PassOrder): AsyncGenerator<GivenLabel> {
  for (let group = 0; group < groups; group++)
    yield* unpackJson<GivenLabel[]>(await passObjects.bytes(order, `labels-${group}`));
}

/** Writes the labels of a range of rows. What is no completed page loses the label that it may have. */
async function writeRange(range: number, groups: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const rows = await readRange(range, deps, order);
  const { labels } = unpackJson<StoredModel>(await deps.passObjects.bytes(order, "model"));
  const given = new Map<number, GivenLabel>();
  for await (const one of readGiven(groups, deps, order))
    if (Math.floor(one[0] / ROWS_PER_RANGE) === range) given.set(one[0] % ROWS_PER_RANGE, one);
  const written = rows.map(({ url }, at) => {
    const [, label, confidence] = given.get(at) ?? [];
    return label === undefined || confidence === undefined
      ? { url, label: null, confidence: null }
      : { url, label: labels[label] ?? null, confidence: confidence / 100 };
  });
  await deps.labels.write(order.crawl, written);
  deps.meter.add({ cpuMs: rows.length * CPU_MS_PER_ROW });
  return null;
}

async function writeClassification(groups: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const { passObjects } = deps;
  const { missing, isByMarks }: ClassExamples = await readExamples(deps, order);
  const { labels } = unpackJson<StoredModel>(await passObjects.bytes(order, "model"));
  const scores = unpackJson<Pick<Classification, "labels" | "macro" | "folds">>(
    await passObjects.bytes(order, "scores"),
  );
  const counts = labels.map(() => 0);
  for await (const [, label] of readGiven(groups, deps, order)) counts[label] = (counts[label] as number) + 1;
  const pages = Object.fromEntries(labels.map((label, i) => [label, counts[i] as number]));
  const result: Classification = { ...scores, pages, missing, isByMarks };
  await passObjects.putWholeResult(order, packJson(result));
  return null;
}
