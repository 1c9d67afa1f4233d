import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** The processes of a browser: those of the group that its first process leads. */

export interface BrowserProcess {
  pid: number;
  /** Draws pages. With site isolation off, one process draws one page with all its frames. */
  isRenderer: boolean;
  /** Memory that it alone has, in bytes. On systems other than Linux, what it shares counts too. */
  bytes: number;
  /** CPU time since its start, in milliseconds. */
  cpuMs: number;
}

const run = promisify(execFile);
/** Of a second, for CPU times in /proc: 100 on every Linux (`getconf CLK_TCK`). */
const CPU_TICK_MS = 10;

/** `leader`: the process that leads the group. Empty if it has ended. */
export async function browserProcesses(leader: number): Promise<BrowserProcess[]> {
  return process.platform === "linux" ? fromProc(leader) : fromPs(leader);
}

/** By process, so that the others of the machine are read once. Cleared when it has grown. */
const groups = new Map<string, number>();
const MAX_KNOWN = 10_000;

function fromProc(leader: number): BrowserProcess[] {
  if (groups.size > MAX_KNOWN) groups.clear();
  return readdirSync("/proc").flatMap((name) => {
    // A browser's processes are younger than its first one; ids start again after millions.
    if (!/^\d+$/.test(name) || (groups.get(name) ?? leader) !== leader) return [];
    const [, afterName] = /\) (.*)/s.exec(read(name, "stat")) ?? [];
    const fields = afterName?.split(" ") ?? [];
    groups.set(name, Number(fields[2] ?? 0));
    if (Number(fields[2]) !== leader || fields[0] === "Z") return [];
    const status = read(name, "status");
    const kilobytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
    const bytes = 1_024 * (kilobytes("RssAnon") + kilobytes("RssShmem") + kilobytes("VmSwap"));
    const isRenderer = read(name, "cmdline").includes("--type=renderer");
    return [{ pid: Number(name), isRenderer, bytes, cpuMs: CPU_TICK_MS * (Number(fields[11]) + Number(fields[12])) }];
  });
}

/** Empty for a process that has ended. */
function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

async function fromPs(leader: number): Promise<BrowserProcess[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,pgid=,rss=,time=,args="], { maxBuffer: 2 ** 26 });
  return readPs(stdout, leader);
}

/** Reads the output of `ps -A -o pid=,pgid=,rss=,time=,args=`. */
export function readPs(output: string, leader: number): BrowserProcess[] {
  return output.split("\n").flatMap((line) => {
    const [pid, group, rss, time = "", ...args] = line.trim().split(/\s+/);
    if (Number(group) !== leader) return [];
    // `[days-]hours:minutes:seconds`, or `minutes:seconds.hundredths` on macOS.
    const seconds = time.split(/[-:]/).reduceRight((sum, part, at, all) => {
      const unit = [1, 60, 3_600, 86_400][all.length - 1 - at] ?? 0;
      return sum + unit * Number(part);
    }, 0);
    const isRenderer = args.includes("--type=renderer");
    return [{ pid: Number(pid), isRenderer, bytes: 1_024 * Number(rss), cpuMs: 1_000 * seconds }];
  });
}
