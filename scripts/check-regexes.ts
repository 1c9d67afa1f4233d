/**
 * `npm run regexes`: finds regular expressions in the sources that take time beyond all measure for some text, and says
 * for which. Exits with 1 if there is one that scripts/bounded-regexes.json does not list with what bounds it. It takes
 * half a minute. Of expressions that are made by `new RegExp`, it reads those that a module makes as it is loaded.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseSync } from "@swc/core"; // Biome and TypeScript 7 give no syntax trees to programs
import { check } from "recheck"; // finds attacks by automata and by fuzzing; the checkers by rules miss most of them

const ROOT = join(import.meta.dirname, "..");
/** For one expression. Few need as much. */
const TIMEOUT_MS = 10_000;

interface Place {
  file: string;
  pattern: string;
  flags: string;
}

const bounded: { file: string; pattern: string; why: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "bounded-regexes.json"), "utf8"),
);
const listed = new Set(bounded.map(({ file, pattern }) => `${file} ${pattern}`));
const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .sort()
  .map((name) => join("src", name));
const places = [...files.flatMap(regexesIn), ...(await madeRegexes(files))];

let toMend = 0;
for (const { file, pattern, flags } of places) {
  if (listed.delete(`${file} ${pattern}`)) continue;
  const found = await check(pattern, flags, { timeout: TIMEOUT_MS });
  // What the checker cannot read, because of the flag `v`, is not known to be slow.
  if (found.status === "safe" || (found.status === "unknown" && found.error.kind === "invalid")) continue;
  toMend += 1;
  const [why, attack] =
    found.status === "vulnerable" ? [found.complexity.summary, found.attack.pattern] : ["unknown", found.error.kind];
  console.log(`${file}: /${pattern}/${flags}\n  ${why}: ${attack}`);
}
for (const name of listed) {
  toMend += 1;
  console.log(`scripts/bounded-regexes.json lists what is not there: ${name}`);
}
console.log(`${places.length} regular expressions, ${toMend} to mend`);
if (toMend > 0) process.exitCode = 1;

function regexesIn(file: string): Place[] {
  const tree = parseSync(readFileSync(join(ROOT, file), "utf8"), { syntax: "typescript", tsx: file.endsWith("x") });
  const regexes = new Map<string, Place>();
  const open: unknown[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue;
    if ("type" in node && node.type === "RegExpLiteral") {
      const { pattern, flags } = node as unknown as Place;
      regexes.set(`${pattern} ${flags}`, { file, pattern, flags });
    }
    open.push(...Object.values(node));
  }
  return [...regexes.values()];
}

/** The expressions that modules make as they are loaded. */
async function madeRegexes(names: readonly string[]): Promise<Place[]> {
  const makers = names.filter((file) => /new RegExp\(/.test(readFileSync(join(ROOT, file), "utf8")));
  const made = new Map<string, Place>();
  const { RegExp: original } = globalThis;
  globalThis.RegExp = new Proxy(original, {
    construct(target, args, newTarget) {
      const regex: RegExp = Reflect.construct(target, args, newTarget);
      const [, , caller = ""] = new Error().stack?.split("\n") ?? [];
      const file = makers.find((name) => caller.includes(`/${name}:`));
      if (file !== undefined) made.set(`${file} ${regex}`, { file, pattern: regex.source, flags: regex.flags });
      return regex;
    },
  });
  try {
    for (const file of makers) await import(pathToFileURL(join(ROOT, file)).href);
  } finally {
    globalThis.RegExp = original;
  }
  return [...made.values()];
}
