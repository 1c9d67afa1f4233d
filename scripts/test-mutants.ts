/**
 * `npm run test:mutants -- --rooms frontier,store,lifecycle,host --count 100 [--seed N] [--files GLOB] [--quick]`:
 * makes small changes in the sources, drawn at random, one at a time in a copy of the tree, and says which ones no unit
 * or workerd test notices. Exits with 1 if there is one that scripts/mutants/equivalent.json does not list. `--quick`
 * runs only the tests that have most to do with a source, so more mutants survive.
 *
 * Stryker does not fit. Its runner for Vitest needs Node's processes or threads, and most of these tests run inside
 * workerd. It also makes no changes inside SQL, where half of the rules stand.
 */
import { readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { parseArgs } from "node:util";
import { CopiedTree } from "./mutants/copied-tree.ts";
import { findMutants, type Mutant } from "./mutants/find-mutants.ts";
import { listScripts, readTestsOf } from "./mutants/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
/** The workerd test files that run first: they have most to do with the source. */
const NEAR = 6;
/** A mutant that takes longer hangs. */
const MOST_MS = { near: 600_000, wide: 2_400_000 };

const { values } = parseArgs({
  options: {
    rooms: { type: "string", default: "frontier,store,lifecycle,host" },
    count: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 1000)) },
    files: { type: "string", default: "**" },
    quick: { type: "boolean", default: false },
  },
});

interface Drawn extends Mutant {
  file: string;
}

const equivalent: Pick<Drawn, "file" | "before" | "after">[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "mutants", "equivalent.json"), "utf8"),
);
const drawn = draw(
  values.rooms.split(",").flatMap((room) => listScripts(ROOT, join("src", room)).flatMap(mutantsOf)),
  Number(values.seed),
).slice(0, Number(values.count));
console.log(`${drawn.length} mutants, seed ${values.seed}`);

const testsOf = readTestsOf(ROOT);
/** For each source, the tests that have noticed a mutant of it. They go first. */
const noticed = new Map<string, Set<string>>();
/** Tests that passed without a mutant, and others. */
const sound = new Set<string>();
const broken = new Set<string>();
const tree = new CopiedTree(ROOT);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    tree.remove();
    process.exit(1);
  });
try {
  const survivors: Drawn[] = [];
  for (const mutant of drawn) {
    const end = await test(mutant);
    console.log(`${end.padEnd(12)} ${mutant.file}:${mutant.line}\n  - ${mutant.before}\n  + ${mutant.after}`);
    if (end === "SURVIVES") survivors.push(mutant);
  }
  console.log(`${survivors.length} of ${drawn.length} mutants survive (seed ${values.seed})`);
  for (const { file, line, before, after } of survivors) console.log(`${file}:${line}\n  - ${before}\n  + ${after}`);
  if (survivors.length > 0) process.exitCode = 1;
} finally {
  tree.remove();
}

function mutantsOf(file: string): Drawn[] {
  if (!matchesGlob(file, join("**", values.files))) return [];
  const mutants = findMutants(readFileSync(join(ROOT, file), "utf8")).map((mutant) => ({ file, ...mutant }));
  return mutants.filter((mutant) => !equivalent.some((known) => isSame(known, mutant)));
}

function isSame(a: Pick<Drawn, "file" | "before" | "after">, b: Pick<Drawn, "file" | "before" | "after">): boolean {
  return a.file === b.file && a.before === b.before && a.after === b.after;
}

/** All of them, in an order that the seed determines (Fisher and Yates, mulberry32). */
function draw<T>(all: readonly T[], seed: number): T[] {
  let state = seed | 0;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const order = all.map((item) => ({ item, at: random() }));
  return order.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

/** Runs the unit tests, which take seconds, then the nearest tests inside workerd, and all others last. */
async function test(mutant: Drawn): Promise<string> {
  const { file, source } = mutant;
  const all = testsOf(file).filter((name) => !broken.has(name));
  const unit = all.filter((name) => name.startsWith("test/unit/"));
  const workerd = all.slice(unit.length);
  const near = new Set([...(noticed.get(file) ?? []), ...workerd.slice(0, NEAR)]);
  const run = await tree.withFile(file, source, async () => {
    for (const files of [unit, [...near]]) {
      const first = await tree.runTests(files, MOST_MS.near);
      if (first.result !== "passed") return first;
    }
    if (!(await tree.compiles())) return { result: "not compiled", failed: [] } as const;
    const others = values.quick ? [] : workerd.filter((name) => !near.has(name));
    return tree.runTests(others, MOST_MS.wide);
  });
  if (run.result === "passed") return "SURVIVES";
  if (run.result !== "failed") return run.result;
  if (await failsWithout(run.failed)) return test(mutant);
  const inWorkerd = run.failed.filter((name) => workerd.includes(name));
  noticed.set(file, new Set([...inWorkerd, ...(noticed.get(file) ?? [])].slice(0, NEAR)));
  return "noticed";
}

/** Whether tests fail although there is no mutant. They are left out from then on. */
async function failsWithout(failed: readonly string[]): Promise<boolean> {
  if (failed.length === 0) throw new Error("vitest fails and names no test");
  let fails = false;
  for (const name of failed.filter((file) => !sound.has(file))) {
    if ((await tree.runTests([name], MOST_MS.near)).result === "passed") sound.add(name);
    else {
      console.log(`${name} fails without a mutant, and is left out`);
      broken.add(name);
      fails = true;
    }
  }
  return fails;
}
