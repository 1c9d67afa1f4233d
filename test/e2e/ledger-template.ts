import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { MAIN, scratch } from "./cli.ts";

/**
 * A state folder whose ledger is as migrations leave it, made once for all tests: making one takes as long as the rest of a start. `serve` and
 * `crawl` of cli.ts begin with a copy; commands that a test runs by itself begin with nothing, as a person's first one does.
 */
export default function setup(): () => void {
  const folder = scratch();
  const path = join(folder.path, "state");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "list", "--state", path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no ledger could be made: ${stderr}`);
  process.env.LEDGER_TEMPLATE = path;
  return folder.remove;
}
