import { setTimeout as sleep } from "node:timers/promises";
import type { PassView, StartedPassView } from "../../api/views.ts";
import { UserError } from "../errors.ts";
import type { Installation } from "../installation/installation.ts";
import { note, type OutputFlags } from "./finish.ts";
import { listenForStop } from "./follow.ts";
import { commandAt } from "./go-on.ts";
import { printable } from "./terminal-text.ts";

/** Follows the steps of a pass. */

const POLL_MS = 250;

/**
 * Starts a pass, or joins the one that runs, and follows it to its end or to Ctrl-C, which may come before the start is
 * answered. Throws UserError if it has no result. `command`: what goes on with it, before the id of the crawl.
 * `afterStart`: says more of what was started.
 */
export async function followPassToEnd(
  id: string,
  start: () => Promise<StartedPassView>,
  at: Installation,
  { command, ...flags }: OutputFlags & { command: string },
  afterStart: (started: StartedPassView) => void = () => undefined,
): Promise<PassView> {
  const stop = listenForStop();
  try {
    const answer = await start();
    const { alreadyRunning, ...started } = answer;
    note(flags, `Pass ${started.id} ${alreadyRunning ? "is running already" : "started"}.`);
    afterStart(answer);
    const pass = await followPass(id, started, at, stop.signal);
    if (pass.status === "running") note(flags, describeStop(id, at, { command, ...flags }));
    else if (pass.status === "errored") throw new UserError(printable(`Pass ${pass.id} has no result: ${pass.error}.`));
    return pass;
  } finally {
    stop.end();
  }
}

async function followPass(id: string, started: PassView, { client }: Installation, stop: AbortSignal) {
  let told = "";
  for (let pass = started; ; ) {
    if (pass.status !== "running" || stop.aborted) return pass;
    const line = describeProgress(pass);
    if (line !== told) process.stderr.write(`${printable(line)}\n`);
    told = line;
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    const found = (await client.passes(id)).find((one) => one.id === started.id);
    if (found === undefined) throw new UserError(`Pass ${started.id} is gone: a later one has replaced it.`);
    pass = found;
  }
}

function describeProgress({ stage, stepsDone, steps }: PassView): string {
  return `${stage} (${stepsDone}${steps === null ? "" : ` of ${steps}`} steps done)`;
}

function describeStop(
  id: string,
  { local }: Installation,
  { command, ...flags }: OutputFlags & { command: string },
): string {
  const again = commandAt(`${command} ${id}`, flags);
  return local
    ? `Stopped; nothing is lost. Go on with: ${again}`
    : `The pass goes on without this command. Its state: ${again}`;
}
