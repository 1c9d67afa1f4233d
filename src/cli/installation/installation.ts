import { UserError } from "../errors.ts";
import { askAddress, type ServeAddress } from "../machine/serve-socket.ts";
import { startLocal } from "../machine/workerd.ts";
import type { HostOrder, Reads } from "../machine/workerd-host.ts";
import { Client } from "./client.ts";
import { requireEncryption } from "./remote-address.ts";
import { logsOf } from "./state-paths.ts";

/**
 * The Orbweaver that a command uses: a deployed one, that of a `serve` with the same state folder, or a local one that
 * runs as long as the command.
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
  /** Whether it runs only as long as the command. */
  local: boolean;
  /** The address of an installation that runs only as long as the command; null for another one. */
  address: ServeAddress | null;
  /** The folder of the logs. Null if the installation is deployed. */
  logs: string | null;
  /** What people should know of it. */
  warnings: string[];
  dispose(): Promise<void>;
}

/** An installation that outlives the command. */
const ELSEWHERE = { local: false, address: null, warnings: [], dispose: async () => undefined };

/** `order`: what a local one needs beside the usual. The caller closes the installation. */
export async function openInstallation(
  where: WhereOptions,
  order: Pick<HostOrder, "reads" | "browser">,
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
  const logs = logsOf(where.state);
  const served = await askAddress(where.state);
  if (served !== null) return { ...ELSEWHERE, client: new Client(served.url, served.token, logs), logs };
  const worker = await startLocal(where.state, order);
  const { url, token, warnings, dispose } = worker;
  return { client: new Client(url, token, logs), local: true, address: { url, token }, logs, warnings, dispose };
}

/**
 * Runs `run` with the installation, and closes it afterwards, also after an error. `order`: what a
 * local one needs beside the usual.
 */
export async function withInstallation<T>(
  where: WhereOptions,
  run: (at: Installation) => Promise<T>,
  order: Pick<HostOrder, "browser"> = {},
): Promise<T> {
  return use(await openInstallation(where, order), run);
}

/** The same for a command that changes nothing. A local installation starts without what it does not read. */
export async function readInstallation<T>(
  where: WhereOptions,
  reads: Reads,
  run: (at: Installation) => Promise<T>,
): Promise<T> {
  return use(await openInstallation(where, { reads }), run);
}

async function use<T>(installation: Installation, run: (at: Installation) => Promise<T>): Promise<T> {
  try {
    return await run(installation);
  } finally {
    await installation.dispose();
  }
}
