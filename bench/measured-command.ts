/** Runs the command line once, and measures its time and the memory of its processes. */
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../test/e2e/cli.ts";
import { residentBytes } from "./memory.ts";

export interface MeasuredCommand {
  stdout: string;
  seconds: number;
  /** The peaks of resident bytes: of all workerd processes, and of all Node processes of the command. */
  workerd: number;
  node: number;
}

const SAMPLE_MS = 500;

/** Throws unless it ends with 0. Each line that it prints on standard error is shown. */
export async function measureCommand(...args: string[]): Promise<MeasuredCommand> {
  const startedAt = performance.now();
  const { child, ended } = start(...args);
  child.stderr?.pipe(process.stderr);
  const peak = { workerd: 0, node: 0 };
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  for (; !hasEnded; await Promise.race([ended, sleep(SAMPLE_MS)]))
    for (const name of ["workerd", "node"] as const)
      peak[name] = Math.max(peak[name], residentBytes(child.pid ?? 0, name) ?? 0);
  const { code, stdout } = await ended;
  if (code !== 0) throw new Error(`orbweaver ${args.join(" ")} ended with ${code}`);
  return { stdout, seconds: (performance.now() - startedAt) / 1_000, ...peak };
}

/** In MiB, for a table. */
export function mebibytes(bytes: number): string {
  return Math.round(bytes / 1024 / 1024).toLocaleString("en");
}
