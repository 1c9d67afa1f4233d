import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { StateInUse, UserError } from "../errors.ts";
import { makeStateFolder, unwritable } from "../installation/state-folder.ts";
import { logsOf } from "../installation/state-paths.ts";
import { type HostAnswer, type HostOrder, keptStartOf } from "./host-order.ts";
import { hostOf } from "./host-process.ts";
import { killGroup } from "./process-group.ts";

/**
 * Starts the Worker in workerd, in a separate process and session: a Ctrl-C goes to every foreground process of the
 * terminal, and workerd must survive it to finish the pages in flight.
 */

interface LocalWorker {
  url: string;
  token: string;
  /** For people. */
  warnings: string[];
  /** Whether other commands can join it (state-socket.ts). */
  isShared: boolean;
  /** Ends workerd and unlocks the state folder, unless other commands have joined it: the last of them does. */
  dispose(): Promise<void>;
}

/**
 * The first start builds the Worker, which takes seconds; others take half of one. All take longer on a busy machine.
 */
export const START_TIMEOUT_MS = 60_000;

/**
 * Without a port, or with 0, it selects a free one. Throws UserError if the folder, a database in it or the port cannot
 * be used, or if workerd has not started in time.
 */
export async function startLocal(
  state: string,
  options: Partial<HostOrder> = {},
  startTimeoutMs = START_TIMEOUT_MS,
): Promise<LocalWorker> {
  const token = options.token ?? randomBytes(24).toString("base64url");
  makeStateFolder(state);
  const child = openHost(state, keptStartOf(options) === null);
  const order: HostOrder = { ...options, port: options.port ?? 0, token };
  child.send(order);
  const answer = await waitForAnswer(child, state, startTimeoutMs);
  if ("problem" in answer) throw refusalOf(answer);
  return {
    url: answer.url,
    token,
    warnings: answer.warnings,
    isShared: answer.isShared,
    dispose: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      const goesOn = child.connected && (await askToLeave(child, ended));
      if (child.connected) child.disconnect();
      if (goesOn) child.unref();
      else await ended;
    },
  };
}

function refusalOf({ problem, inUse }: Extract<HostAnswer, { problem: string }>): UserError {
  return inUse === null ? new UserError(problem) : new StateInUse(problem, inUse);
}

/** Resolves with whether the process goes on for other commands. */
async function askToLeave(child: ChildProcess, ended: Promise<unknown>): Promise<boolean> {
  const answered = once(child, "message").then(([goesOn]) => goesOn === true);
  child.send("leave");
  return Promise.race([answered, ended.then(() => false)]);
}

function openHost(state: string, needsMiniflare: boolean): ChildProcess {
  try {
    return hostOf(state, needsMiniflare);
  } catch (error) {
    throw unwritable(state, error);
  }
}

async function waitForAnswer(child: ChildProcess, state: string, timeoutMs: number): Promise<HostAnswer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const [answer] = (await Promise.race([once(child, "message", { signal: late }), failOnExit(child, state)])) as [
      HostAnswer,
    ];
    return answer;
  } catch (error) {
    if (!late.aborted) throw error;
    await killGroup(child);
    throw new UserError(
      `workerd did not start within ${timeoutMs / 1000} s. The logs in ${logsOf(state)} may tell why.`,
    );
  }
}

async function failOnExit(child: ChildProcess, state: string): Promise<never> {
  await once(child, "exit");
  // What it said before it ended may come after the end.
  if (child.connected) await once(child, "disconnect");
  throw new UserError(`workerd did not start. The logs in ${logsOf(state)} may tell why.`);
}
