import { parseArgs } from "node:util";
import { BlockFeatures, FEATURES } from "../src/media/html/article/block-features.ts";
import { readSet, type TextPage } from "./text-sets.ts";
import { numbersFrom, type Rows, trainTrees } from "./train/boosted-trees.ts";
import { labelBlocks } from "./train/label-blocks.ts";
import { openForBlocks } from "./train/open-page.ts";
import { writeModel } from "./train/write-model.ts";

/**
 * Trains the model that tells content from surroundings, from the even halves of the sets (text-sets.ts), and writes
 * src/media/html/article/block-model.ts:
 *
 *     node bench/train-blocks.ts --set FOLDER --set FOLDER
 */

const OPTIONS = { trees: 300, leaves: 20, rate: 0.05, minWeight: 30, penalty: 10, rows: 0.7, columns: 0.5 };
/** The share of pages whose names are hidden from the model: names are hints, and other sites have others. */
const WITHOUT_NAMES = 0.3;
const FAR = 30;
const NAMED = FEATURES.flatMap((name, at) => (name.startsWith("named ") ? [at] : []));

const { values } = parseArgs({ options: { set: { type: "string", multiple: true } } });
if (values.set === undefined) throw new Error("node bench/train-blocks.ts --set FOLDER [--set FOLDER]");

const random = numbersFrom(1);

function rowsOf(page: TextPage): Rows | null {
  const opened = openForBlocks(page.html, page.url);
  if (opened === null) return null;
  const { tree, hints } = opened;
  if (tree.blocks.length === 0) return null;
  const written = new BlockFeatures(tree, hints);
  const width = FEATURES.length;
  const features = new Float32Array(tree.blocks.length * width);
  const isNameless = random() < WITHOUT_NAMES;
  for (const at of tree.blocks.keys()) {
    const row = features.subarray(at * width, (at + 1) * width);
    written.write(at, row);
    if (isNameless) for (const named of NAMED) row[named] = FAR;
  }
  return { width, features, ...labelBlocks(tree.blocks, page.truth) };
}

function joined(parts: readonly Rows[]): Rows {
  const join = (of: (rows: Rows) => Float32Array) => {
    const all = new Float32Array(parts.reduce((sum, part) => sum + of(part).length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(of(part), at);
      at += of(part).length;
    }
    return all;
  };
  return {
    width: FEATURES.length,
    features: join(({ features }) => features),
    labels: join(({ labels }) => labels),
    weights: join(({ weights }) => weights),
  };
}

const pages = values.set.flatMap((folder) => readSet(folder, "even"));
const rows = joined(pages.flatMap((page) => rowsOf(page) ?? []));
console.error(`${pages.length} pages, ${rows.labels.length} blocks`);
const model = trainTrees(rows, OPTIONS);
writeModel(model, {
  name: "BLOCK_MODEL",
  path: "article/block-model.ts",
  script: import.meta.filename,
  features: FEATURES,
});
