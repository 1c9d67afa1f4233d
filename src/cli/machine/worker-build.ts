import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { IS_PACKAGE, ROOT } from "../installation/package-root.ts";
import { readBuild, type WorkerBuild } from "./stored-build.ts";

/**
 * The files of the Worker and of the reader Worker, with what miniflare needs to run them. make-build.ts makes them of
 * the sources, which takes seconds. So the build is kept, under a name that is the digest of all that goes into it.
 * A package has one and no sources.
 */

/** The build of a package, and where `scripts/build-package.ts` puts it. */
export const PACKAGED = join(ROOT, "dist", "worker");
/** Kept beside the packages: `npm ci` removes it, and the next command makes it again. main.js names it too. */
const CACHE = join(ROOT, "node_modules", ".cache", "orbweaver");
/** Other builds are removed when nobody can be starting from them. */
const BUILDS_KEPT_MS = 3_600_000;

/**
 * The kept build, or a new one. It is kept in `state` where node_modules cannot be written. Throws if the build fails.
 */
export async function buildWorker(state: string): Promise<WorkerBuild> {
  if (IS_PACKAGE) return readBuild(PACKAGED);
  const last = lastBuild();
  if (last !== null) return readBuild(last);
  const files = sourceFiles();
  const times = timesOf(files);
  const name = `worker-${digestOf(files)}`;
  const shared = join(CACHE, name);
  const folder = existsSync(shared) ? shared : cacheFolder(state, name);
  if (!existsSync(folder)) {
    // Loaded here: it costs time, and a package has none.
    const { makeBuild } = await import("./make-build.ts");
    await makeBuild(folder);
    removeOthers(folder);
  }
  if (folder === shared) noteLast({ name, root: ROOT, ...times });
  return readBuild(folder);
}

/** A folder for what can be made again: beside the packages, or in `state` where node_modules cannot be written. */
export function cacheFolder(state: string, name: string): string {
  return join(!IS_PACKAGE && isWritable(CACHE) ? CACHE : state, name);
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The last build that was used, with the size and time of each file that it was made of, as at that start. */
const LAST = join(CACHE, "last-build.json");

interface LastBuild {
  name: string;
  /** The folder of the project: two of them may share their packages. */
  root: string;
  files: [path: string, size: number, mtimeMs: number][];
  /** The folders of those files. A file that is added or removed changes the time of one. */
  folders: [path: string, mtimeMs: number][];
}

/** Its folder if nothing has changed since, as far as sizes and times tell: reading all sources takes 60 ms. */
function lastBuild(): string | null {
  if (!existsSync(LAST)) return null;
  const { name, root, files, folders } = JSON.parse(readFileSync(LAST, "utf8")) as LastBuild;
  const isSame =
    root === ROOT &&
    folders.every(([path, mtimeMs]) => statSync(path, { throwIfNoEntry: false })?.mtimeMs === mtimeMs) &&
    files.every(([path, size, mtimeMs]) => {
      const now = statSync(path, { throwIfNoEntry: false });
      return now?.size === size && now.mtimeMs === mtimeMs;
    });
  const folder = join(CACHE, name);
  return isSame && existsSync(folder) ? folder : null;
}

function timesOf(paths: readonly string[]): Pick<LastBuild, "files" | "folders"> {
  const files = paths.map((path): LastBuild["files"][number] => {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  });
  // Of the project's own folder, only the files that are named make the build.
  const folders = [...new Set(paths.map(dirname))].filter((path) => path !== ROOT);
  return { files, folders: folders.map((path) => [path, statSync(path).mtimeMs]) };
}

function noteLast(build: LastBuild): void {
  const partial = `${LAST}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(build));
  renameSync(partial, LAST);
}

/** The files that make the build: what makes it is among them. */
function sourceFiles(): string[] {
  return [
    ...["wrangler.toml", "wrangler.reader.toml", "package-lock.json", "tsconfig.json"].map((name) => join(ROOT, name)),
    ...filesIn("src"),
    ...filesIn("migrations"),
  ];
}

function digestOf(files: readonly string[]): string {
  const digest = createHash("sha256");
  for (const file of files) digest.update(`\0${file}\0`).update(readFileSync(file));
  return digest.digest("hex").slice(0, 16);
}

/** The files below a folder of the project. */
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function removeOthers(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const other = join(dirname(folder), name);
    if (!name.startsWith("worker-") || other === folder) continue;
    const age = Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > BUILDS_KEPT_MS) rmSync(other, { recursive: true, force: true });
  }
}
