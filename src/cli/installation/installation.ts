import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StateInUse, UserError } from "../errors.ts";
import type { HostOrder, Reads } from "../machine/host-order.ts";
import { type Joined, joinState } from "../machine/state-socket.ts";
import { startLocal } from "../machine/workerd.ts";
import { Client } from "./client.ts";
import { HolderWait } from "./holder-wait.ts";
import { requireEncryption } from "./remote-address.ts";
import { DEFAULT_STATE, logsOf } from "./state-paths.ts";

/**
 * The Orbweaver that a command uses: a deployed one, that of a `serve` with the same state folder, or a local one that
 * runs as long as the commands that use it.
 */

export interface WhereOptions {
  remote?: string;
  token?: string;
  /** Send the token also by http:// to another machine. */
  insecureHttp?: boolean;
  state: string;
}

export interface Installation {
  client: Client;
  /** Whether it runs only as long as commands use it. */
  local: boolean;
  /** Whether this command has started it. What was running there before was interrupted. */
  isOwn: boolean;
  /** Whether it can draw pages; null if only the installation itself knows. */
  hasBrowser: boolean | null;
  /** Whether other commands use it too, as far as that is known. */
  isShared(): Promise<boolean>;
  /** The folder of the logs. Null if the installation is deployed. */
  logs: string | null;
  /** What people should know of it. */
  warnings: string[];
  dispose(): Promise<void>;
}

/** An installation that outlives the command. */
const ELSEWHERE = {
  ...{ local: false, isOwn: false, hasBrowser: null, warnings: [] },
  isShared: async () => true,
  dispose: async () => undefined,
};

/**
 * A deployed installation as a command sees it that follows something: where it is away for a while, the command waits.
 * One on this machine ends with its process, and another one has another address.
 */
export function outlasting(at: Installation, { remote }: WhereOptions, stop: AbortSignal): Installation {
  if (remote === undefined) return at;
  return { ...at, client: at.client.outlasting({ say: (line) => console.error(line), stop }) };
}

/** `order`: what a local one needs beside the usual. The caller closes the installation. */
export async function openInstallation(
  where: WhereOptions,
  order: Pick<HostOrder, "reads" | "browser" | "isTemporary" | "insecure">,
): Promise<Installation> {
  if (where.remote !== undefined) {
    requireEncryption(where.remote, where.insecureHttp ?? false);
    const token = where.token ?? process.env.ORBWEAVER_TOKEN;
    if (!token)
      throw new UserError(
        "The deployed Orbweaver needs its token: --token T, or ORBWEAVER_TOKEN in the environment.",
        2,
      );
    return { ...ELSEWHERE, client: new Client(where.remote, token), logs: null };
  }
  const wait = new HolderWait();
  for (;;) {
    const joined = await joinState(where.state);
    if (joined !== null) {
      if (order.insecure === undefined) return joinedAt(joined, where);
      joined.leave();
      throw new UserError(
        `--insecure takes effect when an installation starts, and another command works in ${where.state}. Wait for it, or choose another folder with --state DIR.`,
      );
    }
    try {
      return await startAt(where, order);
    } catch (error) {
      // Another command may have started at the same moment: then it can be joined now.
      if (!(error instanceof StateInUse) || !wait.goesOn(error, Date.now())) throw error;
    }
  }
}

async function startAt(
  { state }: WhereOptions,
  order: Pick<HostOrder, "reads" | "browser" | "isTemporary" | "insecure">,
): Promise<Installation> {
  const { url, token, warnings, dispose } = await startLocal(state, order);
  const logs = logsOf(state);
  const hasBrowser = order.browser !== undefined;
  const client = new Client(url, token, logs);
  return { client, local: true, isOwn: true, hasBrowser, isShared: () => isShared(state), logs, warnings, dispose };
}

function joinedAt({ url, token, stays, hasBrowser, leave }: Joined, { state }: WhereOptions): Installation {
  const logs = logsOf(state);
  const dispose = async () => leave();
  const client = new Client(url, token, logs);
  return { ...ELSEWHERE, client, local: !stays, hasBrowser, isShared: () => isShared(state), logs, dispose };
}

/** This command is one of the users. */
async function isShared(state: string): Promise<boolean> {
  const asked = await joinState(state);
  asked?.leave();
  return asked !== null && asked.users > 2;
}

/**
 * Runs `run` with the installation, and closes it afterwards, also after an error. `order`: what a
 * local one needs beside the usual.
 */
export async function withInstallation<T>(
  where: WhereOptions,
  run: (at: Installation) => Promise<T>,
  order: Pick<HostOrder, "browser" | "insecure"> = {},
): Promise<T> {
  return use(await openInstallation(where, order), run);
}

/** The same for a command that changes nothing. A local installation starts without what it does not read. */
export async function readInstallation<T>(
  where: WhereOptions,
  reads: Reads,
  run: (at: Installation) => Promise<T>,
): Promise<T> {
  if (where.remote !== undefined || where.state !== DEFAULT_STATE || existsSync(where.state))
    return use(await openInstallation(where, { reads }), run);
  // Reading makes no folder that nobody named: what is asked for lies elsewhere, or nowhere yet.
  const empty = { ...where, state: mkdtempSync(join(tmpdir(), "orbweaver-")) };
  try {
    return await use(await openInstallation(empty, { reads, isTemporary: true }), run);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const place = "crawls lie in the folder in which they were started, and --state DIR names it";
    throw new UserError(`${error.message}\nThere is no ${where.state} here: ${place}.`, error.exitCode);
  }
}

async function use<T>(installation: Installation, run: (at: Installation) => Promise<T>): Promise<T> {
  try {
    return await run(installation);
  } finally {
    await installation.dispose();
  }
}
