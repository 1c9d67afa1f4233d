import { execFileSync } from "node:child_process";
import type { Running } from "./cli.ts";

/** Sends SIGKILL to the command and to all processes below it. */
export async function killAll({ child: { pid = 0 }, ended }: Running): Promise<void> {
  for (const each of [...descendantsOf(pid), pid]) killIfThere(each);
  await ended;
}

/** Sends SIGKILL to a process, which may have ended with one that was killed before it. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The ids of all processes below one. */
export function descendantsOf(pid: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    table.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}
