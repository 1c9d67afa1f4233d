import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.ts";
import { unwritable } from "./state.ts";
import type { HostAnswer, HostOrder } from "./workerd-host.ts";

/**
 * Brings up the Worker in workerd, in a process of its own and in a session of its own: a Ctrl-C at the terminal goes to every process
 * of the foreground, and workerd is to finish the pages in flight rather than die of it.
 */

export interface LocalWorker {
  url: string;
  token: string;
  /** Ends workerd and lets go of the state folder. */
  dispose(): Promise<void>;
}

/** `port` 0 or none takes any. Throws UserError for a folder or a port that cannot be had. */
export async function startLocal(options: Partial<HostOrder> & { state: string }): Promise<LocalWorker> {
  const token = options.token ?? randomBytes(24).toString("base64url");
  const log = openLog(options.state);
  const child = fork(join(import.meta.dirname, "workerd-host.ts"), {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  });
  const order: HostOrder = { ...options, port: options.port ?? 0, token };
  child.send(order);
  const [answer] = (await Promise.race([once(child, "message"), died(child, options.state)])) as [HostAnswer];
  if ("problem" in answer) throw new UserError(answer.problem);
  return {
    url: answer.url,
    token,
    dispose: async () => {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, "exit");
    },
  };
}

/** What workerd and the Worker say goes to a file: the terminal is for the crawl. */
function openLog(state: string): number {
  try {
    mkdirSync(join(state, "logs"), { recursive: true });
    return openSync(join(state, "logs", "workerd.log"), "a");
  } catch (error) {
    throw unwritable(state, error);
  }
}

async function died(child: ChildProcess, state: string): Promise<never> {
  await once(child, "exit");
  throw new UserError(`workerd did not start; ${join(state, "logs", "workerd.log")} may say why.`);
}
