import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { IS_PACKAGE, ROOT } from "../installation/package-root.ts";
import type { KeptBuild } from "./make-build.ts";

/**
 * The Worker in one file, and the reader Worker in another, with what miniflare needs to run it. make-build.ts makes it
 * of the sources, which takes seconds. So the build is kept, under a name that is the digest of all that goes into it.
 * A package has one and no sources.
 */

export interface WorkerBuild extends KeptBuild {
  /** The file with the Worker. */
  script: string;
  reader: KeptBuild["reader"] & { script: string };
  /** A folder with an empty ledger, for new state folders. */
  emptyLedger: string;
}

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
  const name = `worker-${digestOfSources()}`;
  const shared = join(CACHE, name);
  const folder = existsSync(shared) ? shared : cacheFolder(state, name);
  if (!existsSync(folder)) {
    // Loaded here: it costs time, and a package has none.
    const { makeBuild } = await import("./make-build.ts");
    await makeBuild(folder);
    removeOthers(folder);
  }
  return readBuild(folder);
}

function readBuild(folder: string): WorkerBuild {
  const kept = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as KeptBuild;
  const assets = { ...(kept.options.assets as object), directory: join(ROOT, "public") };
  const options = { ...kept.options, rootPath: ROOT, assets };
  const reader = { ...kept.reader, script: join(folder, "reader.js") };
  return { ...kept, options, script: join(folder, "index.js"), reader, emptyLedger: folder };
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

function digestOfSources(): string {
  const digest = createHash("sha256");
  for (const file of [
    ...["wrangler.toml", "wrangler.reader.toml", "package-lock.json"].map((name) => join(ROOT, name)),
    ...filesIn("src"),
    ...filesIn("migrations"),
  ])
    digest.update(`\0${file}\0`).update(readFileSync(file));
  return digest.digest("hex").slice(0, 16);
}

/** The files below a folder of the project: what makes the build is among them. */
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
