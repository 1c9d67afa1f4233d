import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** Starts workerd itself, without miniflare. */

/** A workerd that listens. */
interface Listening {
  child: ChildProcess;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
  /** The port of its socket; 0 for one in the file system. */
  port: number;
}

/**
 * Resolves when `socket` listens. `input`: what workerd reads from its standard input. `variables`: its environment
 * beside that of this process, which has its log. Throws if it ends before.
 */
export async function spawnWorkerd(
  program: string,
  args: readonly string[],
  socket: string,
  input: Buffer | null,
  variables: NodeJS.Dict<string> = {},
): Promise<Listening> {
  const child = spawn(program, ["serve", ...args, "--control-fd=3"], {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...variables, TZ: "UTC", FORCE_COLOR: "0" },
  });
  const ended = once(child, "exit");
  for (const output of [child.stdout, child.stderr]) if (output !== null) logLines(output);
  // A workerd that fails reads no more, and its end says so.
  child.stdin?.on("error", () => undefined).end(input);
  const port = await Promise.race([portOf(socket, child.stdio[3] as Readable), ended.then(() => null)]);
  if (port === null) throw new Error("workerd ended before it listened");
  return { child, ended, port };
}

async function portOf(name: string, control: Readable): Promise<number> {
  for await (const line of createInterface(control)) {
    const { event, socket, port } = JSON.parse(line) as { event: string; socket?: string; port: number };
    if (event === "listen" && socket === name) return port;
  }
  return new Promise(() => undefined);
}

/** workerd wraps what the Worker logs in JSON, and other lines are its own. */
function logLines(output: Readable): void {
  createInterface(output).on("line", (line) => {
    try {
      console.log((JSON.parse(line) as { message: string }).message);
    } catch {
      console.log(line);
    }
  });
}
