import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../installation/package-root.ts";
import { bundleWorkers, NEW_REGISTRY } from "./bundle-worker.ts";
import { type LedgerPlan, makeLedger } from "./migrate.ts";
import type { KeptBuild } from "./stored-build.ts";

/** Makes the build of the Workers, of the sources, and of wrangler.toml as wrangler reads it for a deploy. */

const CONFIG = join(ROOT, "wrangler.toml");
const READER_CONFIG = join(ROOT, "wrangler.reader.toml");
const MIGRATIONS = join(ROOT, "migrations");

/** Takes seconds. `folder` appears whole or not at all. */
export async function makeBuild(folder: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  const bundled = bundleWorkers(partial);
  // What fails below is said first.
  bundled.catch(() => undefined);
  const wrangler = await import("wrangler");
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
  const { compatibility_date: date = "", compatibility_flags: flags } = wrangler.unstable_readConfig({
    config: READER_CONFIG,
  });
  const [{ main, reader, fetcher }] = await Promise.all([bundled, makeLedger(partial, ledger, compatibility_date)]);
  const kept: KeptBuild = {
    name,
    // `vars`: not the values of .dev.vars, which are secret. miniflare simulates each kind of binding in Workers of
    // their own, which all start with ours. Here nothing counts requests, and the Worker has no use for the Cache API.
    options: { ...options, ...registryOf(options), bindings: vars, cacheAPI: false },
    files: main,
    fetcher,
    reader: { compatibilityDate: date, ...registryOf({ compatibilityFlags: flags }), files: reader },
    ledger,
  };
  writeFileSync(join(partial, "build.json"), JSON.stringify(kept));
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

function registryOf({ compatibilityFlags = [] }: { compatibilityFlags?: string[] }): { compatibilityFlags: string[] } {
  return { compatibilityFlags: [...compatibilityFlags, NEW_REGISTRY] };
}
