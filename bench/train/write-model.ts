import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BoostedTrees, writeTrees } from "../../src/media/html/article/boosted-trees.ts";

/**
 * Writes a trained model as a module of src/media/html, formatted as the project's files are, and prints how often it
 * asks each feature. `script`: the file that trained it.
 */
export function writeModel(
  model: BoostedTrees,
  { name, path, script, features }: { name: string; path: string; script: string; features: readonly string[] },
): void {
  const uses = Map.groupBy(model.features, (feature) => feature);
  for (const [feature, { length }] of [...uses].toSorted(([, a], [, b]) => b.length - a.length))
    if (feature >= 0) console.error(`${String(length).padStart(5)} ${features[feature]}`);
  const types = path.startsWith("article/") ? "./boosted-trees.ts" : "../article/boosted-trees.ts";
  const { base, trees, nodes, data } = writeTrees(model);
  writeFileSync(
    join(import.meta.dirname, "../../src/media/html", path),
    `import type { WrittenTrees } from "${types}";

/** Made by bench/${basename(script)}, which says from what. */
export const ${name}: WrittenTrees = {
  base: ${base},
  trees: ${trees},
  nodes: ${nodes},
  data: "${data}",
};
`,
  );
}
