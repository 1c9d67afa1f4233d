import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.ts";
import { unwritable } from "./state.ts";
import type { HostAnswer, HostOrder } from "./workerd-host.ts";

/**
 * Starts the Worker in workerd, in a separate process and session: a Ctrl-C goes to every foreground process of the
 * terminal, and workerd must survive it to finish the pages in flight.
 */

interface LocalWorker {
  url: string;
  token: string;
  /** Ends workerd and unlocks the state folder. */
  dispose(): Promise<void>;
}

/** Without a port, or with 0, it selects a free one. Throws UserError if the folder or the port cannot be used. */
export async function startLocal(options: Partial<HostOrder> & { state: string }): Promise<LocalWorker> {
  const token = options.token ?? randomBytes(24).toString("base64url");
  const log = openLog(options.state);
  const child = fork(join(import.meta.dirname, "workerd-host.ts"), {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
    // Under `node --watch` the child would report its imports over the IPC channel, as the first message.
    env: { ...process.env, WATCH_REPORT_DEPENDENCIES: "" },
  });
  const order: HostOrder = { ...options, port: options.port ?? 0, token };
  child.send(order);
  const [answer] = (await Promise.race([once(child, "message"), failOnExit(child, options.state)])) as [HostAnswer];
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

/** The output of workerd and of the Worker goes to a file; the terminal shows the crawl. */
function openLog(state: string): number {
  try {
    mkdirSync(join(state, "logs"), { recursive: true });
    return openSync(join(state, "logs", "workerd.log"), "a");
  } catch (error) {
    throw unwritable(state, error);
  }
}

async function failOnExit(child: ChildProcess, state: string): Promise<never> {
  await once(child, "exit");
  throw new UserError(`workerd did not start; ${join(state, "logs", "workerd.log")} may tell why.`);
}
