import { execFileSync, spawnSync } from "node:child_process";

/** The histories of the pages in a git repository. */

export interface PageHistory {
  path: string;
  /** Oldest first. A text that does not exist at a time is left out. */
  versions: { time: number; text: string }[];
}

/** The options of a bench that name a history; a bench may have other defaults. Lists are divided by commas. */
export const HISTORY_OPTIONS = {
  git: { type: "string" },
  ref: { type: "string", default: "HEAD" },
  under: { type: "string", default: "." },
  extension: { type: "string" },
  main: { type: "string", default: "main" },
  skip: { type: "string", default: "" },
  pages: { type: "string", default: "150" },
  versions: { type: "string", default: "40" },
  seed: { type: "string", default: "1" },
} as const;

type HistoryValues = { git?: string | undefined; extension?: string | undefined } & Record<
  "ref" | "under" | "main" | "skip" | "pages" | "versions" | "seed",
  string
>;

/** The history that the options name. `main` and `skip`: for `sourceText`. Throws Error without `--git`. */
export function readNamedHistory({ git, extension, ref, under, main, skip, pages, versions, seed }: HistoryValues) {
  if (git === undefined) throw new Error("Name a git repository of pages with --git.");
  const namesIn = (list: string) => list.split(",").filter((name) => name !== "");
  const wanted = { count: Number(pages), seed: Number(seed), maxVersions: Number(versions), ref, under };
  const histories = readHistories(git, { ...wanted, extension: extension ?? null });
  return { histories, main: namesIn(main), skip: namesIn(skip) };
}

const PAGES = /\.(html?|rst|md|adoc|txt)$/i;

/**
 * Reads up to `count` pages that have changed, chosen by `seed`, with up to `maxVersions` of their latest versions.
 * Times are those of the commits, in milliseconds. `under`: a folder. `extension`: without its dot; all by default.
 */
function readHistories(
  dir: string,
  wanted: { count: number; seed: number; maxVersions: number; ref: string; under: string; extension: string | null },
): PageHistory[] {
  const { count, seed, maxVersions, ref, under, extension } = wanted;
  const commitsByPath = listCommits(dir, ref, under);
  const chosen = [...commitsByPath]
    .filter(([path, commits]) => commits.length > 1 && PAGES.test(path))
    .filter(([path]) => extension === null || path.endsWith(`.${extension}`))
    .sort(([a], [b]) => orderOf(a, seed) - orderOf(b, seed))
    .slice(0, count);
  return chosen.map(([path, commits]) => ({ path, versions: readVersions(dir, path, commits.slice(-maxVersions)) }));
}

interface Commit {
  hash: string;
  time: number;
}

function listCommits(dir: string, ref: string, under: string): Map<string, Commit[]> {
  const format = ["--reverse", "--no-renames", "--no-merges", "--format=commit %H %ct", "--name-only"];
  const log = execFileSync("git", ["-C", dir, "-c", "core.quotepath=off", "log", ...format, ref, "--", under], {
    encoding: "utf8",
    maxBuffer: 2 ** 31 - 1,
  });
  const found = new Map<string, Commit[]>();
  let commit: Commit = { hash: "", time: 0 };
  for (const line of log.split("\n")) {
    const [, hash, seconds] = /^commit ([0-9a-f]{40,}) (\d+)$/.exec(line) ?? [];
    if (hash !== undefined) commit = { hash, time: Number(seconds) * 1_000 };
    else if (line !== "") {
      const commits = found.get(line);
      if (commits === undefined) found.set(line, [commit]);
      else commits.push(commit);
    }
  }
  return found;
}

function readVersions(dir: string, path: string, commits: readonly Commit[]): { time: number; text: string }[] {
  const input = commits.map(({ hash }) => `${hash}:${path}\n`).join("");
  const { stdout } = spawnSync("git", ["-C", dir, "cat-file", "--batch"], { input, maxBuffer: 2 ** 31 - 1 });
  const versions: { time: number; text: string }[] = [];
  let at = 0;
  for (const { time } of commits) {
    const lineEnd = stdout.indexOf(10, at);
    const [, size] = / blob (\d+)$/.exec(stdout.toString("utf8", at, lineEnd)) ?? [];
    at = lineEnd + 1;
    if (size === undefined) continue;
    versions.push({ time, text: stdout.toString("utf8", at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return versions.sort((a, b) => a.time - b.time);
}

/** A number that is the same for a path at each run. */
function orderOf(path: string, seed: number): number {
  let order = seed;
  for (const char of path) order = Math.imul(order ^ (char.codePointAt(0) ?? 0), 0x5bd1e995) ^ (order >>> 13);
  return order >>> 0;
}
