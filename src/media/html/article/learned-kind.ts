import type { PageKind } from "../../document.ts";
import { probabilityOf, readTrees } from "./boosted-trees.ts";
import type { BlockTree } from "./content-blocks.ts";
import { KIND_MODELS } from "./kind-model.ts";
import { type PageClaims, pageFeatures } from "./page-features.ts";

/** Tells the kind of a page by its shape, with models that were trained on pages (bench/train-kinds.ts). */

/** The kinds that a model knows, one for each. */
export const LEARNED_KINDS = [
  "article",
  "documentation",
  "service",
  "listing",
  "collection",
  "product",
  "forum",
] as const satisfies readonly PageKind[];

const MODELS = LEARNED_KINDS.map((kind) => readTrees(KIND_MODELS[kind]));

/** The most likely kind. */
export function learnedKind(tree: BlockTree, claims: PageClaims): PageKind {
  const row = pageFeatures(tree, claims);
  const likely = MODELS.map((model) => probabilityOf(model, row));
  return LEARNED_KINDS[likely.indexOf(Math.max(...likely))] ?? "other";
}
