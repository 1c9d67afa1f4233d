import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/** The processes that work for one command: the host process leads their group, with workerd and esbuild in it. */

/**
 * Ends the group that this process leads when this process ends, even by SIGKILL, which no handler sees. A shell waits
 * for the end of a pipe whose other end only this process has, so the kernel closes it.
 *
 * Windows has no such groups; there the children of a process end with it, unless they are detached
 * (https://docs.libuv.org/en/v1.x/process.html).
 */
export function endGroupWithProcess(): void {
  if (process.platform === "win32") return;
  const guard = spawn("/bin/sh", ["-c", 'read -r _; kill -s KILL -- "-$0"', String(process.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.once("error", (error) => console.error(`workerd may outlive a kill of this process: ${error.message}`));
  guard.unref();
  (guard.stdin as Socket).unref();
}

/** Ends a process that leads a group, and its group, at once. Resolves when the process has ended. */
export async function killGroup(leader: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => leader.once("exit", resolve));
  if (leader.exitCode !== null || leader.signalCode !== null || leader.pid === undefined) return;
  if (process.platform === "win32") leader.kill("SIGKILL");
  else process.kill(-leader.pid, "SIGKILL");
  await ended;
}
