import { execFileSync } from "node:child_process";
import type { Running } from "./cli.ts";

/** SIGKILL of the command and of all that it started. */
export async function killAll({ child: { pid = 0 }, ended }: Running): Promise<void> {
  for (const each of [...descendants(pid), pid]) process.kill(each, "SIGKILL");
  await ended;
}

/** All processes below one. */
function descendants(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    table.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}
