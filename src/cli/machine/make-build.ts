import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import { ROOT } from "../installation/package-root.ts";
import { type LedgerPlan, makeLedger } from "./migrate.ts";

/** Makes the build of the Worker, of the sources and wrangler.toml, as wrangler does for a deploy. */

/** What `build.json` in the folder of a build holds. Its options have no paths: a package may lie anywhere. */
export interface KeptBuild {
  name: string;
  /** The Worker's options in wrangler.toml, as miniflare takes them. */
  options: WorkerOptions;
  /** The settings of the reader Worker. */
  reader: { compatibilityDate: string; compatibilityFlags: string[] };
  ledger: LedgerPlan;
}

export interface WorkerOptions {
  /** The values of [vars]. */
  bindings: Record<string, unknown>;
  [name: string]: unknown;
}

const CONFIG = join(ROOT, "wrangler.toml");
const READER_CONFIG = join(ROOT, "wrangler.reader.toml");
const MIGRATIONS = join(ROOT, "migrations");

/** Takes seconds. `folder` appears whole or not at all. */
export async function makeBuild(folder: string): Promise<void> {
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
    rootPath: ____,
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
}

/**
 * Each start hands the file to workerd, so it is minified. Functions keep their names in stack traces.
 * https://developers.cloudflare.com/workers/wrangler/commands/#deploy
 */
export async function bundle(folder: string, config: string): Promise<void> {
  const args = ["deploy", "--dry-run", "--minify", "--outdir", folder, "--config", config];
  const child = spawn(process.execPath, [findWrangler(), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error("wrangler could not build the Worker");
}

/** A package brings no wrangler, for only a hook is built there: that of the folder, then. Throws UserError. */
function findWrangler(): string {
  for (const folder of [ROOT, process.cwd()]) {
    try {
      const manifest = createRequire(join(folder, "package.json")).resolve("wrangler/package.json");
      return join(dirname(manifest), "bin", "wrangler.js");
    } catch {
      // The next folder may have it.
    }
  }
  throw new UserError("wrangler builds the hook, and it is not installed. Run this here first: npm install wrangler");
}
