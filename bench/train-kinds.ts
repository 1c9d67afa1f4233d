import { parseArgs } from "node:util";
import { probabilityOf } from "../src/media/html/article/boosted-trees.ts";
import { LEARNED_KINDS } from "../src/media/html/article/learned-kind.ts";
import { PAGE_FEATURES, pageFeatures } from "../src/media/html/article/page-features.ts";
import { halfOf, readWcxb } from "./page-sets.ts";
import { numbersFrom, trainTrees } from "./train/boosted-trees.ts";
import { openForBlocks } from "./train/open-page.ts";
import { writeModels } from "./train/write-model.ts";

/**
 * Trains the models that tell the kind of a page, from the even half of WCXB, prints how well they do on pages that
 * they were not trained on, and writes src/media/html/article/kind-model.ts:
 *
 *     node bench/train-kinds.ts --set FOLDER
 */

const OPTIONS = { trees: 100, leaves: 4, rate: 0.12, minWeight: 3, penalty: 3, rows: 0.7, columns: 0.4 };
/** Pages of a rare kind weigh more: by this power of how rare it is. */
const BALANCE = 0.6;
const FOLDS = 5;
/**
 * Other sites have other URLs and names, and most pages say nothing of themselves. So each page stands among the
 * examples a second time, with the URL of another page, without names, or without what it says: with these
 * probabilities, and this weight.
 */
const DISGUISES: [features: RegExp, probability: number][] = [
  [/^(?:depth|digits|query|slugWords|isHome|path )/, 0.7],
  [/^named /, 0.5],
  [/^(?:type|og) |^(?:isArticle|hasPrice|products)/, 0.5],
];
const DISGUISED_WEIGHT = 0.4;
const WIDTH = PAGE_FEATURES.length;

const { values } = parseArgs({ options: { set: { type: "string" } } });
if (values.set === undefined) throw new Error("node bench/train-kinds.ts --set FOLDER");

interface Example {
  type: string;
  row: Float32Array;
}

/** With the URL of another page, or without what it has. */
function disguised(row: Float32Array, other: Float32Array, random: () => number): Float32Array {
  const copy = row.slice();
  for (const [at, [features, probability]] of DISGUISES.entries()) {
    if (random() >= probability) continue;
    for (const [feature, name] of PAGE_FEATURES.entries())
      if (features.test(name)) copy[feature] = at === 0 ? (other[feature] ?? 0) : 0;
  }
  return copy;
}

function train(pages: readonly Example[]) {
  const random = numbersFrom(3);
  const copies = pages.map(({ type, row }) => {
    const other = pages[Math.floor(random() * pages.length)]?.row ?? row;
    return { type, row: disguised(row, other, random) };
  });
  const examples = [...pages, ...copies];
  const features = new Float32Array(examples.length * WIDTH);
  for (const [at, { row }] of examples.entries()) features.set(row, at * WIDTH);
  return LEARNED_KINDS.map((kind) => {
    const count = examples.filter(({ type }) => type === kind).length;
    const weight = ((examples.length - count) / Math.max(1, count)) ** BALANCE;
    const labels = Float32Array.from(examples, ({ type }) => Number(type === kind));
    const weights = labels.map((label, at) => (label === 1 ? weight : 1) * (at < pages.length ? 1 : DISGUISED_WEIGHT));
    return trainTrees({ width: WIDTH, features, labels, weights }, OPTIONS);
  });
}

const pages = readWcxb(values.set).filter(({ name }) => halfOf(name) === "even");
const examples = pages.flatMap(({ html, url, type }): Example[] => {
  const opened = openForBlocks(html, url);
  return opened === null ? [] : [{ type, row: pageFeatures(opened.tree, opened.claims) }];
});
const random = numbersFrom(7);
const folds = examples.map(() => Math.floor(random() * FOLDS));
const told: [kind: string, told: string][] = [];
for (let fold = 0; fold < FOLDS; fold++) {
  const models = train(examples.filter((_, at) => folds[at] !== fold));
  for (const { type, row } of examples.filter((_, at) => folds[at] === fold)) {
    const likely = models.map((model) => probabilityOf(model, row));
    told.push([type, LEARNED_KINDS[likely.indexOf(Math.max(...likely))] ?? ""]);
  }
}
for (const kind of LEARNED_KINDS) {
  const right = told.filter(([is, says]) => is === kind && says === kind).length;
  const says = told.filter(([, one]) => one === kind).length;
  const is = told.filter(([one]) => one === kind).length;
  console.error(`${kind}: precision ${(right / says).toFixed(2)}, recall ${(right / is).toFixed(2)}`);
}
const models = train(examples);
writeModels(Object.fromEntries(LEARNED_KINDS.map((kind, at) => [kind, models[at] as (typeof models)[number]])), {
  name: "KIND_MODELS",
  path: "article/kind-model.ts",
  script: import.meta.filename,
  features: PAGE_FEATURES,
});
