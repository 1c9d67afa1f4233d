import { Client } from "./client.ts";
import { UserError } from "./errors.ts";
import { askAddress } from "./serve-socket.ts";
import { logsOf } from "./state-paths.ts";
import { startLocal } from "./workerd.ts";
import type { Reads } from "./workerd-host.ts";

/**
 * The Orbweaver that a command uses: a deployed one, that of a `serve` with the same state folder, or a local one that
 * runs as long as the command.
 */

export interface WhereOptions {
  remote?: string;
  token?: string;
  state: string;
}

export interface Installation {
  client: Client;
  /** Whether it runs only as long as the command. */
  local: boolean;
  /** The folder of the logs. Null if the installation is deployed. */
  logs: string | null;
  dispose(): Promise<void>;
}

async function openInstallation(where: WhereOptions, reads?: Reads): Promise<Installation> {
  if (where.remote !== undefined) {
    const token = where.token ?? process.env.ORBWEAVER_TOKEN;
    if (!token)
      throw new UserError(
        "The deployed Orbweaver needs its token: --token T, or ORBWEAVER_TOKEN in the environment.",
        2,
      );
    return { client: new Client(where.remote, token), local: false, logs: null, dispose: async () => undefined };
  }
  const logs = logsOf(where.state);
  const served = await askAddress(where.state);
  if (served !== null)
    return { client: new Client(served.url, served.token, logs), local: false, logs, dispose: async () => undefined };
  const worker = await startLocal(where.state, reads === undefined ? {} : { reads });
  return { client: new Client(worker.url, worker.token, logs), local: true, logs, dispose: worker.dispose };
}

/** Runs `run` with the installation, and closes it afterwards, also after an error. */
export async function withInstallation<T>(where: WhereOptions, run: (at: Installation) => Promise<T>): Promise<T> {
  return use(await openInstallation(where), run);
}

/** The same for a command that changes nothing. A local installation starts without what it does not read. */
export async function readInstallation<T>(
  where: WhereOptions,
  reads: Reads,
  run: (at: Installation) => Promise<T>,
): Promise<T> {
  return use(await openInstallation(where, reads), run);
}

async function use<T>(installation: Installation, run: (at: Installation) => Promise<T>): Promise<T> {
  try {
    return await run(installation);
  } finally {
    await installation.dispose();
  }
}
