import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { MAIN, scratch } from "./cli.ts";

/**
 * A state folder with a migrated, empty ledger, made once for all tests, because migrations take half of the time of a
 * start. `serve` and `crawl` of cli.ts start with a copy. Other commands in tests start without a state folder, like a
 * user's first command.
 */
export default function setup(): () => void {
  const folder = scratch();
  const path = join(folder.path, "state");
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "list", "--state", path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`no ledger could be made: ${stderr}`);
  process.env.LEDGER_TEMPLATE = path;
  return folder.remove;
}
