/** Resident memory of a running program and its children, from /proc: Linux only. */
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/**
 * Resident bytes (VmRSS) of the processes in the tree under `rootPid`, itself included, whose executable is called
 * `executable`. Undefined without /proc, or if no such process runs.
 */
export function residentBytes(rootPid: number, executable: string): number | undefined {
  if (!existsSync("/proc/self/status")) return undefined;
  let bytes: number | undefined;
  for (const pid of processTree(rootPid)) {
    const resident = ifReadable(() =>
      basename(readlinkSync(`/proc/${pid}/exe`)) === executable ? statusNumber(pid, "VmRSS") * 1024 : undefined,
    );
    if (resident !== undefined) bytes = (bytes ?? 0) + resident;
  }
  return bytes;
}

/** The process and its running descendants; only the process on systems without /proc. */
export function processTree(rootPid: number): number[] {
  if (!existsSync("/proc/self/status")) return [rootPid];
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const parent = ifReadable(() => statusNumber(pid, "PPid"));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [rootPid];
  // The loop also visits what it appends.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function statusNumber(pid: number, name: string): number {
  const value = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return value === undefined ? 0 : Number(value);
}

/** Undefined if the process ended meanwhile, or belongs to another user. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return undefined;
    throw error;
  }
}
