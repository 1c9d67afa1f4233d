import { type ChildProcess, fork } from "node:child_process";
import { existsSync, openSync } from "node:fs";
import { extname, join } from "node:path";
import { DEFAULT_STATE, logsOf, readingState, stateSocketOf } from "../installation/state-paths.ts";
import { LOADS_MINIFLARE } from "./host-order.ts";

/**
 * Starts the host process (workerd-host.ts). It loads what it needs while the command line still loads its own modules
 * and reads its arguments. A host that gets no order ends with the command.
 */

/** What needs miniflare, in a command's arguments. Only a guess: the order says what is needed. */
const NEEDS_MINIFLARE = /^(?:serve|--(?:hook|insecure|render|screenshot)\b.*)$/;

/** Commands that read a page and keep nothing (reading-state.ts). */
const KEEP_NOTHING = new Set(["read", "fields", "extract"]);

let ahead: { state: string; child: ChildProcess } | null = null;

/**
 * Starts the host of a command on this machine ahead. Only a guess: a state folder that is new, a `serve` that has it,
 * and a deployed installation have none. `args`: those of the command line.
 */
export function startHostAhead(args: readonly string[]): void {
  const isHelp = args.length === 0 || args[0]?.startsWith("-") || args.includes("--help") || args.includes("-h");
  if (isHelp || args.some((arg) => arg.startsWith("--remote"))) return;
  const state = guessState(args);
  if (!existsSync(logsOf(state)) || existsSync(stateSocketOf(state))) return;
  try {
    ahead = {
      state,
      child: startHost(
        state,
        args.some((arg) => NEEDS_MINIFLARE.test(arg)),
      ),
    };
  } catch {
    // The command will say what is wrong, if it needs a host.
  }
}

/** The host of a state folder: the one that was started ahead, or a new one. Throws what opening its log throws. */
export function hostOf(state: string, needsMiniflare: boolean): ChildProcess {
  if (ahead?.state !== state) return startHost(state, needsMiniflare);
  const { child } = ahead;
  ahead = null;
  return child;
}

/** The state folder of a command with these arguments. */
export function guessState(args: readonly string[]): string {
  const at = args.findIndex((arg) => arg === "--state" || arg.startsWith("--state="));
  const named = args[at] === "--state" ? args[at + 1] : args[at]?.slice("--state=".length);
  if (named !== undefined) return named;
  return KEEP_NOTHING.has(args[0] ?? "") && !existsSync(DEFAULT_STATE) ? readingState() : DEFAULT_STATE;
}

/** Its output, and that of workerd and of the Worker, goes to a file; the terminal shows the crawl. */
function startHost(state: string, needsMiniflare: boolean): ChildProcess {
  const log = openSync(join(logsOf(state), "workerd.log"), "a");
  return fork(
    join(import.meta.dirname, `workerd-host${extname(import.meta.filename)}`),
    needsMiniflare ? [state, LOADS_MINIFLARE] : [state],
    {
      // In a session of its own: a Ctrl-C goes to every foreground process of the terminal.
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
      // Not the options of a program that uses the library, such as a debugger's.
      execArgv: [],
      // Under `node --watch` the child would report its imports over the IPC channel, as the first message.
      env: { ...process.env, WATCH_REPORT_DEPENDENCIES: "" },
    },
  );
}
