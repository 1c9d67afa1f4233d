import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
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
import { type LedgerPlan, makeLedger } from "./migrate.ts";

/**
 * The Worker in one file, and the reader Worker in another, with what miniflare needs to run it. wrangler makes it of
 * the sources and wrangler.toml, as for a deploy, which takes seconds. So the build is kept, under a name that is the
 * digest of all that goes into it.
 */

export interface WorkerBuild {
  /** The file with the Worker. */
  script: string;
  /** The file with the reader Worker, and its compatibility settings. */
  reader: { script: string; compatibilityDate: string; compatibilityFlags: string[] };
  name: string;
  /** The Worker's options in wrangler.toml, as miniflare takes them. */
  options: WorkerOptions;
  ledger: LedgerPlan;
  /** A folder with an empty ledger, for new state folders. */
  emptyLedger: string;
}

type KeptBuild = Omit<WorkerBuild, "script" | "emptyLedger" | "reader"> & {
  reader: Omit<WorkerBuild["reader"], "script">;
};

export interface WorkerOptions {
  /** The values of [vars]. */
  bindings: Record<string, unknown>;
  [name: string]: unknown;
}

const ROOT = join(import.meta.dirname, "..", "..", "..");
const CONFIG = join(ROOT, "wrangler.toml");
const READER_CONFIG = join(ROOT, "wrangler.reader.toml");
const MIGRATIONS = join(ROOT, "migrations");
const WRANGLER = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
/** Kept beside the packages: `npm ci` removes it, and the next command makes it again. main.js names it too. */
const CACHE = join(ROOT, "node_modules", ".cache", "orbweaver");
/** Other builds are removed when nobody can be starting from them. */
const KEPT_MS = 3_600_000;

/**
 * The kept build, or a new one. It is kept in `state` where node_modules cannot be written. Throws if the build fails.
 */
export async function buildWorker(state: string): Promise<WorkerBuild> {
  const name = `worker-${digestOfSources()}`;
  const shared = join(CACHE, name);
  const folder = existsSync(shared) ? shared : cacheFolder(state, name);
  if (!existsSync(folder)) await build(folder);
  const kept = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as KeptBuild;
  const reader = { ...kept.reader, script: join(folder, "reader.js") };
  return { ...kept, script: join(folder, "index.js"), reader, emptyLedger: folder };
}

/** A folder for what can be made again: beside the packages, or in `state` where node_modules cannot be written. */
export function cacheFolder(state: string, name: string): string {
  return join(isWritable(CACHE) ? CACHE : state, name);
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

/** ROOT is part of it, because the options contain paths. */
function digestOfSources(): string {
  const digest = createHash("sha256").update(ROOT);
  for (const file of [
    CONFIG,
    READER_CONFIG,
    join(ROOT, "package-lock.json"),
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

async function build(folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const [wrangler] = await Promise.all([
    import("wrangler"),
    bundle(partial, CONFIG).then(() => bundle(partial, READER_CONFIG)),
  ]);
  const { name = "", vars, compatibility_date = "" } = wrangler.unstable_readConfig({ config: CONFIG });
  const {
    modulesRules: _,
    ratelimits: __,
    serviceBindings: ___,
    ...options
  } = wrangler.unstable_getMiniflareWorkerOptions(CONFIG).workerOptions;
  const split = (wrangler as unknown as { unstable_splitSqlQuery(sql: string): string[] }).unstable_splitSqlQuery;
  const migrations = readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({ name: file, statements: split(readFileSync(join(MIGRATIONS, file), "utf8")) }));
  const ledger: LedgerPlan = { d1Databases: options.d1Databases as Record<string, unknown>, migrations };
  // `vars`: not the values of .dev.vars, which are secret. miniflare simulates each kind of binding in Workers of their
  // own, which all start with ours. Here nothing counts requests, and the Worker has no use for the Cache API.
  const { compatibility_date: date = "", compatibility_flags: flags } = wrangler.unstable_readConfig({
    config: READER_CONFIG,
  });
  const reader = { compatibilityDate: date, compatibilityFlags: flags };
  const kept: KeptBuild = { name, options: { ...options, bindings: vars, cacheAPI: false }, reader, ledger };
  writeFileSync(join(partial, "build.json"), JSON.stringify(kept));
  await makeLedger(partial, ledger, compatibility_date);
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  removeOthers(folder);
}

/**
 * Each start hands the file to workerd, so it is minified. Functions keep their names in stack traces.
 * https://developers.cloudflare.com/workers/wrangler/commands/#deploy
 */
export async function bundle(folder: string, config: string): Promise<void> {
  const args = ["deploy", "--dry-run", "--minify", "--outdir", folder, "--config", config];
  const child = spawn(process.execPath, [WRANGLER, ...args], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error("wrangler could not build the Worker");
}

function removeOthers(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const other = join(dirname(folder), name);
    if (!name.startsWith("worker-") || other === folder) continue;
    const age = Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > KEPT_MS) rmSync(other, { recursive: true, force: true });
  }
}
