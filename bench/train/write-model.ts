import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type BoostedTrees, writeTrees } from "../../src/media/html/article/boosted-trees.ts";

interface Target {
  /** Of the constant. */
  name: string;
  path: string;
  /** The file that trained it. */
  script: string;
  features: readonly string[];
}

/**
 * Writes a trained model as a module of src/media/html, formatted as the project's files are, and prints how often it
 * asks each feature.
 */
export function writeModel(model: BoostedTrees, target: Target): void {
  printUses([model], target.features);
  writeModule("WrittenTrees", textOf(model, ""), target);
}

/** The same for several models by name. */
export function writeModels(models: Readonly<Record<string, BoostedTrees>>, target: Target): void {
  printUses(Object.values(models), target.features);
  const entries = Object.entries(models).map(([name, model]) => `  ${name}: ${textOf(model, "  ")},\n`);
  const names = Object.keys(models).map((name) => `"${name}"`);
  writeModule(`Record<${names.join(" | ")}, WrittenTrees>`, `{\n${entries.join("")}}`, target);
}

function writeModule(type: string, value: string, { name, path, script }: Target): void {
  const types = path.startsWith("article/") ? "./boosted-trees.ts" : "../article/boosted-trees.ts";
  writeFileSync(
    join(import.meta.dirname, "../../src/media/html", path),
    `import type { WrittenTrees } from "${types}";

/** Made by bench/${basename(script)}, which says from what. */
export const ${name}: ${type} = ${value};
`,
  );
}

function textOf(model: BoostedTrees, indent: string): string {
  const { base, trees, nodes, data } = writeTrees(model);
  const lines = [`base: ${base},`, `trees: ${trees},`, `nodes: ${nodes},`, `data: "${data}",`];
  return `{\n${lines.map((line) => `${indent}  ${line}\n`).join("")}${indent}}`;
}

function printUses(models: readonly BoostedTrees[], features: readonly string[]): void {
  const asked = models.flatMap((model) => [...model.features]);
  const uses = Map.groupBy(asked, (feature) => feature);
  for (const [feature, { length }] of [...uses].toSorted(([, a], [, b]) => b.length - a.length))
    if (feature >= 0) console.error(`${String(length).padStart(5)} ${features[feature]}`);
}
