import { readdirSync, readFileSync } from "node:fs";

/** The processes of a command, found by a variable of their environment that children inherit. Linux only. */

/** The processes whose environment has this entry, such as `NAME=value`. */
export function processesWith(entry: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(pid, "environ").split("\0").includes(entry));
}

/** Proportional set size in bytes: what several processes share counts once. 0 for a process that has ended. */
export function proportionalBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(read(pid, "smaps_rollup"))?.[1] ?? 0) * 1_024;
}

export function commandOf(pid: number): string {
  return read(pid, "cmdline").replaceAll("\0", " ").slice(0, 100);
}

/** Empty for a process that has ended or is not ours. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
