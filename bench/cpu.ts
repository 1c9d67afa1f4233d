/** CPU time of a running program and its children, from /proc: Linux only. */
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { processTree } from "./memory.ts";

/** The clock tick of Linux on all usual machines. */
const TICK_MS = 10;

/**
 * Milliseconds, user and system, of the processes in the tree under `rootPid` whose executable is called `executable`.
 */
export function cpuMs(rootPid: number, executable: string): number {
  let ms = 0;
  for (const pid of processTree(rootPid)) {
    try {
      if (basename(readlinkSync(`/proc/${pid}/exe`)) !== executable) continue;
      // The name, in parentheses, may hold spaces; utime and stime are the 14th and 15th fields.
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      ms += (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    } catch {
      // The process ended meanwhile, and its time is lost.
    }
  }
  return ms;
}
