import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../installation/package-root.ts";
import type { LedgerPlan } from "./migrate.ts";

/** A build of the Workers, as its folder holds it (make-build.ts), and as miniflare takes it. */

/** What `build.json` in the folder of a build holds. Its options have no paths: a package may lie anywhere. */
export interface KeptBuild {
  name: string;
  /** The Worker's options in wrangler.toml, as miniflare takes them. */
  options: WorkerOptions;
  /** The files of the Worker, relative to the folder. The entry comes first. */
  files: string[];
  /** The same of the page fetcher by itself (fetcher-process.ts). */
  fetcher: string[];
  reader: KeptReader;
  ledger: LedgerPlan;
}

/** The reader Worker. */
export interface KeptReader {
  compatibilityDate: string;
  compatibilityFlags: string[];
  files: string[];
}

export interface WorkerOptions {
  /** The values of [vars]. */
  bindings: Record<string, unknown>;
  [name: string]: unknown;
}

export interface WorkerBuild extends KeptBuild {
  /** The folder with the files of both Workers, and with an empty ledger for new state folders. */
  folder: string;
  reader: ReaderBuild;
}

export interface ReaderBuild extends KeptReader {
  folder: string;
}

export function readBuild(folder: string): WorkerBuild {
  const kept = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as KeptBuild;
  const assets = { ...(kept.options.assets as object), directory: join(ROOT, "public") };
  const options = { ...kept.options, rootPath: ROOT, assets };
  return { ...kept, options, reader: { ...kept.reader, folder }, folder };
}

/** The files of a build as miniflare takes them. `root`: the folder that stack traces name. */
export function modulesOf({ folder, files }: Pick<WorkerBuild, "folder" | "files">, root = folder) {
  const modules = files.map((file) => {
    const contents = readFileSync(join(folder, file), "utf8");
    return { type: "ESModule", path: join(root, file), contents };
  });
  return { modulesRoot: root, modules };
}
