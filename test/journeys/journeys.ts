import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findBrowser } from "../e2e/browser.ts";
import { scratch } from "../e2e/cli.ts";
import { unpackPackage } from "../e2e/unpacked.ts";
import { archiveASite } from "./archive-a-site.ts";
import { checkASite } from "./check-a-site.ts";
import { crawlASubject } from "./crawl-a-subject.ts";
import { feedAModel } from "./feed-a-model.ts";
import { Journey, type Step } from "./journey.ts";
import { useTheLibrary } from "./use-the-library.ts";
import { fastClock, watchASite } from "./watch-a-site.ts";

/**
 * `npm run journeys`: the ways of six users, by the command and the library of the package that `npm pack` makes, each
 * in a clean folder, with sites on loopback. Each step is judged and timed; the exit code is 1 if one failed.
 * `--only WORD` takes the users whose name has it. `--against` does the same with another clone or unpacked package, or
 * with the package of an earlier commit, branch or tag of this repository, and prints a table that compares them.
 */

const USERS: Record<string, { go: (journey: Journey) => Promise<void>; variables?: () => Record<string, string> }> = {
  "feeds a model": { go: feedAModel },
  "archives a site": { go: archiveASite },
  "watches a site": { go: watchASite, variables: fastClock },
  "crawls a subject": { go: crawlASubject },
  "checks a site": { go: checkASite },
  "uses the library": { go: useTheLibrary },
};

const { values } = parseArgs({ options: { only: { type: "string" }, against: { type: "string" } } });

/** The script of the other command: of a folder, or of a revision, which is packed in a worktree below `scratch`. */
function otherCommand(against: string, scratch: string): string {
  if (existsSync(resolve(against))) return commandOf(against);
  const root = join(import.meta.dirname, "..", "..");
  const tree = join(scratch, "worktree");
  execFileSync("git", ["worktree", "add", "--detach", "--quiet", tree, against], { cwd: root, stdio: "inherit" });
  try {
    // Its dependencies may be others than ours.
    execFileSync("npm", ["ci", "--silent"], { cwd: tree, stdio: "inherit" });
    const folder = join(scratch, "other");
    mkdirSync(folder);
    return unpackPackage(folder, tree);
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", tree], { cwd: root, stdio: "inherit" });
  }
}

/** The script of the command: an older clone has no `bin`. */
function commandOf(folder: string): string {
  const places = ["bin/orbweaver.js", "src/cli/main.js"].map((path) => join(resolve(folder), path));
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${folder} is no clone and no package of Orbweaver`);
  return found;
}

async function travel(user: string, script: string, home: string): Promise<Step[]> {
  const { go, variables = () => ({}) } = USERS[user] ?? { go: () => Promise.reject(new Error(user)) };
  const browser = findBrowser("a site that is made of scripts");
  const journey = new Journey(script, home, {
    ...(browser === undefined ? {} : { CHROME_PATH: browser }),
    ...variables(),
  });
  try {
    await go(journey);
  } catch (error) {
    console.error(error instanceof Error ? error.stack : error);
    if (!journey.steps.some(({ problem }) => problem !== null))
      journey.steps.push({ name: "between two steps", seconds: 0, problem: String(error) });
  } finally {
    await journey.close();
  }
  return journey.steps;
}

const dir = scratch();
const rows: string[] = [];
let failed = 0;
try {
  const packed = unpackPackage(dir.path);
  const other = values.against === undefined ? undefined : otherCommand(values.against, dir.path);
  for (const [at, user] of Object.keys(USERS).entries()) {
    if (!user.includes(values.only ?? "")) continue;
    console.log(`\nSomebody ${user}:`);
    const steps = await travel(user, packed, join(dir.path, `home-${at}`));
    failed += steps.filter(({ problem }) => problem !== null).length;
    if (other !== undefined) console.log(`\nThe same with ${values.against}:`);
    const others = other === undefined ? [] : await travel(user, other, join(dir.path, `other-${at}`));
    rows.push("", `Somebody ${user}`, ...steps.map((step, i) => rowOf(step, others[i])));
    rows.push(rowOf(sumOf(steps), other === undefined ? undefined : sumOf(others)));
  }
} finally {
  dir.remove();
}
if (values.against !== undefined)
  rows.unshift(`\nSeconds here, with ${values.against}, and their ratio (below 1: faster here)`);
console.log(rows.join("\n"));
console.log(failed === 0 ? "\nEvery step did what it should." : `\n${failed} failed.`);
process.exitCode = failed === 0 ? 0 : 1;

function rowOf({ name, seconds, problem }: Step, other?: Step): string {
  const own = `${seconds.toFixed(1).padStart(7)} s`;
  const ratio = other?.problem === null ? (seconds / other.seconds).toFixed(2) : "failed";
  const beside = other === undefined ? "" : `${other.seconds.toFixed(1).padStart(7)} s ${ratio.padStart(6)}`;
  return `${own}${beside}  ${problem === null ? "" : "FAILED "}${name}`;
}

function sumOf(steps: Step[]): Step {
  return {
    name: "in all",
    seconds: steps.reduce((sum, step) => sum + step.seconds, 0),
    problem: steps.find(({ problem }) => problem !== null)?.problem ?? null,
  };
}
