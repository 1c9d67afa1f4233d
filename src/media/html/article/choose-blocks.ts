import type { PageKind } from "../../document.ts";
import { BlockFeatures, FEATURES, type PageHints } from "./block-features.ts";
import { BLOCK_MODEL } from "./block-model.ts";
import { probabilityOf, readTrees } from "./boosted-trees.ts";
import type { BlockTree } from "./content-blocks.ts";
import { keepStructure } from "./keep-structure.ts";

/** Chooses the blocks of a page that are its content, by a model that was trained on pages (bench/train-blocks.ts). */

const MODEL = readTrees(BLOCK_MODEL);

/** How hard a page of a kind is cut: factors of the threshold. */
const HARDNESS: Partial<Record<PageKind, number>> = { article: 1.3, documentation: 0.8 };

/**
 * The model is surer of the pages that it learned from than of others. Multiplies the logarithm of the odds: the best
 * factor on pages that were held back (Guo et al., On Calibration of Modern Neural Networks, 2017,
 * https://proceedings.mlr.press/v70/guo17a.html).
 */
const CAUTION = 0.85;

/** The share of the threshold from which on a block is kept where nearly all around it is. */
const NEARLY = 0.7;

/** Whether each block is content. */
export function chooseBlocks(tree: BlockTree, hints: PageHints, kind: PageKind): boolean[] {
  const probabilities = probabilitiesOf(tree, hints).map(cautious);
  const threshold = thresholdOf(tree, probabilities) * (HARDNESS[kind] ?? 1);
  const kept = Array.from(probabilities, (probability) => probability >= threshold);
  keepStructure(tree, kept, (index) => at(probabilities, index) >= threshold * NEARLY);
  return kept;
}

/** The probability of each block to be content. */
export function probabilitiesOf(tree: BlockTree, hints: PageHints, model = MODEL): Float32Array {
  const features = new BlockFeatures(tree, hints);
  const row = new Float32Array(FEATURES.length);
  return Float32Array.from(tree.blocks, (_, at) => {
    features.write(at, row);
    return probabilityOf(model, row);
  });
}

function cautious(probability: number): number {
  return 1 / (1 + (1 / probability - 1) ** CAUTION);
}

/**
 * The probability from which on a block is kept: it makes the expected F1 of the kept text the greatest. That is half
 * of the greatest F1 (Lipton et al., Optimal Thresholding of Classifiers to Maximize F1 Measure, 2014,
 * https://doi.org/10.1007/978-3-662-44851-9_15): a page whose blocks are hard to tell apart is cut less.
 */
export function thresholdOf({ blocks }: BlockTree, probabilities: Float32Array): number {
  const order = [...probabilities.keys()].sort((a, b) => at(probabilities, b) - at(probabilities, a));
  let content = 0;
  for (const [index, { characters }] of blocks.entries()) content += characters * at(probabilities, index);
  let kept = 0;
  let found = 0;
  let best = 0;
  for (const index of order) {
    const characters = blocks[index]?.characters ?? 0;
    kept += characters;
    found += characters * at(probabilities, index);
    best = Math.max(best, (2 * found) / (kept + content));
  }
  return best / 2;
}

function at(list: Float32Array, index: number): number {
  return list[index] ?? 0;
}
