/** CPU time of a program and of the processes that it started, from /proc. */
import { readFileSync } from "node:fs";
import { processTree } from "./memory.ts";

/** Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU time that the living processes of the tree have used. Undefined where /proc is missing. */
export function cpuSecondsOf(pid: number): number | undefined {
  const seconds = processTree(pid).map((member) => {
    try {
      // The fields after the name, which stands in parentheses and may hold spaces: proc(5).
      const fields = readFileSync(`/proc/${member}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    } catch {
      // It has ended.
      return undefined;
    }
  });
  const known = seconds.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0);
}
