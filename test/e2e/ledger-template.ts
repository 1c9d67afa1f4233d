import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { MAIN, scratch } from "./cli.ts";

/**
 * A state folder whose ledger is as migrations leave it, made once for all tests: making one takes as long as the rest of a start. `serve` and
 * `crawl` of cli.ts begin with a copy; commands that a test runs by itself begin with nothing, as a person's first one does.
 */
export default function setup(project: TestProject): () => void {
  const folder = scratch();
  const path = join(folder.path, "state");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "list", "--state", path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no ledger could be made: ${stderr}`);
  project.provide("ledgerTemplate", path);
  return folder.remove;
}

declare module "vitest" {
  export interface ProvidedContext {
    ledgerTemplate: string;
  }
}
