import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** Says which tests concern a source: those that import it, by however many steps. */

const IMPORT = /^(?:import|export)\b(?! type\b)[^"';]*?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

/**
 * Reads `src` and the unit and workerd tests of a tree, and returns what lists the tests of a source: unit tests first,
 * then those whose name has most words of its name, then those that import it by the fewest steps, then those that
 * import the least. Paths are relative to `root`.
 */
export function readTestsOf(root: string): (source: string) => string[] {
  const imports = new Map<string, string[]>();
  for (const file of [...listScripts(root, "src"), ...listScripts(root, "test")]) {
    const found = readFileSync(join(root, file), "utf8").matchAll(IMPORT);
    const paths = Array.from(found, ([, by, later]) => relative(root, join(root, dirname(file), by ?? later ?? "")));
    imports.set(file, paths);
  }
  const tests = Array.from(imports.keys(), (file) => ({ file, steps: stepsFrom(file, imports) })).filter(({ file }) =>
    /^test\/(unit|workerd)\/.*\.test\.ts$/.test(file),
  );
  return (source) =>
    tests
      .flatMap(({ file, steps }) => {
        const far = steps.get(source);
        return far === undefined
          ? []
          : [{ file, far, named: sharedWords(file, source), reach: steps.size, isUnit: file.startsWith("test/unit/") }];
      })
      .sort((a, b) => Number(b.isUnit) - Number(a.isUnit) || b.named - a.named || a.far - b.far || a.reach - b.reach)
      .map(({ file }) => file);
}

function sharedWords(test: string, source: string): number {
  const wordsOf = (file: string) => basename(file).split(".", 1).join().split("-");
  const words = new Set(wordsOf(source));
  return wordsOf(test).filter((word) => words.has(word)).length;
}

/** How many imports lead from a file to each one that it reaches. */
function stepsFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Map<string, number> {
  const steps = new Map([[file, 0]]);
  for (const [at, far] of steps)
    for (const next of imports.get(at) ?? []) if (!steps.has(next)) steps.set(next, far + 1);
  return steps;
}

/** All scripts below a folder, relative to `root`. */
export function listScripts(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
    .map((file) => join(folder, file))
    .sort();
}
